"""Checkpoints, and the briefing a session begins with."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.database.conftest import Person

NOW = "2026-06-15T08:00:00Z"


def save(person: Person, state: object, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = person.call("checkpoint", state=Jsonb(state), **arguments)
    return answer


def test_the_last_checkpoint_is_what_a_session_wakes_up_with(ada: Person) -> None:
    save(ada, {"task": "draft"}, session_id="s1", as_of="2026-06-13")
    state = {"task": "video pipeline", "open": ["voice"], "nothing": None}
    saved = save(ada, state, title="Pipeline v3", session_id="s2", as_of="2026-06-14")
    checkpoint = ada.call("wake", as_of=NOW)["checkpoint"]
    assert (checkpoint["id"], checkpoint["title"]) == (saved["id"], "Pipeline v3")
    assert checkpoint["state"] == state
    assert ada.call("wake", session_id="s1", as_of=NOW)["checkpoint"]["state"] == {"task": "draft"}


def test_a_checkpoint_replaces_the_one_before_it_even_unchanged(ada: Person) -> None:
    first = save(ada, {"task": "draft"}, as_of="2026-06-13")
    second = save(ada, {"task": "draft"}, as_of="2026-06-14")
    assert (second["status"], second["replaced"]) == ("created", first["id"])
    assert [str(row["id"]) for row in ada.call("list_thoughts", tags=["checkpoint"])] == [second["id"]]
    assert ada.call("wake", as_of="2026-06-13T12:00:00Z")["checkpoint"]["id"] == first["id"]


def test_a_checkpoint_is_found_by_its_words(ada: Person) -> None:
    saved = save(ada, {"decision": "narration by Laura"})
    assert [str(row["id"]) for row in ada.call("search_thoughts", query_text="narration")] == [saved["id"]]


@pytest.mark.parametrize("state", [[1], "text", 3])
def test_a_state_that_is_no_object_is_refused(ada: Person, state: object) -> None:
    with pytest.raises(psycopg.Error, match="state: is not an object") as refused:
        save(ada, state)
    assert refused.value.sqlstate == "PT400"


def test_due_and_overdue_are_told_apart_by_the_clock(ada: Person) -> None:
    late = ada.call("remember", content="Renew the domain", due_at="2026-06-14")["id"]
    soon = ada.call("remember", content="Check SEO", due_at="2026-06-18")["id"]
    ada.call("remember", content="Plan 2027", due_at="2026-12-01")
    done = ada.call("remember", content="Call the notary", due_at="2026-06-10")["id"]
    ada.call("update_thought", id=done, done=True)
    briefing = ada.call("wake", as_of=NOW)
    assert [task["id"] for task in briefing["overdue"]["tasks"]] == [late]
    assert [task["id"] for task in briefing["due"]["tasks"]] == [soon]
    assert briefing["overdue"]["count"] == 1


def test_a_task_that_was_done_becomes_an_event_and_can_be_opened_again(ada: Person) -> None:
    task = ada.call("remember", content="Call the notary", due_at="2026-06-10")["id"]
    ada.call("update_thought", id=task, done=True, as_of="2026-06-09")
    assert ada.query("select store, metadata ? 'done_at' as done from memories") == [
        {"store": "episodic", "done": True}
    ]
    ada.call("update_thought", id=task, done=False)
    assert ada.query("select store, metadata from memories") == [{"store": "prospective", "metadata": {}}]


def test_recent_decisions_are_told_latest_first(ada: Person) -> None:
    for day in (1, 10, 12):
        ada.capture(f"Decision of day {day}", category="decision", occurred_at=f"2026-06-{day}")
    decisions = ada.call("wake", as_of=NOW)["decisions"]
    assert [d["content"] for d in decisions] == ["Decision of day 12", "Decision of day 10"]


def test_contradictions_and_duplicates_wait_for_review(ada: Person) -> None:
    ada.capture("The office is in Graz", embedding="[1,0,0]")
    ada.capture("Our office: Graz", embedding="[1,0.05,0]")
    review = ada.call("wake")["review"]
    assert (review["count"], review["pairs"][0]["kind"]) == (1, "duplicate")


def test_unused_knowledge_is_stale_and_what_is_nearly_gone_is_named(ada: Person) -> None:
    stale = ada.capture("The VAT rate is 20 %", store="semantic", pinned=True, created_at="2026-01-01")
    fading = ada.capture("The staging password was rotated", created_at="2026-05-05", category="event")
    ada.capture("Fresh news", created_at="2026-06-14", category="event")
    briefing = ada.call("wake", as_of=NOW)
    assert [m["id"] for m in briefing["stale"]] == [str(stale)]
    assert [m["id"] for m in briefing["fading"]["memories"]] == [str(fading)]
    assert briefing["fading"]["memories"][0]["fades_at"].startswith("2026-06-19")
    assert briefing["size"]["memories"] == 3
    assert briefing["size"]["new_7_days"] == 1


def test_a_namespace_wakes_to_its_own(ada: Person) -> None:
    save(ada, {"task": "work"}, namespace="work")
    ada.call("remember", content="Buy milk", due_at="2026-06-14", namespace="home")
    briefing = ada.call("wake", namespace="home", as_of=NOW)
    assert briefing["checkpoint"] is None
    assert briefing["overdue"]["count"] == 1
    assert ada.call("wake", namespace="work", as_of=NOW)["overdue"]["count"] == 0


def test_nobody_wakes_to_anothers_memories(ada: Person, ben: Person) -> None:
    save(ada, {"task": "secret"})
    ada.call("remember", content="Buy milk", due_at="2026-06-14", embedding="[1,0,0]")
    ada.capture("Buy some milk", category="decision", embedding="[1,0.01,0]", store="semantic")
    briefing = ben.call("wake", as_of=NOW, days=3650)
    assert briefing["checkpoint"] is None
    assert briefing["size"]["memories"] == briefing["overdue"]["count"] == briefing["review"]["count"] == 0
    assert briefing["decisions"] == briefing["stale"] == []


def test_jobs_that_never_ran_are_mentioned_case_c39(ada: Person, db: psycopg.Connection[Any]) -> None:
    assert {job["job"] for job in ada.call("wake")["late_jobs"]} >= {"decay", "consolidation"}
    db.execute("select cortex.run_due_jobs()")
    assert ada.call("wake")["late_jobs"] == []
