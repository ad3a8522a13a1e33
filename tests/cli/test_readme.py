"""The session in the README, on a new brain on this machine."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import pgcortex
from pgcortex import local
from tests.support.brains import root_directory

ROOT = Path(__file__).parents[2]
SESSION = re.compile(r"```console\n(.*?)```", re.DOTALL)
ANY_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Terminal:
    """Commands in a process of their own, on a brain that does not exist yet."""

    brain: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PGCORTEX_")}
        return subprocess.run(
            [sys.executable, "-m", "pgcortex", *arguments],
            cwd=ROOT,
            env=kept
            | {
                "PGCORTEX_DATA_DIR": str(self.brain),
                "PYTHONPATH": str(Path(pgcortex.__file__).parents[1]),
                "COLUMNS": "93",
            },
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with root_directory() as root:
        yield Terminal(root / "brain")
        local.down(root / "brain")


def told(text: str) -> str:
    """The words of an output, whatever the width, the id and the directory."""
    return " ".join(ANY_ID.sub("ID", text).split())


def test_the_session_in_the_readme_prints_what_it_says(terminal: Terminal) -> None:
    found = SESSION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    steps = found[1].removeprefix("$ ").split("\n$ ")
    assert len(steps) == 5
    for step in steps:
        command, expected = step.split("\n", 1)
        result = terminal.run(*shlex.split(command)[1:])
        printed = result.stdout.replace(str(terminal.brain), "~/.local/share/pgcortex")
        assert told(printed) == told(expected), (command, result.stderr)
        if command == "pgcortex up":
            assert "migrating" in result.stderr
            assert len(result.stderr.splitlines()) <= 2
