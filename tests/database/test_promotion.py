"""What is used becomes knowledge; what nobody wanted leaves the buffer."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.database.conftest import Person

RIPE = {"confidence": 0.9, "created_at": "2026-01-01"}


def promote(db: psycopg.Connection[Any], at: str = "2026-01-20") -> int:
    row = db.execute("select cortex.promote(%s)", [at]).fetchone()
    assert row is not None
    return int(row[0])


def use(ada: Person, memory: Any, times: int) -> None:
    for _ in range(times):
        ada.call("mark_used", ids=[memory], as_of="2026-01-10")


def test_what_is_used_often_and_believed_becomes_semantic_and_the_trail_says_so(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    memory = ada.capture("Deploy with make ship", **RIPE)
    use(ada, memory, 5)
    assert [promote(db), promote(db)] == [1, 0]
    assert ada.query("select store from memories") == [{"store": "semantic"}]
    [event] = ada.query("select before, after from memory_events where action = 'promote'")
    assert (event["before"]["store"], event["after"]["store"]) == ("episodic", "semantic")


@pytest.mark.parametrize(
    ("facts", "uses", "at"),
    [
        (RIPE, 4, "2026-01-20"),
        (RIPE | {"confidence": 0.5}, 9, "2026-01-20"),
        (RIPE | {"store": "procedural"}, 9, "2026-01-20"),
        (RIPE, 9, "2026-01-07"),
    ],
    ids=["rarely used", "doubtful", "of another store", "too new"],
)
def test_what_is_not_ripe_stays(
    ada: Person, db: psycopg.Connection[Any], facts: dict[str, Any], uses: int, at: str
) -> None:
    use(ada, ada.capture("Deploy with make ship", **facts), uses)
    assert promote(db, at) == 0


def clean_up(db: psycopg.Connection[Any], at: str) -> dict[str, Any]:
    row = db.execute("select cortex.clean_up(%s)", [at]).fetchone()
    assert row is not None
    outcome: dict[str, Any] = row[0]
    return outcome


def test_an_expired_sensory_memory_is_archived_not_deleted(ada: Person, db: psycopg.Connection[Any]) -> None:
    memory = ada.call("remember", content="a passing remark", created_at="2026-01-01")["id"]
    assert clean_up(db, "2026-01-01T23:00:00Z")["expired"] == 0
    assert clean_up(db, "2026-01-02T00:00:00Z")["expired"] == 1
    assert clean_up(db, "2026-01-03")["expired"] == 0
    assert ada.call("list_thoughts") == []
    [row] = ada.call("list_thoughts", include_archived=True)
    assert (str(row["id"]), row["archive_reason"]) == (memory, "expired")


def test_an_expired_sensory_memory_that_was_used_becomes_an_event(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    ada.call("remember", content="the wifi code is on the door", created_at="2026-01-01")
    ada.call("recall", query_text="wifi")
    assert clean_up(db, "2026-01-03") == {"expired": 0, "kept": 1, "purged": 0, "cron_log_cleared": 0}
    assert ada.query("select store, expires_at from memories") == [{"store": "episodic", "expires_at": None}]


def test_a_pinned_sensory_memory_stays(ada: Person, db: psycopg.Connection[Any]) -> None:
    ada.call("remember", content="a remark", created_at="2026-01-01", pinned=True)
    assert clean_up(db, "2027-01-01")["expired"] == 0


def test_what_is_due_is_an_intention_unless_it_says_otherwise(ada: Person) -> None:
    ada.call("remember", content="Check SEO", due_at="2026-06-18")
    ada.call("remember", content="A remark")
    ada.call("remember", content="The sky is blue", store="semantic")
    rows = ada.query("select content, store, expires_at is not null as expires from memories")
    assert {r["content"]: (r["store"], r["expires"]) for r in rows} == {
        "Check SEO": ("prospective", False),
        "A remark": ("sensory", True),
        "The sky is blue": ("semantic", False),
    }


def test_nothing_archived_is_erased_unless_a_retention_is_set(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    memory = ada.call("remember", content="a passing remark", created_at="2026-01-01")["id"]
    clean_up(db, "2026-01-03")
    assert clean_up(db, "2036-01-01")["purged"] == 0
    db.execute("update cortex.settings set value = '30' where key = 'retention_archived_days'")
    assert clean_up(db, "2026-02-01")["purged"] == 0
    assert clean_up(db, "2026-02-03")["purged"] == 1
    assert ada.call("list_thoughts", include_archived=True) == []
    assert ada.call("capture_thought", content="a passing remark", id=memory)["status"] == "forgotten"


def test_retention_keeps_a_source_as_long_as_its_summary(ada: Person, db: psycopg.Connection[Any]) -> None:
    db.execute("update cortex.settings set value = '30' where key = 'retention_archived_days'")
    for n in range(2):
        ada.capture(f"budget {n}", store="sensory", embedding=f"[1,0.0{n},0]")
    db.execute("select cortex.consolidate()")
    row = db.execute("select cortex.purge_archived(now() + interval '1 year')").fetchone()
    assert row == (0,)
