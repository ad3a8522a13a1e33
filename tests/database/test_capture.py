"""A thought is stored once, whole, and for its owner only."""

from __future__ import annotations

import psycopg
import pytest

from tests.database.conftest import Person


def test_a_repeat_answers_with_the_first_id(ada: Person) -> None:
    first = ada.call("capture_thought", content="I like tea")
    again = ada.call("capture_thought", content=" I  like tea\n")
    assert (again["id"], again["status"]) == (first["id"], "exists")


def test_two_owners_may_think_the_same(ada: Person, ben: Person) -> None:
    assert ada.capture("my home is X") != ben.capture("my home is X")
    assert [row["content"] for row in ben.query("select content from memories")] == ["my home is X"]


@pytest.mark.parametrize("blank", ["", "   ", "\n\t "])
def test_blank_content_is_refused_by_name_case_c23(ada: Person, blank: str) -> None:
    with pytest.raises(psycopg.Error, match="content: is blank") as refused:
        ada.call("capture_thought", content=blank)
    assert refused.value.sqlstate == "PT400"
