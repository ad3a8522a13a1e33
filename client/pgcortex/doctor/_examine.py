"""The examination: does the brain answer, what does it say about itself, what is around it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx

from pgcortex._client import Cortex
from pgcortex._errors import CortexError
from pgcortex._models import Stats
from pgcortex._settings import Settings
from pgcortex.doctor._finding import Finding, ok, problem, skipped, warning


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything the settings lead to, one finding after the other; changes nothing.

    A local brain is started if need be.
    """
    try:
        brain = Cortex(settings)
    except CortexError as error:
        yield problem("brain", error.message, error.hint)
        return
    with brain:
        stats = None
        try:
            stats = brain.stats()
            yield ok("brain", f"it answers, with {stats.total} memories of yours")
        except CortexError as error:
            yield problem("brain", error.message, error.hint)
        yield from _database(settings)
        if stats is not None:
            yield from _embedder(brain, stats)
            yield _backlog(stats)
            yield from _jobs(brain)
    yield _functions(settings)


def _database(settings: Settings) -> Iterator[Finding]:
    import psycopg

    from pgcortex import local
    from pgcortex.doctor._database import examine_database

    if settings.database_url is not None:
        dsn = settings.database_url.get_secret_value()
    elif settings.supabase_url:
        yield skipped(
            "schema",
            "migrations and privileges are not visible through the API",
            "set PGCORTEX_DATABASE_URL, too",
        )
        return
    else:
        status = local.status(settings.data_dir)
        if status.dsn is None:
            yield problem("schema", "the local brain is not running", "run `pgcortex up`")
            return
        dsn = status.dsn
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=max(2, int(settings.timeout))) as conn:
            yield from examine_database(conn)
    except psycopg.Error as error:
        # Its text may quote the address, and that may hold a password.
        yield problem(
            "schema", f"the database refused ({type(error).__name__})", "check PGCORTEX_DATABASE_URL"
        )


def _embedder(brain: Cortex, stats: Stats) -> Iterator[Finding]:
    from pgcortex.embedding import check_brain

    try:
        embedder = brain.core.embedder
        if embedder is None and brain.core.gateway is not None:
            yield ok("embedder", "the functions embed for this client")
        elif embedder is None:
            yield warning(
                "embedder",
                "there is none, so only words are compared",
                "pip install 'pgcortex[local]', or set PGCORTEX_FUNCTIONS_URL",
            )
        else:
            check_brain(embedder, stats.embedding_dimensions, stats.embedding_model)
            embedder.embed(["Is anybody there?"])
            yield ok(
                "embedder", f"{embedder.model} with {embedder.dimensions} dimensions, as the brain's vectors"
            )
    except CortexError as error:
        yield problem("embedder", error.message, error.hint)


def _backlog(stats: Stats) -> Finding:
    waiting = stats.backlog
    told = f"{waiting.pending} pending, {waiting.failed} failed, {waiting.without_vector} without a vector"
    if waiting.failed:
        return warning("backlog", told, "see failed_enrichment() for why, then call requeue_enrichment()")
    if waiting.other_model or waiting.without_vector > waiting.pending + waiting.failed:
        return warning(
            "backlog", f"{told}, {waiting.other_model} of another model", "run `pgcortex reembed --to MODEL`"
        )
    if waiting.pending > 100:
        return warning("backlog", told, "is the enrich function scheduled? Locally, run `pgcortex up`")
    return ok("backlog", told)


def _jobs(brain: Cortex) -> Iterator[Finding]:
    try:
        jobs: list[dict[str, Any]] = brain.core.call("job_status", repeatable=True) or []
    except CortexError as error:
        yield problem("jobs", error.message, error.hint)
        return
    by_cron = any(job.get("run_by") == "pg_cron" for job in jobs)
    failed = [job["job"] for job in jobs if job.get("last_status") == "failed"]
    # Once a minute is for pg_cron; this machine enriches as it captures.
    late = [
        job
        for job in jobs
        if job.get("late") and (job["job"] != "enrichment" or job.get("run_by") == "pg_cron")
    ]
    if failed:
        yield problem(
            "jobs", f"the last run failed: {', '.join(failed)}", "select * from cortex.job_status()"
        )
    elif late:
        told = ", ".join(f"{job['job']} ({_since(job.get('last_run_at'))})" for job in late)
        advice = (
            "is pg_cron running? select * from cron.job_run_details order by start_time desc limit 20"
            if by_cron
            else "`pgcortex up` and `pgcortex mcp` run what is due; run one of them"
        )
        yield warning("jobs", f"late: {told}", advice)
    else:
        yield ok("jobs", f"{len(jobs)} jobs, none late, run by {'pg_cron' if by_cron else 'this machine'}")


def _since(last: str | None) -> str:
    return f"last on {datetime.fromisoformat(last):%Y-%m-%d %H:%M}" if last else "never ran"


def _functions(settings: Settings) -> Finding:
    if settings.functions_url is None:
        return skipped("functions", "PGCORTEX_FUNCTIONS_URL is not set: this client does without them")
    address = f"{settings.functions_url.rstrip('/')}/health"
    try:
        answer = httpx.get(address, timeout=settings.timeout)
        told = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        return problem(
            "functions",
            f"they do not answer ({type(error).__name__})",
            "are they deployed at PGCORTEX_FUNCTIONS_URL?",
        )
    refusal = told.get("error") if isinstance(told, dict) else None
    if isinstance(refusal, dict) and "message" in refusal:
        return problem("functions", f"they answer: {refusal['message']}", refusal.get("hint"))
    if not isinstance(told, dict) or "status" not in told:
        return problem(
            "functions",
            f"something else answers there (HTTP {answer.status_code})",
            "are they deployed at PGCORTEX_FUNCTIONS_URL?",
        )
    if answer.is_success and told["status"] == "ok":
        return ok("functions", "they answer and are well")
    checks = told.get("checks")
    unwell = [name for name, good in checks.items() if good is not True] if isinstance(checks, dict) else []
    return problem(
        "functions",
        f"unwell: {', '.join(unwell) or f'status {answer.status_code}'}",
        "call /health with the worker's secret for the reason",
    )
