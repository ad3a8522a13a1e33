"""Recall counts every access, at once, and never stands in the way of an answer."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import ADA, Person


def together(dsn: str, people: int, act: Callable[[Person, int], object]) -> list[BaseException]:
    """Let that many people act at the same moment, each over a connection of their own."""
    start = threading.Barrier(people)
    failures: list[BaseException] = []

    def run(number: int) -> None:
        with psycopg.connect(dsn, autocommit=True) as conn:
            person = Person(conn, ADA)
            start.wait()
            try:
                act(person, number)
            except psycopg.Error as error:
                failures.append(error)

    threads = [threading.Thread(target=run, args=[n]) for n in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_a_hundred_parallel_recalls_are_a_hundred_accesses_case_c34(
    ada: Person, worker_database: str
) -> None:
    ada.capture("the zeppelin lands at noon")
    failures = together(
        worker_database,
        20,
        lambda person, _: [person.call("recall", query_text="zeppelin") for _ in range(5)],
    )
    assert failures == []
    [row] = ada.query("select access_count, strength from memory_activation")
    assert row["access_count"] == 100
    assert 0.99 < row["strength"] <= 1


def test_parallel_recalls_of_overlapping_memories_do_not_deadlock_case_c34(
    ada: Person, worker_database: str
) -> None:
    for n in range(8):
        ada.capture(f"the zeppelin {n} lands", people=[f"Pilot{n}"])
    failures = together(
        worker_database,
        4,
        lambda person, n: [
            person.call("recall", query_text=f"zeppelin {(n + k) % 8}", match_count=3) for k in range(10)
        ],
    )
    assert failures == []
    [total] = ada.query("select sum(access_count) as n from memory_activation")
    assert total["n"] == 4 * 10 * 3


def test_strength_comes_from_the_version_that_was_locked_case_c34(ada: Person, worker_database: str) -> None:
    ada.capture("the zeppelin lands", created_at="2026-01-01")
    [memory] = ada.query("select id from memories")
    day_ten = "2026-01-11"
    with psycopg.connect(worker_database) as first:
        first.execute("select cortex.touch(%s, array[%s::uuid], %s)", [ADA, memory["id"], day_ten])
        second = threading.Thread(
            target=together,
            args=[worker_database, 1, lambda p, _: p.call("mark_used", ids=[memory["id"]], as_of=day_ten)],
        )
        second.start()
        time.sleep(0.3)
        first.commit()
        second.join()
    [row] = ada.query("select strength, access_count from memory_activation")
    assert row["access_count"] == 2
    assert row["strength"] == pytest.approx(0.84 + 0.16 * 0.2)


def test_the_last_access_never_moves_back_case_c34(ada: Person) -> None:
    memory = ada.capture("the zeppelin lands", created_at="2026-01-01")
    ada.call("mark_used", ids=[memory], as_of="2026-02-01")
    ada.call("mark_used", ids=[memory], as_of="2026-01-15")
    [row] = ada.query("select last_accessed_at::date::text as day, access_count from memory_activation")
    assert row == {"day": "2026-02-01", "access_count": 2}


def test_a_row_that_stays_locked_costs_a_second_and_no_answer_case_c34(
    ada: Person, worker_database: str
) -> None:
    ada.capture("the zeppelin lands at noon")
    with psycopg.connect(worker_database) as other:
        other.execute("select 1 from memory_activation for update")
        started = time.monotonic()
        hits = ada.call("recall", query_text="zeppelin")
        waited = time.monotonic() - started
    assert [hit["content"] for hit in hits] == ["the zeppelin lands at noon"]
    assert waited < 3
    assert ada.query("select access_count from memory_activation") == [{"access_count": 0}]
    assert ada.query("select current_setting('lock_timeout') as t") == [{"t": "0"}]


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read"])
def test_a_read_only_transaction_recalls_without_touching(
    ada: Person, worker_database: str, isolation: str
) -> None:
    ada.capture("the zeppelin lands at noon")
    with psycopg.connect(worker_database) as standby:
        standby.execute(f"set transaction read only, isolation level {isolation}".encode())
        claims = json.dumps({"role": "authenticated", "sub": str(ADA)})
        standby.execute("select set_config('request.jwt.claims', %s, true)", [claims])
        standby.execute("set local role authenticated")
        rows = standby.execute("select content from public.recall(query_text => 'zeppelin')").fetchall()
    assert rows == [("the zeppelin lands at noon",)]
    assert ada.query("select access_count from memory_activation") == [{"access_count": 0}]


def test_recall_can_be_asked_not_to_reinforce(ada: Person) -> None:
    ada.capture("the zeppelin lands at noon")
    ada.call("recall", query_text="zeppelin", reinforce=False)
    assert ada.query("select access_count from memory_activation") == [{"access_count": 0}]


def test_used_memories_are_marked_and_unknown_ones_named(ada: Person, ben: Person) -> None:
    mine, theirs = ada.capture("mine"), ben.capture("theirs")
    answer = ada.call("mark_used", ids=[mine, mine, theirs])
    assert answer == {"used": 1, "unknown": [str(theirs)]}
    assert ada.query("select access_count from memory_activation") == [{"access_count": 1}]
    assert ben.query("select access_count from memory_activation") == [{"access_count": 0}]
    [event] = ada.query("select action, after from memory_events where action = 'use'")
    assert [UUID(i) for i in event["after"]["ids"]] == [mine]
