"""What is no longer so gives way to what is, and stays on record."""

from __future__ import annotations

from itertools import pairwise
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import Person


def contents(person: Person, **filters: object) -> set[str]:
    return {row["content"] for row in person.call("list_thoughts", **filters)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like tea", "I no longer like tea"),
        ("I like tea", "I don't like tea anymore."),
        ("I am drinking coffee", "I have stopped drinking coffee"),
        ("We do not use Redis", "We use Redis now"),
        ("We meet on Monday", "We never meet on Mondays"),
    ],
)
def test_a_reversal_supersedes_the_old_statement_case_c15(ada: Person, old: str, new: str) -> None:
    first, second = ada.capture(old), ada.capture(new)
    assert contents(ada) == {new}
    [ended] = ada.query("select superseded_by, valid_to from memories where id = %s", [first])
    assert ended["superseded_by"] == second
    assert ended["valid_to"] is not None
    assert contents(ada, include_superseded=True) == {old, new}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea", "My brother likes tea"),
        ("I like tea", "My brother no longer likes tea"),
        ("I like tea", "I no longer like coffee"),
        ("Ada did not pay Ben", "Ben paid Ada"),
        ("I like tea", "Do I not like tea?"),
        ("I like tea and not coffee", "I like coffee and not tea"),
        ("Redis caches sessions", "Redis is used to cache sessions"),
        ("The button is red", "The stop button is red"),
        ("The command saves the file", "The quit command saves the file"),
        ("The op handler runs first", "The no-op handler runs first"),
        ("He is at the bus", "He is at the bus stop"),
        ("Answer to the prompt", "Answer no to the prompt"),
    ],
)
def test_similar_is_not_contradictory_case_c15(ada: Person, one: str, other: str) -> None:
    ada.capture(one)
    ada.capture(other)
    assert contents(ada) == {one, other}


def test_the_newest_statement_holds_whatever_the_way_there_case_c15(ada: Person) -> None:
    ada.capture("I like tea")
    ada.capture("I like tea")
    ada.capture("I no longer like tea")
    ada.capture("I like tea")
    assert contents(ada) == {"I like tea"}
    assert ada.call("thought_stats")["superseded"] == 2


def test_a_statement_imported_late_does_not_end_a_later_one_case_c15(ada: Person) -> None:
    ada.capture("I no longer like tea", occurred_at="2026-03-01")
    ada.capture("I like tea", occurred_at="2025-03-01")
    assert contents(ada) == {"I no longer like tea"}


def test_one_owners_words_never_end_anothers_case_c15(ada: Person, ben: Person) -> None:
    ada.capture("I like tea")
    ben.capture("I no longer like tea")
    assert contents(ada) == {"I like tea"}


def test_a_pinned_memory_is_reviewed_instead_of_ended(ada: Person) -> None:
    ada.capture("I like tea", pinned=True)
    ada.capture("I no longer like tea")
    assert contents(ada) == {"I like tea", "I no longer like tea"}
    assert [row["kind"] for row in ada.call("review_queue")] == ["contradiction"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"content": "I like tea", "people": ["Ann"]}, {"content": "I do not like tea", "people": ["Bob"]}),
        (
            {"content": "The standup happened today", "occurred_at": "2026-01-05"},
            {"content": "The standup did not happen today", "occurred_at": "2026-01-06"},
        ),
    ],
    ids=["two speakers", "two days"],
)
def test_what_may_both_be_true_is_reviewed_instead_of_ended(
    ada: Person, one: dict[str, object], other: dict[str, object]
) -> None:
    ada.call("capture_thought", **one)
    ada.call("capture_thought", **other)
    assert contents(ada) == {one["content"], other["content"]}
    assert [row["kind"] for row in ada.call("review_queue")] == ["contradiction"]


def test_a_vector_that_comes_later_ends_no_memory(ada: Person, service: Person) -> None:
    """Only what is said takes something back, and what has left the brain says nothing."""
    retracted = ada.capture("The API key never rotates monthly", idempotency_key="k")
    ada.call("forget", id=retracted, reason="a mistake")
    ada.capture("The API key rotates monthly")
    ada.call(
        "capture_thought",
        content="The API key never rotates monthly",
        idempotency_key="k",
        embedding="[1,0,0]",
    )
    assert contents(ada) == {"The API key rotates monthly"}

    old, _ = ada.capture("We eat meat"), ada.capture("We do not eat meat")
    ada.call("restore", id=old)
    ada.call("capture_thought", content="We do not eat meat", embedding="[0,1,0]")
    assert contents(ada) >= {"We eat meat", "We do not eat meat"}


def test_a_superseded_memory_leaves_recall(ada: Person) -> None:
    old, new = ada.capture("The deploy day is Monday"), ada.capture("The deploy day is Tuesday")
    answer = ada.call("supersede", old_id=old, new_id=new, as_of="2026-01-02")
    assert answer["status"] == "superseded"
    assert [row["id"] for row in ada.call("recall", query_text="deploy day")] == [new]
    both = ada.call("recall", query_text="deploy day", include_superseded=True)
    assert {row["id"] for row in both} == {old, new}


def test_superseding_twice_changes_nothing(ada: Person) -> None:
    old, new = ada.capture("a is one"), ada.capture("a is two")
    first = ada.call("supersede", old_id=old, new_id=new, as_of="2026-01-02")
    again = ada.call("supersede", old_id=old, new_id=new, as_of="2026-02-02")
    assert (again["status"], again["valid_to"]) == ("exists", first["valid_to"])


def test_a_circle_is_refused(ada: Person) -> None:
    ids = [ada.capture(f"version {n}") for n in range(4)]
    for old, new in pairwise(ids):
        ada.call("supersede", old_id=old, new_id=new)
    with pytest.raises(psycopg.Error, match="was itself replaced") as refused:
        ada.call("supersede", old_id=ids[3], new_id=ids[0])
    assert refused.value.sqlstate == "PT409"


@pytest.mark.parametrize("field", ["old_id", "new_id"])
def test_anothers_memory_cannot_be_named(ada: Person, ben: Person, field: str) -> None:
    mine, theirs = ada.capture("mine"), ben.capture("theirs")
    ids: dict[str, UUID] = {"old_id": mine, "new_id": mine} | {field: theirs}
    with pytest.raises(psycopg.Error, match=f"{field}: is no memory of yours") as refused:
        ada.call("supersede", **ids)
    assert refused.value.sqlstate == "PT404"
