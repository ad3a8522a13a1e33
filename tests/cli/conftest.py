"""The command line, run in this process on the brain of one user."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner, Result

from pgcortex import CortexError
from pgcortex.cli._app import app
from tests.support.databases import new_database


@pytest.fixture(scope="session")
def dsn() -> str:
    return new_database("cli", dimensions=384)


@dataclass(frozen=True)
class Shell:
    """Runs commands as a person types them."""

    runner: CliRunner

    def run(self, *arguments: str, typed: str | bytes | None = None) -> Result:
        return self.runner.invoke(app, list(arguments), input=typed)

    def say(self, *arguments: str, typed: str | None = None) -> str:
        """What a command prints; fails when it fails."""
        result = self.run(*arguments, typed=typed)
        assert result.exit_code == 0, result.output + repr(result.exception)
        return result.output

    def json(self, *arguments: str) -> Any:
        return json.loads(self.say(*arguments, "--json"))

    def refusal(self, *arguments: str) -> CortexError:
        """The product's error that a command ends with."""
        error = self.run(*arguments).exception
        assert isinstance(error, CortexError)
        return error


@pytest.fixture
def shell(dsn: str, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The words of one user's brain; meaning is tested elsewhere."""
    monkeypatch.setenv("PGCORTEX_DATABASE_URL", dsn)
    monkeypatch.setenv("PGCORTEX_OWNER_ID", str(uuid4()))
    monkeypatch.setenv("PGCORTEX_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "200")
    return Shell(CliRunner())
