"""The real Supabase CLI, told where the database is and nothing else: no login, no Docker, no link."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.support.node import REPOSITORY, node_command, node_environment


def supabase(
    dsn: str, *arguments: str, workdir: Path = REPOSITORY, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run one command, e.g. `supabase(dsn, "db", "push")`; every prompt is answered with yes.

    Raises `AssertionError` with its output when it fails, unless `check` is false.
    """
    command = node_command(
        "supabase", *arguments, "--db-url", dsn, "--workdir", str(workdir), "--yes", "--agent=no"
    )
    finished = subprocess.run(
        command, env=node_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    if check:
        assert finished.returncode == 0, f"{arguments}\n{finished.stdout}\n{finished.stderr}"
    return finished


def supabase_json(dsn: str, *arguments: str, workdir: Path = REPOSITORY) -> Any:
    """What a command answers with `--output-format json`."""
    return json.loads(supabase(dsn, *arguments, "--output-format=json", workdir=workdir).stdout)
