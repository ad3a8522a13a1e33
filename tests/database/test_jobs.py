"""Jobs run when they are due, once, and say how it went, with or without a scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.database.conftest import Person

ALL = ["consolidation", "cleanup", "decay", "promotion", "enrichment"]


def run_due(db: psycopg.Connection[Any], at: str) -> list[dict[str, Any]]:
    return [row[0] for row in db.execute("select cortex.run_due_jobs(%s)", [at]).fetchall()]


def status(db: psycopg.Connection[Any], job: str, at: str) -> dict[str, Any]:
    row = db.execute("select to_jsonb(s) from cortex.job_status(%s) s where s.job = %s", [at, job]).fetchone()
    assert row is not None
    found: dict[str, Any] = row[0]
    return found


def test_every_job_is_due_at_first_and_consolidation_comes_before_the_clean_up_case_c39(
    db: psycopg.Connection[Any],
) -> None:
    assert [run["job"] for run in run_due(db, "2026-01-01")] == ALL
    assert {run["status"] for run in run_due(db, "2026-01-03")} == {"done"}


def test_a_job_is_due_again_after_its_interval_case_c39(db: psycopg.Connection[Any]) -> None:
    run_due(db, "2026-01-01T00:00:00Z")
    assert run_due(db, "2026-01-01T00:00:30Z") == []
    assert [run["job"] for run in run_due(db, "2026-01-01T12:00:00Z")] == ["consolidation", "enrichment"]
    assert [run["job"] for run in run_due(db, "2026-01-02T00:00:00Z")] == ALL


def test_three_missed_days_are_caught_up_by_one_run_case_c39(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    run_due(db, "2026-01-01")
    for day in (1, 2, 3):
        ada.capture(f"memory of day {day}", created_at=f"2026-01-0{day}")
    [decay] = [run for run in run_due(db, "2026-02-16") if run["job"] == "decay"]
    assert decay["result"] == {"archived": 2}
    [decay] = [run for run in run_due(db, "2026-02-17") if run["job"] == "decay"]
    assert decay["result"] == {"archived": 1}


def test_the_status_tells_the_last_run_the_next_and_whether_it_is_late_case_c39(
    db: psycopg.Connection[Any],
) -> None:
    assert status(db, "decay", "2026-01-01")["late"] is True
    run_due(db, "2026-01-01T00:00:00Z")
    told = status(db, "decay", "2026-01-02T12:00:00Z")
    assert (told["last_status"], told["last_result"], told["late"]) == ("done", {"archived": 0}, False)
    assert (told["last_run_at"][:10], told["next_run_at"][:10]) == ("2026-01-01", "2026-01-02")
    assert (told["run_by"], told["schedule"]) == ("run_due_jobs", "every 1 day")
    assert status(db, "decay", "2026-01-04T00:00:00Z")["late"] is True


def test_a_failure_is_recorded_and_tried_again(ada: Person, db: psycopg.Connection[Any]) -> None:
    ada.capture("old", created_at="2025-01-01")
    db.execute("""
        create function pg_temp.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no room'; end $$;
        create trigger refuse before update on public.memories for each row execute function pg_temp.refuse();
    """)
    try:
        runs = {run["job"]: run for run in run_due(db, "2026-01-01")}
    finally:
        db.execute("drop trigger refuse on public.memories")
    assert (runs["decay"]["status"], runs["decay"]["error"]) == ("failed", "no room")
    assert runs["promotion"]["status"] == "done"
    assert (status(db, "decay", "2026-01-01")["last_error"], status(db, "decay", "2026-01-01")["late"]) == (
        "no room",
        True,
    )
    assert {run["job"]: run["result"] for run in run_due(db, "2026-01-01T00:00:10Z")} == {
        "decay": {"archived": 1}
    }


def test_a_clock_that_jumped_and_came_back_does_not_hide_that_a_job_is_late(
    db: psycopg.Connection[Any],
) -> None:
    for at in ("2031-01-01", "2026-12-01"):
        db.execute("select cortex.run_job('decay', %s)", [at])
    told = status(db, "decay", "2027-06-01")
    assert told["late"] is True
    assert (told["last_run_at"][:10], told["next_run_at"][:10]) == ("2026-12-01", "2026-12-02")


def test_a_job_that_runs_out_of_time_is_recorded_as_failed(ada: Person, db: psycopg.Connection[Any]) -> None:
    ada.capture("old", created_at="2025-01-01")
    db.execute("""
        create function pg_temp.dawdle() returns trigger language plpgsql as
        $$ begin perform pg_sleep(60); return new; end $$;
        create trigger dawdle before update on public.memories for each row execute function pg_temp.dawdle();
    """)
    try:
        db.execute("set statement_timeout = '1s'")
        row = db.execute("select cortex.run_job('decay', '2026-01-01')").fetchone()
    finally:
        db.execute("set statement_timeout = 0")
        db.execute("drop trigger dawdle on public.memories")
    assert row is not None
    assert row[0]["status"] == "failed"
    told = status(db, "decay", "2026-01-01")
    assert told["last_status"] == "failed"
    assert "statement timeout" in told["last_error"]


def test_a_job_that_runs_elsewhere_is_left_alone(db: psycopg.Connection[Any], worker_database: str) -> None:
    with psycopg.connect(worker_database) as other:
        other.execute("select cortex.run_job('decay', '2026-01-01')")
        row = db.execute("select cortex.run_job('decay', '2026-01-01')").fetchone()
        assert row == ({"job": "decay", "status": "running elsewhere"},)
    assert db.execute("select count(*) from cortex.job_runs").fetchone() == (1,)


def test_only_the_latest_hundred_runs_are_kept(db: psycopg.Connection[Any]) -> None:
    db.execute(
        "select cortex.run_job('enrichment', timestamptz '2026-01-01' + n * interval '1 min')"
        " from generate_series(1, 120) n"
    )
    assert db.execute("select count(*), max(at)::text like '%% 02:00%%' from cortex.job_runs").fetchone() == (
        100,
        True,
    )


@pytest.fixture
def decay_off(db: psycopg.Connection[Any]) -> Iterator[None]:
    db.execute("update cortex.jobs set enabled = false where name = 'decay'")
    yield
    db.execute("update cortex.jobs set enabled = true where name = 'decay'")


@pytest.mark.usefixtures("decay_off")
def test_a_disabled_job_is_neither_run_nor_late(db: psycopg.Connection[Any]) -> None:
    assert "decay" not in [run["job"] for run in run_due(db, "2026-01-01")]
    told = status(db, "decay", "2026-01-01")
    assert (told["late"], told["next_run_at"]) == (False, None)


def test_an_unknown_job_is_refused(db: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.Error, match="job_name: laundry is no job"):
        db.execute("select cortex.run_job('laundry')")


def test_without_a_scheduler_the_setup_says_what_to_do_and_can_be_repeated_case_c39(
    db: psycopg.Connection[Any],
) -> None:
    for _ in range(2):
        outcome = db.execute("select job, outcome from cortex.setup_jobs()").fetchall()
        assert [job for job, _ in outcome] == ALL
        assert all("call cortex.run_due_jobs()" in said for _, said in outcome)


def test_an_owner_sees_the_health_of_the_jobs_but_nobodys_numbers(
    ada: Person, ben: Person, db: psycopg.Connection[Any]
) -> None:
    ben.capture("old", created_at="2025-01-01")
    run_due(db, "2026-01-01")
    jobs = ada.call("job_status", as_of="2026-01-01")
    assert [job["job"] for job in jobs] == ALL
    assert {job["last_status"] for job in jobs} == {"done"}
    assert "archived" not in str(jobs)


def test_owners_cannot_run_jobs_case_c42(ada: Person, anon: Person, service: Person) -> None:
    for person in (ada, anon, service):
        for call in (
            "run_due_jobs()",
            "run_job('decay')",
            "archive_faded()",
            "consolidate()",
            "setup_jobs()",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                person.query(f"select cortex.{call}")


def test_nothing_of_ours_can_be_called_with_the_public_key_case_c42(db: psycopg.Connection[Any]) -> None:
    callable_by_anon = db.execute("""
        select p.oid::regprocedure::text from pg_proc p
        where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
          and has_function_privilege('anon', p.oid, 'execute')
    """).fetchall()
    assert callable_by_anon == []


def test_whoever_runs_as_the_owner_of_the_database_is_private_or_scoped_case_c42(
    db: psycopg.Connection[Any],
) -> None:
    # A DEFINER function that an owner may call must find out itself who calls.
    unscoped = db.execute("""
        select p.oid::regprocedure::text from pg_proc p
        where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace) and p.prosecdef
          and has_function_privilege('authenticated', p.oid, 'execute') and p.prorettype <> 'trigger'::regtype
          and pg_get_functiondef(p.oid) !~ 'cortex\\.(current_owner|capture)\\('
    """).fetchall()
    assert unscoped == []
