"""What a change of a memory changes with it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.database.conftest import Person


def test_after_an_edit_search_knows_the_new_words_only_case_c10(ada: Person) -> None:
    memory = ada.capture("Rae works at Alpha", embedding="[1,0,0]", extractor="caller")
    ada.query("update thoughts set content = 'Rae works at Beta' where id = %s", [memory])
    assert [h["id"] for h in ada.call("search_thoughts", query_text="Beta")] == [memory]
    assert ada.call("search_thoughts", query_text="Alpha") == []
    [row] = ada.query("select embedding, enrichment_status from memories")
    assert row == {"embedding": None, "enrichment_status": "pending"}


def test_new_words_with_their_vector_stay_searchable_by_meaning_case_c10(ada: Person) -> None:
    memory = ada.capture("Rae works at Alpha", embedding="[1,0,0]", extractor="caller")
    ada.query(
        "update memories set content = 'Rae works at Beta', embedding = '[0,1,0]' where id = %s", [memory]
    )
    [hit] = ada.call("search_thoughts", query_embedding="[0,1,0]")
    assert hit["similarity"] == pytest.approx(1)


def test_an_edit_that_changes_nothing_touches_nothing_case_c10(ada: Person) -> None:
    ada.capture("Rae works at Alpha", embedding="[1,0,0]", extractor="caller")
    before = ada.query("select updated_at, embedding::text, enrichment_status from memories")
    ada.query("update thoughts set content = 'Rae works at Alpha'")
    assert ada.query("select updated_at, embedding::text, enrichment_status from memories") == before
    assert ada.query("select 1 from memory_events where action = 'update'") == []


def test_an_edit_leaves_its_trace_with_before_and_after(ada: Person) -> None:
    ada.capture("Rae works at Alpha")
    ada.query("update thoughts set content = 'Rae works at Beta'")
    [event] = ada.query(
        "select actor, before->>'content' as b, after->>'content' as a"
        " from memory_events where action = 'update'"
    )
    assert event == {"actor": "authenticated", "b": "Rae works at Alpha", "a": "Rae works at Beta"}


def test_words_of_an_edited_thought_leave_its_neighbours_context(ada: Person) -> None:
    first = ada.capture("Shall we meet about the zeppelin?", session_id="s1")
    ada.capture("Yes, on Tuesday", session_id="s1")
    ada.query("update thoughts set content = 'Shall we meet?' where id = %s", [first])
    assert ada.call("search_thoughts", query_text="zeppelin") == []


def test_metadata_of_ones_own_does_not_unmake_a_checkpoint_or_open_a_task(ada: Person) -> None:
    ada.call("checkpoint", state=Jsonb({"step": 3}), as_of="2026-06-30")
    [saved] = ada.query("select id from memories")
    task = ada.capture("Renew the domain", due_at="2026-06-14", metadata='{"kind": "errand"}')
    ada.call("update_thought", id=task, done=True)
    for memory in (saved["id"], task):
        ada.call("update_thought", id=memory, metadata='{"project": "x"}')
    woken = ada.call("wake", as_of="2026-07-01")
    assert woken["checkpoint"]["state"] == {"step": 3}
    assert woken["overdue"]["count"] == 0
    [changed] = ada.query("select metadata from memories where id = %s", [task])
    assert set(changed["metadata"]) == {"project", "done_at"}


def test_a_task_done_under_new_words_fades_from_then_on(ada: Person, db: psycopg.Connection[Any]) -> None:
    task = ada.capture(
        "Pay the rent", due_at="2026-06-01", created_at="2026-01-01", extractor="x", embedding="[1,0,0]"
    )
    ada.call("update_thought", id=task, content="Paid the rent", done=True)
    [now] = ada.query("select strength from memory_activation where memory_id = %s", [task])
    assert now["strength"] == 1
    db.execute("select cortex.archive_faded(now())")
    assert [row["id"] for row in ada.call("list_thoughts")] == [task]


def test_ties_of_the_old_words_go_and_ties_made_by_hand_stay(ada: Person) -> None:
    tea = ada.capture("We drink tea", embedding="[1,0,0]")
    same = ada.capture("Tea is what we drink", embedding="[1,0.01,0]")
    other = ada.capture("The cups are blue", embedding="[0,0,1]")
    ada.call("link_memories", from_id=same, to_id=other, type="contradicts")
    ada.call("update_thought", id=same, content="The server is in Frankfurt", embedding="[0,1,0]")
    assert [(row["from_id"], row["to_id"]) for row in ada.call("review_queue")] == [(same, other)]
    assert ada.query("select 1 from memory_links where to_id = %s", [tea]) == []


def test_a_memory_cannot_change_hands(ada: Person, ben: Person) -> None:
    memory = ada.capture("mine")
    with pytest.raises(psycopg.Error):
        ada.query("update memories set owner_id = %s where id = %s", [ben.owner_id, memory])
    assert ben.query("select 1 from memories") == []


def test_nobody_can_rewrite_the_audit_trail(ada: Person, service: Person) -> None:
    ada.capture("something")
    for person in (ada, service):
        for attack in (
            "update memory_events set actor = 'me'",
            "delete from memory_events",
            "truncate memory_events",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                person.query(attack)
