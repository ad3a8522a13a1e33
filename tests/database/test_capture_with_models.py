"""Storing what the capture function found: relations, calls and their cost, in one transaction."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import Person


def store(person: Person, thought: dict[str, Any], **more: Any) -> dict[str, Any]:
    arguments = {name: json.dumps(value) for name, value in more.items()}
    answer: dict[str, Any] = person.call("store_capture", thought=json.dumps(thought), **arguments)
    return answer


def valid(db: psycopg.Connection[Any], memory: UUID) -> bool:
    found = db.execute("select valid_to is null from public.memories where id = %s", [memory]).fetchone()
    assert found is not None
    return bool(found[0])


def test_a_newer_statement_ends_the_older_one_and_says_so(ada: Person, db: Any) -> None:
    old = ada.capture("The office is in Lyon")
    new = store(
        ada, {"content": "The office moved to Paris"}, relations=[{"id": str(old), "relation": "supersedes"}]
    )
    assert not valid(db, old)
    assert ada.query("select type, to_id from memory_links where from_id = %s", [new["id"]]) == [
        {"type": "supersedes", "to_id": old}
    ]
    assert [t["id"] for t in ada.call("list_thoughts")] == [UUID(new["id"])]


def test_a_contradiction_keeps_both_and_ties_them(ada: Person, db: Any) -> None:
    old = ada.capture("The launch is in May")
    store(ada, {"content": "We launch in June"}, relations=[{"id": str(old), "relation": "contradicts"}])
    assert valid(db, old)
    assert ada.query("select type from memory_links") == [{"type": "contradicts"}]


def test_one_thought_ends_at_most_one_other_and_never_a_pinned_one(ada: Person, db: Any) -> None:
    pinned = ada.capture("Never deploy on Friday", pinned=True)
    first, second = ada.capture("Deploy on Monday"), ada.capture("Deploy on Tuesday")
    relations = [{"id": str(m), "relation": "supersedes"} for m in (pinned, first, second)]
    store(ada, {"content": "Deploy whenever"}, relations=relations)
    assert [valid(db, m) for m in (pinned, first, second)] == [True, False, True]


def test_anothers_memory_cannot_be_ended_or_tied(ada: Person, ben: Person, db: Any) -> None:
    other = ben.capture("Ben's home is in Rome")
    store(ada, {"content": "home"}, relations=[{"id": str(other), "relation": "supersedes"}])
    assert valid(db, other)
    assert db.execute("select count(*) from public.memory_links").fetchone() == (0,)


def test_before_a_capture_its_repeat_neighbours_and_session_are_known(ada: Person, ben: Person) -> None:
    ben.capture("the budget of Ben")
    first = ada.capture("the budget is 4,000", session_id="s")
    known = ada.call("prepare_capture", content="the budget is 5,000", session_id="s", with_neighbours=True)
    assert known["repeat"] is None
    assert known["previous"] == "the budget is 4,000"
    assert [n["id"] for n in known["neighbours"]] == [str(first)]
    assert known["embedding_dimensions"] == 3
    repeat = ada.call("prepare_capture", content="the budget is 4,000")["repeat"]
    assert (repeat["id"], repeat["status"]) == (str(first), "exists")


def test_calls_are_counted_by_day_and_against_the_budget(ada: Person, ben: Person, db: Any) -> None:
    calls = [
        {"purpose": "extraction", "model": "gpt-4o", "input_tokens": 100_000, "output_tokens": 25_000},
        {"purpose": "embedding", "model": "of no known price", "input_tokens": 5},
    ]
    db.execute("update cortex.settings set value = '0.75' where key = 'monthly_budget_usd'")
    store(ada, {"content": "a note"}, calls=calls)
    cost = ada.call("thought_stats")["cost"]
    assert (cost["calls"], cost["input_tokens"], cost["output_tokens"], cost["cost_usd"]) == (
        2,
        100_005,
        25_000,
        0.5,
    )
    assert (cost["month_usd"], cost["budget_spent"]) == (0.5, False)
    assert [day["calls"] for day in cost["days"]] == [2]
    ada.call("record_model_calls", calls=json.dumps(calls))
    assert ada.call("prepare_capture", content="x")["budget_spent"]
    assert not ben.call("prepare_capture", content="x")["budget_spent"]
    assert ben.query("select * from model_calls") == []


def test_a_person_cannot_write_their_bill_by_hand(ada: Person) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ada.query("insert into model_calls (owner_id, purpose, model) values (auth.uid(), 'embedding', 'e')")
    with pytest.raises(psycopg.errors.CheckViolation):
        ada.call(
            "record_model_calls",
            calls=json.dumps([{"purpose": "embedding", "model": "e", "input_tokens": -1}]),
        )


def test_the_kick_says_why_it_is_silent_where_there_is_no_pg_net(ada: Person, db: Any) -> None:
    ada.capture("waits")
    [(answer,)] = db.execute("select cortex.kick_enrichment()").fetchall()
    assert answer == {"kicked": False, "reason": "pg_net is not installed"}
