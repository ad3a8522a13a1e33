"""What a person gets wrong is told in one sentence that names it."""

from __future__ import annotations

import logging
import math
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from pgcortex import Cortex, CortexError, InvalidInput
from pgcortex.cli._options import settings
from tests.cli.conftest import Shell


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("EMBEDDER", "bogus"),
        ("EMBEDDING_DIMENSIONS", "abc"),
        ("EMBEDDING_DIMENSIONS", "-3"),
        ("OWNER_ID", "zz"),
        ("TIMEOUT", "0.0"),
        ("TIMEOUT", "inf"),
        ("REDACT", "perhaps"),
    ],
)
def test_a_wrong_setting_is_named(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(f"PGCORTEX_{variable}", value)
    error = shell.refusal("stats")
    assert isinstance(error, InvalidInput)
    assert error.field == f"PGCORTEX_{variable}"
    assert value not in error.message.split(": ")[1]
    assert ".env" in (error.hint or "")


def test_the_server_for_hosts_names_a_wrong_setting_too(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCORTEX_EMBEDDER", "bogus")
    told = subprocess.run([sys.executable, "-m", "pgcortex", "mcp"], capture_output=True, text=True, input="")
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr.startswith("error: PGCORTEX_EMBEDDER: should be")
    assert "Traceback" not in told.stderr


def test_an_empty_variable_is_one_that_is_not_set(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCORTEX_DATA_DIR", "")
    monkeypatch.setenv("PGCORTEX_TIMEOUT", "")
    assert settings().data_dir != Path()
    assert settings().timeout == 10


def test_an_address_of_a_project_that_is_none_is_told(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCORTEX_SUPABASE_URL", "nourl")
    monkeypatch.setenv("PGCORTEX_SUPABASE_KEY", "sb_publishable_x")
    error = shell.refusal("stats")
    assert isinstance(error, InvalidInput)
    assert error.field == "supabase_url"


@pytest.mark.parametrize(
    "address", ["postgres//u:secretpw@h/db", "postgresql://u:half@secretpw@localhost/db", "host='secretpw"]
)
def test_the_password_in_a_wrong_address_is_never_shown(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    monkeypatch.setenv("PGCORTEX_DATABASE_URL", address)
    monkeypatch.setenv("PGCORTEX_TIMEOUT", "0.2")
    with caplog.at_level(logging.DEBUG):
        result = shell.run("stats")
    assert isinstance(result.exception, CortexError)
    assert "secretpw" not in f"{result.exception}{result.output}{caplog.text}"


def test_an_address_without_its_colon_is_refused_at_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCORTEX_DATABASE_URL", "postgres//u:secretpw@h/db")
    error = shell.refusal("stats")
    assert isinstance(error, InvalidInput)
    assert error.field == "database_url"


def test_bytes_that_are_no_text_are_refused(shell: Shell) -> None:
    result = shell.run("capture", "-", typed=b"\xff\xfe\xfa")
    assert isinstance(result.exception, InvalidInput)
    assert result.exception.field == "content"
    assert shell.json("stats")["total"] == 0
    shell.say("capture", "-", typed="caf\u00e9\r\nau lait")
    assert shell.json("list")[0]["content"] == "caf\u00e9\nau lait"


@pytest.mark.parametrize("date", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_a_date_that_utc_does_not_have_is_refused(shell: Shell, date: str) -> None:
    error = shell.refusal("capture", "a", "--date", date)
    assert isinstance(error, InvalidInput)
    assert error.field == "date"


@pytest.mark.parametrize("threshold", ["7", "-1.5", "nan"])
def test_a_threshold_that_is_no_cosine_similarity_is_refused(shell: Shell, threshold: str) -> None:
    error = shell.refusal("search", "a", "--threshold", threshold)
    assert isinstance(error, InvalidInput)
    assert error.field == "threshold"


def test_a_limit_that_is_too_high_is_called_limit(shell: Shell) -> None:
    error = shell.refusal("list", "--limit", "100000")
    assert isinstance(error, InvalidInput)
    assert error.message.startswith("limit: is 100000")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("occurred_at", "soon"),
        ("occurred_at", date(2026, 1, 1)),
        ("due_at", datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))),
        ("metadata", {"a": {1, 2}}),
        ("metadata", {"a": math.nan}),
        ("confidence", math.nan),
        ("valence", "high"),
        ("topics", "storage"),
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_by_its_name(shell: Shell, field: str, value: Any) -> None:
    with Cortex(settings()) as brain:
        with pytest.raises(InvalidInput) as refused:
            brain.capture("a", **{field: value})
        assert refused.value.field == field
        assert brain.stats().total == 0


def test_a_time_may_be_text_and_is_utc_without_a_zone(shell: Shell) -> None:
    with Cortex(settings()) as brain:
        captured = brain.capture("a", occurred_at="2026-01-01")  # type: ignore[arg-type]  # as many write it
        assert captured.id
        assert brain.get(captured.id).occurred_at == datetime(2026, 1, 1, tzinfo=UTC)
