"""RPCs over a connection: whose they are, what errors become, and connections that were lost meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from pgcortex import DatabaseUnavailable, InvalidInput, NotAuthorized, SchemaOutOfDate
from pgcortex._transports._postgres import PostgresTransport
from tests.database.conftest import ADA, BEN


@pytest.fixture
def transport(db: psycopg.Connection[Any]) -> Iterator[PostgresTransport]:
    made = PostgresTransport(db.info.dsn, ADA, timeout=5)
    yield made
    made.close()


def test_each_caller_on_shared_connections_is_themselves(transport: PostgresTransport) -> None:
    transport.call("capture_thought", {"content": "Ada's"})
    ben = transport.acting_for(BEN)
    ben.call("capture_thought", {"content": "Ben's"})
    ben.close()
    assert [row["content"] for row in transport.call("list_thoughts", {}, many=True)] == ["Ada's"]
    assert [row["content"] for row in ben.call("list_thoughts", {}, many=True)] == ["Ben's"]


def test_a_refusal_keeps_its_field_and_leaves_the_connection_usable(transport: PostgresTransport) -> None:
    with pytest.raises(InvalidInput) as caught:
        transport.call("capture_thought", {"content": " "})
    assert caught.value.field == "content"
    assert transport.call("thought_stats", {})["total"] == 0


def test_a_refused_call_stores_nothing(transport: PostgresTransport, db: psycopg.Connection[Any]) -> None:
    with pytest.raises(InvalidInput):
        transport.call(
            "store_capture", {"thought": {"content": "a"}, "calls": [{"purpose": "none", "model": "m"}]}
        )
    assert db.execute("select count(*) from public.memories").fetchone() == (0,)


def test_a_call_that_is_not_there_and_one_that_is_not_allowed(transport: PostgresTransport) -> None:
    with pytest.raises(SchemaOutOfDate):
        transport.call("no_such_call", {})
    with pytest.raises(NotAuthorized):
        transport.call("claim_enrichment", {"batch": 1})
    with pytest.raises(NotAuthorized):
        transport.acting_for(None).call("thought_stats", {})


def test_a_connection_the_server_closed_is_replaced(
    transport: PostgresTransport, db: psycopg.Connection[Any]
) -> None:
    transport.call("thought_stats", {})
    db.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
    assert transport.call("capture_thought", {"content": "after the cut"})["status"] == "created"


def test_nothing_secret_is_in_the_message_of_a_lost_connection() -> None:
    transport = PostgresTransport("postgresql://me:sesame@127.0.0.1:9/x", ADA, timeout=0.5)
    with pytest.raises(DatabaseUnavailable) as caught:
        transport.call("thought_stats", {})
    transport.close()
    assert "sesame" not in str(caught.value)
