"""The queue of memories that wait for an embedding or metadata, and what enrichment may change."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import ADA, Person

VECTOR = "[1,0,0]"
MODEL = "text-embedding-3-small@3"


def claim(service: Person, batch: int = 10, **more: Any) -> list[dict[str, Any]]:
    return list(service.call("claim_enrichment", batch=batch, **more))


def complete(service: Person, claimed: dict[str, Any], **found: Any) -> dict[str, Any]:
    if "metadata" in found:
        found["metadata"] = json.dumps(found["metadata"])
    for name in ("relations", "calls"):
        if name in found:
            found[name] = json.dumps(found[name])
    answer: dict[str, Any] = service.call(
        "complete_enrichment",
        owner_id=claimed["owner_id"],
        id=claimed["id"],
        content_hash=claimed["content_hash"],
        **found,
    )
    return answer


def row(db: psycopg.Connection[Any], memory: UUID) -> dict[str, Any]:
    cursor = db.execute("select to_jsonb(m) from public.memories m where id = %s", [memory])
    found: dict[str, Any] = cursor.fetchone()[0]  # type: ignore[index]
    return found


FOUND = {
    "title": "A plan",
    "thought_type": "task",
    "topics": ["plan"],
    "category": "goal",
    "extractor": "llm/m/1",
}


def test_a_claimed_memory_is_hidden_until_its_lease_ends(ada: Person, service: Person) -> None:
    memory = ada.capture("call the bank")
    [first] = claim(service, lease_seconds=2)
    assert (first["id"], first["needs_embedding"], first["needs_metadata"]) == (memory, True, True)
    assert claim(service) == []
    service.query("select pg_sleep(2.1)")
    [again] = claim(service)
    assert again["attempts"] == 2


def test_two_workers_never_get_the_same_memory(
    ada: Person, service: Person, db: psycopg.Connection[Any]
) -> None:
    for i in range(40):
        ada.capture(f"note {i}")

    def work(_: int) -> list[UUID]:
        with psycopg.connect(db.info.dsn, autocommit=True) as conn:
            return [c["id"] for c in claim(Person(conn, None, "service_role"), batch=7)]

    with ThreadPoolExecutor(6) as pool:
        claimed = [memory for part in pool.map(work, range(6)) for memory in part]
    assert len(claimed) == len(set(claimed)) == 40


def test_a_complete_result_makes_the_memory_done_and_findable(ada: Person, service: Person, db: Any) -> None:
    memory = ada.capture("call the bank")
    [claimed] = claim(service)
    answer = complete(service, claimed, metadata=FOUND, embedding=VECTOR, embedding_model=MODEL)
    assert answer["enrichment_status"] == "done"
    stored = row(db, memory)
    assert (stored["title"], stored["thought_type"], stored["topics"]) == ("A plan", "task", ["plan"])
    hits = ada.call("search_thoughts", query_embedding=VECTOR, match_threshold=0.5)
    assert [hit["id"] for hit in hits] == [memory]


def test_half_a_result_is_kept_and_the_rest_stays_pending(ada: Person, service: Person, db: Any) -> None:
    memory = ada.capture("call the bank")
    [claimed] = claim(service, lease_seconds=0)
    assert complete(service, claimed, metadata=FOUND)["enrichment_status"] == "pending"
    [again] = claim(service)
    assert (again["id"], again["needs_embedding"], again["needs_metadata"]) == (memory, True, False)
    assert complete(service, again, embedding=VECTOR, embedding_model=MODEL)["enrichment_status"] == "done"
    assert row(db, memory)["title"] == "A plan"


def test_what_the_caller_set_is_left_alone_even_at_its_default(ada: Person, service: Person, db: Any) -> None:
    memory = ada.capture("call the bank", thought_type="observation", topics=["money"])
    [claimed] = claim(service)
    complete(service, claimed, metadata=FOUND)
    stored = row(db, memory)
    assert (stored["thought_type"], stored["topics"], stored["category"]) == (
        "observation",
        ["money"],
        "goal",
    )


def test_words_edited_meanwhile_are_not_given_old_findings(ada: Person, service: Person, db: Any) -> None:
    memory = ada.capture("Rae works at Alpha")
    [claimed] = claim(service)
    db.execute("update public.memories set content = 'Rae works at Beta' where id = %s", [memory])
    answer = complete(service, claimed, metadata=FOUND, embedding=VECTOR, embedding_model=MODEL)
    assert answer["status"] == "changed"
    stored = row(db, memory)
    assert (stored["embedding"], stored["title"], stored["enrichment_status"]) == (None, None, "pending")


def test_the_same_result_twice_changes_nothing(ada: Person, service: Person, db: Any) -> None:
    memory = ada.capture("call the bank")
    [claimed] = claim(service)
    for _ in range(2):
        complete(service, claimed, metadata=FOUND, embedding=VECTOR, embedding_model=MODEL)
        first = row(db, memory)
    assert row(db, memory) == first


def test_c30_a_failure_waits_longer_each_time_and_ends_in_sight(
    ada: Person, service: Person, db: Any
) -> None:
    db.execute("update cortex.settings set value = '3' where key = 'enrichment_attempts'")
    memory = ada.capture("call the bank")
    waits = []
    for _ in range(3):
        db.execute("update public.memories set enrichment_next_at = null")
        [claimed] = claim(service)
        service.call("fail_enrichment", owner_id=ADA, id=memory, error="HTTP 500")
        waits.append(
            db.execute(
                "select extract(epoch from enrichment_next_at - clock_timestamp()) from public.memories"
            ).fetchone()[0]
        )
    assert 20 < waits[0] < 31 < waits[1] < 61
    assert claimed["attempts"] == 3
    [failed] = ada.query("select f from failed_enrichment() f")
    assert (failed["f"]["id"], failed["f"]["error"]) == (str(memory), "HTTP 500")
    assert ada.call("thought_stats")["backlog"]["failed"] == 1
    assert ada.call("requeue_enrichment") == 1
    assert [c["id"] for c in claim(service)] == [memory]


def test_c30_a_memory_that_kills_its_worker_is_set_aside_in_the_end(
    ada: Person, service: Person, db: Any
) -> None:
    db.execute("update cortex.settings set value = '2' where key = 'enrichment_attempts'")
    memory = ada.capture("the poison")
    fine = ada.capture("a fine note")
    for _ in range(3):
        claimed = {c["id"] for c in claim(service, lease_seconds=0)}
        db.execute("update public.memories set enrichment_attempts = 0 where id = %s", [fine])
    assert claimed == {fine}
    assert row(db, memory)["enrichment_status"] == "failed"


def test_an_outage_of_the_provider_costs_no_attempt(ada: Person, service: Person, db: Any) -> None:
    memory = ada.capture("call the bank")
    claim(service)
    service.call("fail_enrichment", owner_id=ADA, id=memory, error="away", retry_after=120, counted=False)
    stored = row(db, memory)
    assert (stored["enrichment_attempts"], stored["enrichment_status"]) == (0, "pending")
    assert claim(service) == []


def test_a_refusal_for_good_is_set_aside_at_once(ada: Person, service: Person) -> None:
    memory = ada.capture("call the bank")
    claim(service)
    answer = service.call("fail_enrichment", owner_id=ADA, id=memory, error="HTTP 400", permanent=True)
    assert answer["enrichment_status"] == "failed"


@pytest.mark.parametrize("function", ["claim_enrichment", "complete_enrichment", "fail_enrichment"])
@pytest.mark.parametrize("role", ["anon", "authenticated"])
def test_only_the_worker_may_touch_the_queue(db: Any, function: str, role: str) -> None:
    [(allowed,)] = db.execute(
        "select has_function_privilege(%s, p.oid, 'execute') from pg_proc p where proname = %s",
        [role, function],
    ).fetchall()
    assert not allowed


def test_nobody_requeues_or_sees_anothers_failures(ada: Person, ben: Person, service: Person) -> None:
    memory = ada.capture("call the bank")
    claim(service)
    service.call("fail_enrichment", owner_id=ADA, id=memory, error="no", permanent=True)
    assert ben.query("select * from failed_enrichment()") == []
    assert ben.call("requeue_enrichment") == 0
