"""The worker finishes what captures left open, and one bad memory never holds up the rest."""

from __future__ import annotations

from typing import Any

from tests.functions.conftest import memories
from tests.support.functions import Functions
from tests.support.provider import Provider


def leave_pending(functions: Functions, provider: Provider, bearer: str, count: int) -> None:
    provider.always("400")
    for i in range(count):
        answer = functions.post("/capture", {"content": f"note {i} about Maria"}, bearer=bearer)
        assert answer.status_code == 202
    provider.reset()


def due_now(db: Any) -> None:
    db.execute("update public.memories set enrichment_next_at = null where enrichment_status = 'pending'")


def test_a_backlog_is_drained_in_batches(functions: Functions, db: Any, provider: Provider, ada: str) -> None:
    leave_pending(functions, provider, ada, 25)
    answer = functions.enrich()
    assert answer == {
        "claimed": 25,
        "done": 25,
        "pending": 0,
        "failed": 0,
        "changed": 0,
        "stopped": "drained",
    }
    assert all(m["enrichment_status"] == "done" and m["title"] for m in memories(db))
    assert len(provider.sent("embeddings")) == 2, "a batch is embedded by one request"
    assert len(provider.sent("chat")) == 25


def test_the_limit_of_a_call_is_kept(functions: Functions, db: Any, provider: Provider, ada: str) -> None:
    leave_pending(functions, provider, ada, 5)
    answer = functions.enrich(limit=2)
    assert (answer["claimed"], answer["done"], answer["stopped"]) == (2, 2, "limit")


def test_an_enriched_memory_is_found_by_meaning(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    leave_pending(functions, provider, ada, 3)
    functions.enrich()
    hits = functions.post("/search", {"query": "note 1 about Maria"}, bearer=ada).json()["hits"]
    assert "vector" in hits[0]["found_by"]


def test_a_poisoned_memory_is_set_aside_and_the_rest_go_on(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    leave_pending(functions, provider, ada, 4)
    db.execute("update public.memories set content = repeat('§', 300) where content like 'note 2%'")
    provider.context = 10  # the poison cannot be cut finely enough
    try:
        answer = functions.enrich()
    finally:
        provider.context = 8192
    assert (answer["done"], answer["failed"]) == (3, 1)
    [failed] = [m for m in memories(db) if m["enrichment_status"] == "failed"]
    assert failed["content"].startswith("§")
    assert failed["enrichment_error"]


def test_c30_an_outage_stops_the_worker_and_costs_no_attempt(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    leave_pending(functions, provider, ada, 3)
    provider.always("503")
    answer = functions.enrich()
    assert answer["stopped"].startswith("provider: ")
    assert {m["enrichment_attempts"] for m in memories(db)} == {0}
    assert all(m["enrichment_next_at"] for m in memories(db)), "they wait, and are not asked for at once"
    provider.reset()
    due_now(db)
    assert functions.enrich()["done"] == 3


def test_a_wrong_key_sends_nobody_to_the_dead_letters(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    leave_pending(functions, provider, ada, 2)
    provider.always("401")
    assert "HTTP 401" in functions.enrich()["stopped"]
    assert {m["enrichment_status"] for m in memories(db)} == {"pending"}


def test_c30_failed_extraction_is_not_an_empty_result(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    provider.always("400")
    for content in ("apples are red", "trains run late", "Maria plays chess"):
        functions.post("/capture", {"content": content}, bearer=ada)
    provider.reset()
    provider.rule = lambda path, body: "500" if "chat" in path and "trains" in str(body) else None
    functions.enrich()
    states = sorted(m["enrichment_status"] for m in memories(db))
    assert states == ["done", "done", "pending"]
    provider.reset()
    due_now(db)
    assert functions.enrich()["done"] == 1


def test_two_workers_share_the_queue_without_doing_anything_twice(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    leave_pending(functions, provider, ada, 30)
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: functions.enrich(), range(3)))
    assert sum(answer["done"] for answer in answers) == 30
    assert len(provider.sent("chat")) == 30


def test_a_budget_that_is_spent_leaves_the_queue_to_the_rules(
    functions: Functions, db: Any, provider: Provider, ada: str
) -> None:
    leave_pending(functions, provider, ada, 2)
    db.execute("update cortex.settings set value = '0' where key = 'monthly_budget_usd'")
    assert functions.enrich()["done"] == 2
    assert provider.sent("chat") == []
    assert all(m["extractor"].startswith("rules/") for m in memories(db))
