"""`pgcortex doctor` finds what is wrong and says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from pgcortex import Settings
from pgcortex.doctor import Finding, examine
from pgcortex.doctor._database import examine_database
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
