"""The SQL of the Open Brain write-up works on this schema as it is written there."""

from __future__ import annotations

import psycopg
import pytest

from tests.database.conftest import Person


def test_insert_into_thoughts_is_a_capture(ada: Person) -> None:
    [row] = ada.query(
        "insert into thoughts (content, embedding, thought_type, topics, people, actions)"
        " values ('Raise the price', '[1,2,3]', 'idea', '{pricing}', '{Rae}', '{call Rae}')"
        " returning id, thought_type, topics, people, actions, created_at"
    )
    assert (row["thought_type"], row["topics"], row["people"]) == ("idea", ["pricing"], ["Rae"])
    [again] = ada.query("insert into thoughts (content) values ('Raise the price') returning id")
    assert again["id"] == row["id"]


def test_columns_have_the_write_ups_defaults(ada: Person) -> None:
    ada.query("insert into thoughts (content) values ('only words')")
    [row] = ada.query("select * from thoughts")
    assert list(row) == [
        "id",
        "content",
        "embedding",
        "thought_type",
        "topics",
        "people",
        "actions",
        "created_at",
    ]
    assert (row["embedding"], row["thought_type"], row["topics"]) == (None, "observation", [])


@pytest.mark.parametrize(
    "vector", ["'[1,0,0]'", "'[1,0,0]'::vector", "'[1,0,0]'::vector(3)", "'[1,0,0]'::halfvec"]
)
def test_search_thoughts_takes_vector_threshold_and_count(ada: Person, vector: str) -> None:
    ada.query("insert into thoughts (content, embedding) values ('near', '[1,0.1,0]'), ('far', '[0,0,1]')")
    rows = ada.query(f"select id, content, similarity from search_thoughts({vector}, 0.5, 10)")
    assert [row["content"] for row in rows] == ["near"]
    assert rows[0]["similarity"] == pytest.approx(0.995, abs=1e-3)


def test_the_write_ups_own_query_runs_on_the_view(ada: Person) -> None:
    ada.query("insert into thoughts (content, embedding) values ('near', '[1,0.1,0]'), ('far', '[0,0,1]')")
    rows = ada.query(
        "select id, content, 1 - (embedding <=> '[1,0,0]') as similarity from thoughts"
        " where 1 - (embedding <=> '[1,0,0]') > 0.5 order by similarity desc limit 10"
    )
    assert [row["content"] for row in rows] == ["near"]


def test_update_and_delete_through_the_view_reach_the_memory(ada: Person) -> None:
    ada.query("insert into thoughts (content) values ('draft'), ('other')")
    ada.query("update thoughts set thought_type = 'task' where content = 'draft'")
    ada.query("delete from thoughts where content = 'other'")
    assert ada.query("select content, thought_type from memories") == [
        {"content": "draft", "thought_type": "task"}
    ]


def test_a_blank_insert_is_refused(ada: Person) -> None:
    with pytest.raises(psycopg.Error, match="content: is blank"):
        ada.query("insert into thoughts (content) values ('  ')")
