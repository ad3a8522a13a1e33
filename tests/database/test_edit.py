"""What a change of a memory changes with it."""

from __future__ import annotations

import psycopg
import pytest

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
