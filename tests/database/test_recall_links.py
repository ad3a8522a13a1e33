"""Recall follows links from what it finds, and strengthens what it brings back; search does neither."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import Person

NOW = datetime(2026, 3, 1, tzinfo=UTC)
QUERY = {"query_embedding": "[1,0,0]"}


def recall(person: Person, **more: Any) -> dict[UUID, dict[str, Any]]:
    """The hits of a recall that leaves no trace, by id."""
    return {hit["id"]: hit for hit in person.call("recall", **QUERY | {"reinforce": False} | more)}


@pytest.fixture
def found(ada: Person) -> UUID:
    """What the query finds."""
    return ada.capture("the deploy failed", embedding="[1,0,0]")


@pytest.fixture
def unlike(ada: Person, found: UUID) -> UUID:
    """What neither its words nor a vector would bring."""
    return ada.capture("the disk was full")


def test_a_memory_that_only_a_link_reaches_is_recalled(ada: Person, found: UUID, unlike: UUID) -> None:
    assert list(recall(ada)) == [found]
    ada.call("link_memories", from_id=unlike, to_id=found, type="caused")
    hits = recall(ada)
    assert list(hits) == [found, unlike]
    assert (hits[found]["found_by"], hits[unlike]["found_by"]) == (["vector"], ["link"])
    assert (hits[unlike]["similarity"], hits[unlike]["lexical"]) == (None, None)


PASSED = {"caused": 0.4, "contradicts": 0.4, "part_of": 0.4, "follows": 0.2, "related": 0.1}


@pytest.mark.parametrize("forwards", [True, False])
def test_relevance_travels_by_type_and_weight_either_way(ada: Person, found: UUID, forwards: bool) -> None:
    expected = {}
    for kind, share in PASSED.items():
        for weight in (1.0, 0.25):
            tied = ada.capture(f"{kind} {weight}")
            ada.query(
                "insert into memory_links (from_id, to_id, type, weight) values (%s, %s, %s, %s)",
                [*((found, tied) if forwards else (tied, found)), kind, weight],
            )
            expected[tied] = pytest.approx(share * weight)
    hits = recall(ada, match_count=20)
    assert {tied: hit["relevance"] for tied, hit in hits.items()} == {found: 1, **expected}


def test_links_of_several_hits_add_up_but_likeness_counts_once(
    ada: Person, found: UUID, unlike: UUID, db: psycopg.Connection[Any]
) -> None:
    also = ada.capture("another deploy failed", embedding="[1,0,0]")
    db.execute("delete from memory_links")
    for source in (found, also):
        ada.call("link_memories", from_id=unlike, to_id=source, type="caused", weight=0.5)
    assert recall(ada)[unlike]["relevance"] == pytest.approx(0.4)
    db.execute("update memory_links set type = 'related'")
    assert recall(ada)[unlike]["relevance"] == pytest.approx(0.05)


def test_a_link_lifts_what_was_found_anyway(ada: Person, found: UUID, db: psycopg.Connection[Any]) -> None:
    tied = ada.capture("a tied one", embedding="[1,1,0]")
    loose = ada.capture("a loose one", embedding="[1,0.9,0]")
    db.execute("delete from memory_links")
    assert list(recall(ada)) == [found, loose, tied]
    ada.call("link_memories", from_id=tied, to_id=found, type="caused")
    hits = recall(ada)
    assert list(hits) == [found, tied, loose]
    assert hits[tied]["found_by"] == ["vector"]


def test_neighbours_in_a_session_are_recalled(ada: Person) -> None:
    asked = ada.capture("Which colour for the door?", embedding="[1,0,0]", session_id="s")
    answer = ada.capture("Green, I think", session_id="s")
    ada.capture("Green is the hill", session_id="another")
    assert list(recall(ada)) == [asked, answer]


def test_a_link_is_followed_one_step(ada: Person, found: UUID, unlike: UUID) -> None:
    further = ada.capture("the log was never cleaned")
    ada.call("link_memories", from_id=unlike, to_id=found, type="caused")
    ada.call("link_memories", from_id=further, to_id=unlike, type="caused")
    assert set(recall(ada)) == {found, unlike}


@pytest.mark.parametrize(
    "filters",
    [
        {"thought_type": "observation"},
        {"namespace": "default"},
        {"topics": ["ops"]},
        {"until": NOW},
        {"min_confidence": 0.5},
    ],
    ids=lambda filters: next(iter(filters)),
)
def test_what_a_link_reaches_must_pass_the_filters(ada: Person, filters: dict[str, Any]) -> None:
    found = ada.capture(
        "the deploy failed", embedding="[1,0,0]", topics=["ops"], occurred_at=NOW - timedelta(1)
    )
    other = ada.capture(
        "the disk was full", thought_type="idea", namespace="elsewhere", confidence=0.1, occurred_at=NOW
    )
    ada.call("link_memories", from_id=other, to_id=found, type="caused")
    assert set(recall(ada)) == {found, other}
    assert list(recall(ada, **filters)) == [found]


@pytest.mark.parametrize("reason", ["faded", "forgotten"])
def test_an_archived_memory_is_not_reached(
    ada: Person, found: UUID, unlike: UUID, db: psycopg.Connection[Any], reason: str
) -> None:
    ada.call("link_memories", from_id=unlike, to_id=found, type="caused")
    db.execute("update memories set archived_at = now(), archive_reason = %s where id = %s", [reason, unlike])
    assert list(recall(ada)) == [found]
    assert set(recall(ada, include_archived=True)) == ({found, unlike} if reason == "faded" else {found})


def test_a_replaced_memory_is_reached_on_request(ada: Person, found: UUID, unlike: UUID) -> None:
    ada.call("supersede", old_id=unlike, new_id=found)
    assert list(recall(ada)) == [found]
    assert list(recall(ada, include_superseded=True)) == [found, unlike]


def test_another_owners_links_change_nothing(ada: Person, ben: Person, found: UUID) -> None:
    theirs, tied = ben.capture("the deploy failed", embedding="[1,0,0]"), ben.capture("Ben's disk was full")
    ben.call("link_memories", from_id=tied, to_id=theirs, type="caused")
    assert list(recall(ada)) == [found]
    assert list(recall(ben)) == [theirs, tied]


def test_search_follows_no_link(ada: Person, found: UUID, unlike: UUID) -> None:
    ada.call("link_memories", from_id=unlike, to_id=found, type="caused")
    assert [hit["id"] for hit in ada.call("search_thoughts", **QUERY)] == [found]


def traces(db: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    """All that a recall could change."""
    return (
        db.execute(
            "select memory_id, strength, access_count, last_accessed_at from memory_activation order by 1"
        ).fetchall()
        + db.execute("select id, action from memory_events order by 1").fetchall()
    )


def test_recall_strengthens_what_it_returns(
    ada: Person, found: UUID, unlike: UUID, db: psycopg.Connection[Any]
) -> None:
    last = ada.capture("not so near", embedding="[0.45,1,0]")
    db.execute("delete from memory_links")
    ada.call("link_memories", from_id=unlike, to_id=found, type="caused", weight=1)
    db.execute(
        "update memory_activation set strength = 0.5, access_count = 3, last_accessed_at = %s",
        [NOW - timedelta(5)],
    )
    hits = ada.call("recall", **QUERY, match_count=2, as_of=NOW)
    assert [hit["id"] for hit in hits] == [found, unlike]
    after = {row[0]: row[1:] for row in traces(db) if len(row) == 4}
    # 0.5 lost 0.02 a day for five days, then moved a fifth of the way to 1.
    for memory_id in (found, unlike):
        assert after[memory_id] == (pytest.approx(0.4 + 0.6 * 0.2), 4, NOW)
    assert after[last] == (0.5, 3, NOW - timedelta(5))
    [told] = db.execute("select after from memory_events where action = 'recall'").fetchall()
    assert set(told[0]["ids"]) == {str(found), str(unlike)}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("recall", {"reinforce": False}),
        ("search_thoughts", {}),
        ("search_thoughts", {"query_text": "deploy"}),
        ("explain_search", {}),
    ],
)
def test_the_other_ways_leave_no_trace(
    ada: Person, found: UUID, db: psycopg.Connection[Any], function: str, arguments: dict[str, Any]
) -> None:
    before = traces(db)
    assert ada.call(function, **QUERY | arguments)
    assert traces(db) == before


def test_a_recall_that_finds_nothing_touches_nothing(ada: Person, db: psycopg.Connection[Any]) -> None:
    ada.capture("the deploy failed", embedding="[0,0,1]")
    before = traces(db)
    assert ada.call("recall", **QUERY) == []
    assert traces(db) == before


def test_in_a_read_only_transaction_recall_answers_without_a_trace(
    ada: Person, found: UUID, db: psycopg.Connection[Any]
) -> None:
    before = traces(db)
    db.execute("set default_transaction_read_only = on")
    assert [hit["id"] for hit in ada.call("recall", **QUERY)] == [found]
    db.execute("reset default_transaction_read_only")
    assert traces(db) == before
