"""`pgcortex doctor` finds what is wrong and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from pgcortex import Settings
from pgcortex.doctor import Finding, examine
from pgcortex.doctor._database import examine_database
from pgcortex.doctor._examine import _jobs
from tests.cli.conftest import Shell
from tests.support.databases import new_database


@pytest.fixture
def sick(dsn: str) -> Any:
    """A connection whose changes nobody else sees and nothing keeps."""
    with psycopg.connect(dsn) as conn:
        yield conn
        conn.rollback()


def findings(conn: psycopg.Connection[Any]) -> dict[str, Finding]:
    return {finding.check: finding for finding in examine_database(conn)}


def test_a_well_brain_has_no_problem(shell: Shell, dsn: str) -> None:
    found = {finding["check"]: finding for finding in shell.json("doctor")}
    assert {name: finding["state"] for name, finding in found.items() if finding["state"] == "problem"} == {}
    assert found["migrations"]["state"] == "ok"
    assert found["privileges"]["state"] == "ok"
    assert found["extensions"]["state"] == "ok"
    assert "ok" in shell.say("doctor")


def test_a_brain_without_migrations_says_how_to_apply_them() -> None:
    with psycopg.connect(new_database("bare", dimensions=3), autocommit=True) as conn:
        conn.execute("truncate supabase_migrations.schema_migrations")
        assert findings(conn)["migrations"].state == "problem"
        assert "supabase db push" in (findings(conn)["migrations"].advice or "")


def test_a_missing_migration_and_one_too_many_are_told_apart(sick: psycopg.Connection[Any]) -> None:
    sick.execute("insert into supabase_migrations.schema_migrations (version) values ('20990101000000')")
    assert findings(sick)["migrations"].state == "warning"
    assert "update pgcortex" in (findings(sick)["migrations"].advice or "")
    sick.execute("delete from supabase_migrations.schema_migrations where version = '20260101000400'")
    assert "20260101000400" in findings(sick)["migrations"].message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("alter table public.memories disable row level security", "row level security is off: memories"),
        ("grant execute on function public.thought_stats() to anon", "thought_stats"),
        ("grant execute on function public.thought_stats() to public", "thought_stats"),
        ("grant select on public.memory_events to anon", "memory_events"),
    ],
)
def test_a_door_left_open_is_found(sick: psycopg.Connection[Any], change: str, said: str) -> None:
    """Cases C42 and C43, for a brain that somebody has changed by hand."""
    sick.execute(change.encode())
    found = findings(sick)["privileges"]
    assert found.state == "problem"
    assert said in found.message
    assert found.advice


def test_a_database_that_is_away_is_named_without_its_password(tmp_path: Path) -> None:
    url = f"postgresql://ada:Tr0ub4dor@/brain?host={tmp_path}"
    settings = Settings(
        _env_file=None,
        database_url=SecretStr(url),
        owner_id="00000000-0000-4000-8000-000000000001",
        timeout=1,
    )  # type: ignore[call-arg,arg-type]
    found = list(examine(settings))
    assert [finding.state for finding in found if finding.check in ("brain", "schema")] == ["problem"] * 2
    assert "Tr0ub4dor" not in repr(found)
    assert all(finding.advice for finding in found if finding.state == "problem")


def test_an_embedder_that_does_not_fit_and_functions_that_are_away_are_found(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCORTEX_EMBEDDER", "openai")
    monkeypatch.setenv("PGCORTEX_OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("PGCORTEX_FUNCTIONS_URL", "http://127.0.0.1:9")
    result = shell.run("doctor")
    assert result.exit_code == 1
    assert "384" in result.output
    assert "1536" in result.output
    assert "do not answer" in result.output


def test_a_memory_that_has_waited_over_an_hour_is_found(sick: psycopg.Connection[Any]) -> None:
    add = (
        "insert into public.memories (owner_id, content, created_at)"
        " values (gen_random_uuid(), %s, now() - %s::interval)"
    )
    sick.execute(add, ["young", "50 minutes"])
    assert findings(sick)["queue"].state == "ok"
    sick.execute(add, ["old", "2 hours"])
    assert findings(sick)["queue"].state == "warning"
    assert "1 pending for over an hour" in findings(sick)["queue"].message


@pytest.mark.parametrize(("run_by", "state"), [("pg_cron", "warning"), ("run_due_jobs", "ok")])
def test_an_enrichment_job_that_pg_cron_no_longer_runs_is_late(run_by: str, state: str) -> None:
    jobs = [{"job": "enrichment", "run_by": run_by, "last_status": "done", "late": True}]
    brain: Any = SimpleNamespace(core=SimpleNamespace(call=lambda _, repeatable: jobs))
    assert [finding.state for finding in _jobs(brain)] == [state]


@pytest.fixture
def stranger(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPServer]:
    """A server where the functions should be, which answers every GET with its `told`."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = self.server.told  # type: ignore[attr-defined]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setenv("PGCORTEX_FUNCTIONS_URL", f"http://127.0.0.1:{server.server_port}")
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b'"x"', "something else answers there (HTTP 200)"),
        (200, b"{}", "something else answers there (HTTP 200)"),
        (503, b"[]", "something else answers there (HTTP 503)"),
        (503, b'{"status": "unwell", "checks": {"database": true, "embedder": false}}', "unwell: embedder"),
        (503, b'{"status": "unwell", "checks": []}', "unwell: status 503"),
        (503, b'{"error": {"message": "PGCORTEX_CORS_ORIGINS: is not JSON"}}', "PGCORTEX_CORS_ORIGINS"),
    ],
)
def test_a_health_that_is_not_the_functions_own_is_a_problem(
    shell: Shell, stranger: Any, status: int, body: bytes, said: str
) -> None:
    stranger.told = status, body
    result = shell.run("doctor")
    assert result.exit_code == 1
    assert said in result.output
