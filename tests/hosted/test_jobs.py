"""pg_cron really runs the jobs that the migrations scheduled."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

import psycopg

OWNER = UUID("00000000-0000-4000-8000-00000000000f")


def wait_for(connection: psycopg.Connection[Any], query: str, params: list[Any], seconds: float = 30) -> Any:
    """The first row of the query, as soon as there is one."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        row = connection.execute(query, params).fetchone()
        if row is not None:
            return row
        time.sleep(0.2)
    history = connection.execute("select jobid, status, return_message from cron.job_run_details").fetchall()
    raise AssertionError(f"nothing came of {query} {params} within {seconds} s; pg_cron ran: {history}")


def capture(connection: psycopg.Connection[Any], content: str, *, days_unused: int) -> UUID:
    """A thought of the owner's that was last recalled so many days ago."""
    with connection.transaction():
        claims = f'{{"sub": "{OWNER}", "role": "authenticated"}}'
        connection.execute("select set_config('request.jwt.claims', %s, true)", [claims])
        row = connection.execute("select capture_thought(content => %s) ->> 'id'", [content]).fetchone()
        assert row is not None
        unused = "update memory_activation set last_accessed_at = now() - make_interval(hours => %s)"
        connection.execute(f"{unused} where memory_id = %s", [days_unused * 24, row[0]])
    return UUID(row[0])


def test_every_job_is_scheduled_for_its_time(owner: psycopg.Connection[Any]) -> None:
    """Case C39: the jobs are there after the deployment, in this database, with their time and zone told."""
    jobs = owner.execute("select job, run_by, schedule from cortex.job_status()").fetchall()
    assert {job for job, _, _ in jobs} == {"consolidation", "cleanup", "decay", "promotion", "enrichment"}
    assert {run_by for _, run_by, _ in jobs} == {"pg_cron"}
    assert all(schedule.endswith(" GMT") for _, _, schedule in jobs)


def test_setting_the_jobs_up_again_changes_nothing(owner: psycopg.Connection[Any]) -> None:
    schedules = "select jobid, jobname, schedule, command, username, active from cron.job order by jobid"
    before = owner.execute(schedules).fetchall()
    owner.execute("select cortex.setup_jobs()")
    assert owner.execute(schedules).fetchall() == before
    assert {row[4] for row in before} == {"postgres"}


def test_pg_cron_archives_a_faded_memory(owner: psycopg.Connection[Any]) -> None:
    """The decay job fires by itself, with its own command; only its time is changed, not to wait."""
    faded = capture(owner, "The old wifi password was on the fridge", days_unused=46)
    fresh = capture(owner, "The new router is in the hall", days_unused=1)
    found = owner.execute("select jobid, schedule from cron.job where jobname = 'pgcortex_decay'").fetchone()
    assert found is not None
    job, nightly = found
    owner.execute("select cron.alter_job(%s, schedule => '1 seconds')", [job])
    try:
        archived = "select archive_reason from memories where id = %s and archived_at is not null"
        assert wait_for(owner, archived, [faded]) == ("faded",)
        ran = "select status from cron.job_run_details where jobid = %s and status = 'succeeded'"
        wait_for(owner, ran, [job])
    finally:
        owner.execute("select cron.alter_job(%s, schedule => %s)", [job, nightly])
    assert owner.execute("select archived_at from memories where id = %s", [fresh]).fetchone() == (None,)
    told = owner.execute("select last_status, late from cortex.job_status() where job = 'decay'").fetchone()
    assert told == ("done", False)


def test_a_disabled_job_is_taken_off_the_schedule(owner: psycopg.Connection[Any]) -> None:
    scheduled = "select count(*) from cron.job where jobname = 'pgcortex_promotion'"
    owner.execute("update cortex.jobs set enabled = false where name = 'promotion'")
    try:
        owner.execute("select cortex.setup_jobs()")
        assert owner.execute(scheduled).fetchone() == (0,)
    finally:
        owner.execute("update cortex.jobs set enabled = true where name = 'promotion'")
        owner.execute("select cortex.setup_jobs()")
    assert owner.execute(scheduled).fetchone() == (1,)
