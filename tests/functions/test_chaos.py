"""200 captures while the provider fails at random and the functions die once: nothing lost, nothing twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from tests.functions.conftest import memories
from tests.support.functions import WORKER_SECRET, Functions
from tests.support.provider import Provider

CAPTURES = 200


@pytest.fixture
def mortal(environment: dict[str, str], db: Any, provider: Provider) -> Iterator[Functions]:
    """Functions of this test's own, to be killed."""
    settings = {
        "PGCORTEX_PROVIDER_WAIT": "0.05",
        "PGCORTEX_PROVIDER_ATTEMPTS": "2",
        "PGCORTEX_WORKER_SECONDS": "5",
    }
    with Functions(environment | settings) as functions:
        yield functions


def capture_until_answered(functions: Functions, bearer: str, number: int) -> str:
    """Send one thought as a careful client does: the same key again until there is an answer."""
    for _ in range(200):
        try:
            answer = functions.post(
                "/capture",
                {"content": f"thought {number} of the storm"},
                bearer=bearer,
                idempotency_key=f"k{number}",
            )
        except httpx.TransportError:
            time.sleep(0.1)
            continue
        assert answer.status_code in (200, 201, 202), answer.text
        return str(answer.json()["id"])
    raise AssertionError(f"thought {number} was never answered")


@pytest.mark.slow
def test_every_thought_is_there_once_and_enriched_in_the_end(
    mortal: Functions, db: Any, provider: Provider, ada: str
) -> None:
    db.execute("update cortex.settings set value = '1' where key ~ '^enrichment_(lease|wait)_seconds$'")
    provider.fail_randomly(0.3, seed=11)
    half_way = Event()

    def die_once() -> None:
        half_way.wait()
        mortal.kill()
        mortal.start()

    killer = Thread(target=die_once)
    killer.start()

    def work(number: int) -> str:
        if number == CAPTURES // 2:
            half_way.set()
        return capture_until_answered(mortal, ada, number)

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(CAPTURES)))
    killer.join()
    stored = memories(db)
    assert sorted(m["id"] for m in stored) == sorted(set(ids))
    assert len(stored) == CAPTURES
    assert 0 < sum(m["enrichment_status"] == "pending" for m in stored) < CAPTURES

    for _ in range(100):
        answer = mortal.post("/enrich", {}, bearer=WORKER_SECRET)
        assert answer.status_code == 200, answer.text
        waiting = sum(m["enrichment_status"] == "pending" for m in memories(db))
        if waiting == 0:
            break
        db.execute("update public.memories set enrichment_next_at = now() where enrichment_next_at > now()")
    finished = memories(db)
    assert [m["enrichment_status"] for m in finished] == ["done"] * CAPTURES
    assert all(m["title"] and m["embedding"] and m["extractor"].startswith("llm/") for m in finished)
    assert sorted(m["content"] for m in finished) == sorted(
        f"thought {n} of the storm" for n in range(CAPTURES)
    )
