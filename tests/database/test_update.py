"""update_thought changes what is given and leaves the rest."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.database.conftest import Person


def test_only_what_is_given_changes(ada: Person) -> None:
    memory = ada.capture(
        "Rae works at Alpha", title="Rae", people=["Rae"], embedding="[1,0,0]", extractor="caller"
    )
    answer = ada.call("update_thought", id=memory, topics=["work"], confidence=0.5)
    assert (answer["status"], answer["enrichment_status"]) == ("updated", "done")
    [row] = ada.call("list_thoughts")
    assert (row["title"], row["people"], row["topics"], row["confidence"]) == ("Rae", ["Rae"], ["work"], 0.5)
    assert ada.call("search_thoughts", query_embedding="[1,0,0]")


def test_new_words_without_a_vector_go_back_to_the_queue_case_c10(ada: Person) -> None:
    memory = ada.capture("Rae works at Alpha", embedding="[1,0,0]", extractor="caller")
    answer = ada.call("update_thought", id=memory, content="Rae works at Beta")
    assert answer["enrichment_status"] == "pending"
    assert ada.call("search_thoughts", query_text="Alpha") == []
    assert ada.call("search_thoughts", query_embedding="[1,0,0]") == []
    answer = ada.call("update_thought", id=memory, content="Rae works at Gamma", embedding="[0,1,0]")
    assert answer["enrichment_status"] == "done"
    assert len(ada.call("search_thoughts", query_embedding="[0,1,0]")) == 1


def test_the_same_again_changes_nothing_case_c10(ada: Person) -> None:
    memory = ada.capture("Rae works at Alpha", topics=["work"])
    before = ada.query("select updated_at from memories")
    assert (
        ada.call("update_thought", id=memory, content="Rae works at Alpha", topics=["work"])["status"]
        == "unchanged"
    )
    assert ada.query("select updated_at from memories") == before


def test_columns_can_be_emptied_by_name(ada: Person) -> None:
    memory = ada.capture("Check SEO", title="SEO", due_at="2026-06-18", session_id="s")
    ada.call("update_thought", id=memory, clear=["title", "due_at", "session_id"])
    assert ada.query("select title, due_at, session_id from memories") == [
        {"title": None, "due_at": None, "session_id": None}
    ]
    with pytest.raises(psycopg.Error, match="clear: content cannot be empty"):
        ada.call("update_thought", id=memory, clear=["content"])


def test_metadata_is_replaced_as_sent_nulls_included(ada: Person) -> None:
    memory = ada.capture("x", metadata=Jsonb({"a": 1}))
    ada.call("update_thought", id=memory, metadata=Jsonb({"b": None}))
    assert ada.query("select metadata from memories") == [{"metadata": {"b": None}}]


def test_a_change_since_it_was_read_is_not_overwritten(ada: Person) -> None:
    memory = ada.capture("Rae works at Alpha")
    [read] = ada.query("select updated_at from memories")
    ada.call("update_thought", id=memory, content="Rae works at Beta")
    with pytest.raises(psycopg.Error, match="if_updated_at: it was changed") as refused:
        ada.call("update_thought", id=memory, content="Rae works at Gamma", if_updated_at=read["updated_at"])
    assert refused.value.sqlstate == "PT409"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"content": " "}, "content: is blank"),
        ({"store": "attic"}, "store: violates the rule store known"),
        ({"confidence": 2}, "confidence: violates"),
        ({"embedding": "[1,0]"}, "embedding: has 2 dimensions"),
        ({"embedding": "[0,0,0]"}, "embedding: is all zero"),
    ],
)
def test_a_wrong_value_is_refused_by_field_and_nothing_changes(
    ada: Person, wrong: dict[str, Any], message: str
) -> None:
    memory = ada.capture("Rae works at Alpha")
    with pytest.raises(psycopg.Error, match=message) as refused:
        ada.call("update_thought", **({"id": memory, "title": "new"} | wrong))
    assert refused.value.sqlstate == "PT400"
    assert ada.query("select title from memories") == [{"title": None}]


def test_words_that_are_stored_already_are_named_case_c37(ada: Person) -> None:
    memory, other = ada.capture("Rae works at Alpha"), ada.capture("Rae works at Beta")
    with pytest.raises(psycopg.Error, match=f"already stored as {other}") as refused:
        ada.call("update_thought", id=memory, content="Rae works at Beta")
    assert refused.value.sqlstate == "PT409"


def test_a_memory_moved_to_the_sensory_store_gets_its_time(ada: Person) -> None:
    memory = ada.capture("a remark")
    ada.call("update_thought", id=memory, store="sensory")
    [row] = ada.query("select expires_at > now() + interval '23 hours' as later from memories")
    assert row == {"later": True}
