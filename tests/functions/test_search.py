"""Search and recall over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.functions import Functions
from tests.support.provider import Provider


@pytest.fixture
def filled(functions: Functions, db: Any, ada: str) -> Functions:
    for content in (
        "budget concerns about api calls",
        "the sourdough starter wants rye",
        "Maria signs on Friday",
    ):
        assert functions.post("/capture", {"content": content}, bearer=ada).status_code == 201
    return functions


def test_the_nearest_memory_is_first_with_its_score(filled: Functions, ada: str) -> None:
    answer = filled.post("/search", {"query": "budget of calls", "limit": 2}, bearer=ada).json()
    assert answer["hits"][0]["content"] == "budget concerns about api calls"
    assert 0 < answer["hits"][0]["score"] <= 1
    assert answer["degraded"] is None


def test_a_recall_reinforces_and_a_search_does_not(filled: Functions, db: Any, ada: str) -> None:
    filled.post("/search", {"query": "budget"}, bearer=ada)
    assert db.execute("select sum(access_count) from public.memory_activation").fetchone() == (0,)
    filled.post("/recall", {"query": "budget", "limit": 1, "reinforce": False}, bearer=ada)
    assert db.execute("select sum(access_count) from public.memory_activation").fetchone() == (0,)
    filled.post("/recall", {"query": "budget", "limit": 1}, bearer=ada)
    assert db.execute("select sum(access_count) from public.memory_activation").fetchone() == (1,)


def test_a_provider_that_is_away_leaves_the_search_by_words_and_the_answer_says_so(
    filled: Functions, provider: Provider, ada: str
) -> None:
    provider.always("500")
    answer = filled.post("/search", {"query": "sourdough"}, bearer=ada)
    assert answer.status_code == 200
    assert [hit["content"] for hit in answer.json()["hits"]] == ["the sourdough starter wants rye"]
    assert "only words were compared" in answer.json()["notice"]


@pytest.mark.parametrize("path", ["/search", "/recall"])
def test_c45_a_secret_in_a_query_does_not_reach_the_provider(
    filled: Functions, provider: Provider, ada: str, path: str
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    assert filled.post(path, {"query": f"where did I use {secret}"}, bearer=ada).status_code == 200
    assert provider.sent("embeddings")[-1]["input"] == ["where did I use [redacted:github_token]"]


def test_nothing_found_is_told_from_nothing_stored(filled: Functions, ada: str, ben: str) -> None:
    close = filled.post("/search", {"query": "quantum", "threshold": 0.99}, bearer=ada).json()
    assert close["hits"] == []
    assert close["explanation"]["memories"] == 3
    assert "Nothing is stored" in filled.post("/search", {"query": "quantum"}, bearer=ben).json()["notice"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "filter": {}}, "filter"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(
    functions: Functions, ada: str, body: dict[str, Any], field: str
) -> None:
    answer = functions.post("/search", body, bearer=ada)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_a_query_is_paid_for_and_noted(filled: Functions, db: Any, ada: str) -> None:
    db.execute("truncate public.model_calls")
    filled.post("/search", {"query": "budget"}, bearer=ada)
    assert db.execute("select purpose, memory_id from public.model_calls").fetchall() == [("embedding", None)]
