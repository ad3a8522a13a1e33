"""Memories of one subject that are about to expire become one, in the model's words if it keeps to them."""

from __future__ import annotations

from typing import Any

from tests.functions.conftest import memories
from tests.support.functions import WORKER_SECRET, Functions
from tests.support.provider import Provider

SAID = [
    "The Lisbon offsite starts on 14 June with 12 people",
    "The Lisbon offsite starts on 14 June with 12 people and costs 4800 euros",
]


def fill(functions: Functions, bearer: str) -> None:
    for content in SAID:
        answer = functions.post("/capture", {"content": content, "store": "sensory"}, bearer=bearer)
        assert answer.status_code == 201


def consolidate(functions: Functions) -> dict[str, Any]:
    answer = functions.post("/consolidate", {}, bearer=WORKER_SECRET)
    assert answer.status_code == 200, answer.text
    counts: dict[str, Any] = answer.json()
    return counts


def test_c36_a_summary_by_the_model_keeps_every_number_and_its_sources(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    fill(functions, ada)
    provider.answer = lambda _: {"title": "Lisbon offsite", "summary": "The offsite in Lisbon is on 14 June."}
    assert consolidate(functions) == {"claimed": 1, "consolidated": 1, "stale": 0}
    [summary] = [m for m in memories(db) if m["archived_at"] is None]
    assert summary["title"] == "Lisbon offsite"
    assert summary["extractor"].startswith("llm/")
    assert all(number in summary["content"] for number in ("14", "12", "4800"))
    assert {m["content"] for m in memories(db) if m["archived_at"]} == set(SAID)
    paid = db.execute(
        "select memory_id::text from public.model_calls where purpose = 'consolidation'"
    ).fetchall()
    assert paid == [(summary["id"],)]
    assert consolidate(functions)["claimed"] == 0


def test_a_model_that_is_away_leaves_the_sources_own_words(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    fill(functions, ada)
    provider.always("500", only="chat")
    assert consolidate(functions)["consolidated"] == 1
    [summary] = [m for m in memories(db) if m["archived_at"] is None]
    assert all(number in summary["content"] for number in ("14", "12", "4800"))


def test_a_budget_that_is_spent_leaves_the_sources_own_words(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    fill(functions, ada)
    asked = len(provider.sent("chat"))
    db.execute("update cortex.settings set value = '0' where key = 'monthly_budget_usd'")
    assert consolidate(functions)["consolidated"] == 1
    assert len(provider.sent("chat")) == asked
    [summary] = [m for m in memories(db) if m["archived_at"] is None]
    assert not summary["extractor"].startswith("llm/")
    assert all(number in summary["content"] for number in ("14", "12", "4800"))
