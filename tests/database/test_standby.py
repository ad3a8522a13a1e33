"""Reads run on a hot standby, so that replicas can serve them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
import pytest

from pgcortex import local
from tests.database.conftest import ADA, Person
from tests.support.brains import FAST, root_directory
from tests.support.standby import catch_up, standby_of

SEARCHES: list[dict[str, Any]] = [
    {"query_embedding": "[1,0,0]", "query_text": "coffee"},
    {"query_embedding": "[1,0,0]"},
    {"query_text": "tea"},
    {"query_embedding": "[1,0,0]", "query_text": "coffee", "topics": ["tea"]},
]


@dataclass
class Pair:
    """One person at the primary and at the standby; ids of what she stored before and after the copy."""

    primary: Person
    standby: Person
    before: UUID
    after: UUID


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with root_directory() as root:
        brain = local.up(root / "primary", dimensions=3, settings=FAST)
        try:
            with psycopg.connect(brain.dsn, autocommit=True) as primary:
                ada = Person(primary, ADA)
                before = ada.capture("coffee with Rae", embedding="[1,0.1,0]", topics=["coffee"])
                with (
                    standby_of(brain, root / "standby") as dsn,
                    psycopg.connect(dsn, autocommit=True) as standby,
                ):
                    after = ada.capture("tea with Ben", embedding="[1,0.5,0]", topics=["tea"])
                    ada.call("link_memories", from_id=after, to_id=before, type="caused")
                    catch_up(primary, standby)
                    yield Pair(ada, Person(standby, ADA), before, after)
        finally:
            local.down(brain.data_dir)


def test_it_is_a_hot_standby(pair: Pair) -> None:
    [state] = pair.standby.conn.execute("select pg_is_in_recovery()").fetchall()
    assert state == (True,)
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        pair.standby.capture("cannot be stored here")


@pytest.mark.parametrize("cells", [10_000_000, 0])
def test_search_and_explain_answer_as_at_the_primary(pair: Pair, cells: int) -> None:
    pair.primary.conn.execute(
        "update cortex.settings set value = to_jsonb(%s) where key = 'exact_scan_cells'", [cells]
    )
    catch_up(pair.primary.conn, pair.standby.conn)
    for arguments in SEARCHES:
        for function in ("search_thoughts", "explain_search"):
            answer = pair.standby.call(function, **arguments, as_of="2030-01-01T00:00Z")
            assert answer
            assert answer == pair.primary.call(function, **arguments, as_of="2030-01-01T00:00Z")


def test_lists_and_statistics_answer_as_at_the_primary(pair: Pair) -> None:
    for function in ("list_thoughts", "thought_stats", "review_queue"):
        assert pair.standby.call(function) == pair.primary.call(function)
    assert pair.standby.call("memory_stats")["total"] == 2


def test_what_was_stored_after_the_copy_is_found(pair: Pair) -> None:
    assert [hit["id"] for hit in pair.standby.call("search_thoughts", query_text="tea")] == [pair.after]


def test_recall_answers_and_only_the_reinforcement_does_not_happen(pair: Pair) -> None:
    activation = (
        "select memory_id, strength, access_count, last_accessed_at from memory_activation order by 1"
    )
    before = pair.primary.query(activation)
    hits = pair.standby.call("recall", query_text="coffee")
    assert [hit["id"] for hit in hits] == [pair.before, pair.after]
    catch_up(pair.primary.conn, pair.standby.conn)
    assert pair.standby.query(activation) == pair.primary.query(activation) == before
