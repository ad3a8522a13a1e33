"""Capture over HTTP: stored whatever the provider does, once, with secrets masked and costs noted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions.conftest import memories
from tests.support.functions import Functions
from tests.support.provider import Provider

NOTE = "We decided to move the billing service to Hetzner, Maria will sign the contract"


def test_a_thought_is_embedded_tagged_and_answered_with_its_id(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    answer = functions.post("/capture", {"content": NOTE}, bearer=ada)
    assert answer.status_code == 201
    assert answer.json()["enrichment_status"] == "done"
    [stored] = memories(db)
    assert stored["id"] == answer.json()["id"]
    assert (stored["thought_type"], stored["category"]) == ("task", "decision")
    assert stored["extractor"].startswith("llm/gpt-4o-mini")
    assert stored["embedding_model"] == "text-embedding-3-small@64"
    assert len(provider.sent("embeddings")) == len(provider.sent("chat")) == 1


def test_what_the_caller_says_wins(functions: Functions, db: Any, ada: str) -> None:
    said = {
        "thought_type": "idea",
        "topics": ["money"],
        "store": "sensory",
        "occurred_at": "2026-05-01T10:00:00Z",
    }
    functions.post("/capture", {"content": NOTE} | said, bearer=ada)
    [stored] = memories(db)
    assert (stored["thought_type"], stored["topics"], stored["store"]) == ("idea", ["money"], "sensory")
    assert stored["occurred_at"].startswith("2026-05-01")


@pytest.mark.parametrize("fault", ["500", "429", "timeout", "drop", "401", "400"])
def test_c27_a_provider_that_fails_does_not_cost_the_thought(
    functions: Functions, db: Any, provider: Provider, ada: str, fault: str
) -> None:
    provider.hang = 0.2
    provider.always(fault)
    answer = functions.post("/capture", {"content": NOTE}, bearer=ada)
    assert (answer.status_code, answer.json()["enrichment_status"]) == (202, "pending")
    assert len(answer.json()["warnings"]) == 2
    [stored] = memories(db)
    assert (stored["content"], stored["embedding"]) == (NOTE, None)
    provider.always(None)
    assert functions.post("/health", {}, bearer=None).status_code == 405


@pytest.mark.parametrize(("only", "missing"), [("embeddings", "embedding"), ("chat", "extractor")])
def test_one_provider_may_fail_without_the_other(
    functions: Functions, db: Any, provider: Provider, ada: str, only: str, missing: str
) -> None:
    provider.always("500", only=only)
    assert functions.post("/capture", {"content": NOTE}, bearer=ada).status_code == 202
    [stored] = memories(db)
    assert [name for name in ("embedding", "extractor") if stored[name] is None] == [missing]


@pytest.mark.parametrize("fault", ["out_of_order", "base64"])
def test_c22_c26_odd_but_honest_vectors_are_used(
    functions: Functions, provider: Provider, ada: str, fault: str
) -> None:
    provider.always(fault, only="embeddings")
    assert functions.post("/capture", {"content": NOTE}, bearer=ada).status_code == 201


@pytest.mark.parametrize("fault", ["short", "index_range", "wrong_dimension", "zero", "nan", "html"])
def test_c22_c26_no_vector_is_stored_from_a_reply_that_cannot_be_trusted(
    functions: Functions, db: Any, provider: Provider, ada: str, fault: str
) -> None:
    provider.always(fault, only="embeddings")
    assert functions.post("/capture", {"content": NOTE}, bearer=ada).status_code == 202
    [stored] = memories(db)
    assert stored["embedding"] is None
    assert stored["extractor"] is not None


def test_c24_a_text_longer_than_any_context_is_stored_and_embedded(
    functions: Functions, db: Any, ada: str
) -> None:
    answer = functions.post("/capture", {"content": "会議室で資料を確認する" * 820}, bearer=ada)
    assert answer.json()["enrichment_status"] == "done"


def test_a_retry_with_its_key_or_with_the_same_words_stores_and_pays_once(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    first = functions.post("/capture", {"content": NOTE}, bearer=ada, idempotency_key="k1").json()
    paid = len(provider.requests)
    by_key = functions.post("/capture", {"content": "other words"}, bearer=ada, idempotency_key="k1")
    by_words = functions.post("/capture", {"content": f"  {NOTE}\n"}, bearer=ada)
    for again in (by_key, by_words):
        assert (again.status_code, again.json()["id"], again.json()["status"]) == (200, first["id"], "exists")
    assert len(memories(db)) == 1
    assert len(provider.requests) == paid


def test_c45_secrets_are_masked_before_they_leave_or_are_stored(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    answer = functions.post(
        "/capture", {"content": f"The deploy token is {secret}", "title": secret}, bearer=ada
    )
    assert answer.json()["redacted"]
    assert secret not in str(memories(db)) + str(provider.requests) + functions.log()


def test_c45_a_text_that_merely_talks_about_keys_is_untouched(
    functions: Functions, db: Any, ada: str
) -> None:
    answer = functions.post("/capture", {"content": "we have no API key"}, bearer=ada)
    assert answer.json()["redacted"] == []
    assert memories(db)[0]["content"] == "we have no API key"


def test_tokens_and_cost_are_noted_and_shown(functions: Functions, db: Any, ada: str) -> None:
    functions.post("/capture", {"content": NOTE}, bearer=ada)
    rows = db.execute(
        "select purpose, model, input_tokens > 0, cost_usd > 0 from public.model_calls order by purpose"
    ).fetchall()
    assert rows == [
        ("embedding", "text-embedding-3-small", True, True),
        ("extraction", "gpt-4o-mini", True, True),
    ]


def test_a_spent_budget_turns_to_rules_and_says_so(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    db.execute("update cortex.settings set value = '0' where key = 'monthly_budget_usd'")
    answer = functions.post("/capture", {"content": NOTE}, bearer=ada)
    assert answer.status_code == 201
    assert any("budget" in warning for warning in answer.json()["warnings"])
    assert memories(db)[0]["extractor"].startswith("rules/")
    assert provider.sent("chat") == []


def test_a_newer_thought_ends_the_one_it_supersedes(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    old = functions.post("/capture", {"content": "The office is in Lyon"}, bearer=ada).json()["id"]
    provider.answer = lambda _: {"title": "Move", "relations": [{"memory": "m1", "relation": "supersedes"}]}
    new = functions.post("/capture", {"content": "The office moved from Lyon to Paris"}, bearer=ada).json()[
        "id"
    ]
    assert {m["id"]: m["superseded_by"] for m in memories(db)} == {old: new, new: None}


def test_c17_nul_is_taken_out_before_a_provider_is_paid(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    answer = functions.post("/capture", {"content": "ab\0cd note", "metadata": {"k\0": "\0v"}}, bearer=ada)
    assert answer.status_code == 201
    stored = memories(db)[0]
    assert stored["content"] == "abcd note"
    assert stored["metadata"]["k"] == "v"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": "x" * 1_000_001}, "content"),
        ({"content": "a", "thought_type": "goal"}, "thought_type"),
        ({"content": "a", "confidence": 2}, "confidence"),
        ({"content": "a", "occurred_at": "yesterday"}, "occurred_at"),
        ({"content": "a", "owner_id": "someone"}, "owner_id"),
        ({"content": "a", "session_id": "s" * 300}, "session_id"),
    ],
)
def test_a_wrong_value_is_refused_by_name_before_a_provider_is_paid(
    functions: Functions, db: Any, provider: Provider, ada: str, body: dict[str, Any], field: str
) -> None:
    answer = functions.post("/capture", body, bearer=ada)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert memories(db) == []
    assert provider.requests == [] or field == "session_id"
