"""Processes that die in the middle of a dual write, and several that write at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from pgcortex.mirror import Mirror
from pgcortex.notes import read_note
from tests.database.conftest import ADA
from tests.support.mirrors import brain_source

ROOT = Path(__file__).parents[2]


def killer(dsn: str, folder: Path, seed: int, count: int) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "tests.support.mirror_killer",
        dsn,
        str(ADA),
        str(folder),
        str(seed),
        str(count),
    ]
    path = os.pathsep.join(filter(None, [str(ROOT / "client"), str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}
    )


def tasks_of(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    tasks: list[dict[str, Any]] = json.loads(output.splitlines()[-1])
    return tasks


def both_sides(twin: Mirror) -> tuple[dict[UUID | None, str], dict[UUID | None, str]]:
    database = {note.id: note.content for note in twin.source.fetch()}
    notes = [read_note(path) for path in twin.root.glob("*.md")]
    assert len({note.id for note in notes}) == len(notes)
    return database, {note.id: note.content for note in notes}


def check(twin: Mirror, tasks: list[dict[str, Any]]) -> None:
    """Both sides agree; what was answered is there, what was not is there whole or not at all."""
    database, files = both_sides(twin)
    assert database == files
    assert max(Counter(database.values()).values()) == 1
    for memory_id in {UUID(task["id"]) for task in tasks}:
        mine = [task for task in tasks if UUID(task["id"]) == memory_id]
        answered = [index for index, task in enumerate(mine) if task["answered"]]
        # From the last answered write on, each later one either happened or did not.
        allowed = mine[answered[-1] :] if answered else mine
        words = {task["words"] for task in allowed if task["op"] != "forget"}
        may_be_gone = not answered or any(task["op"] == "forget" for task in allowed)
        assert database.get(memory_id) in words | ({None} if may_be_gone else set())


@pytest.fixture
def twin(db: psycopg.Connection[Any], tmp_path: Path) -> Iterator[Mirror]:
    with brain_source(db.info.dsn, ADA) as source:
        yield Mirror(tmp_path / "notes", source)


@pytest.mark.slow
def test_after_a_hundred_killed_writes_a_sync_makes_both_sides_agree(
    twin: Mirror, db: psycopg.Connection[Any]
) -> None:
    tasks = tasks_of(killer(db.info.dsn, twin.root, 1, 100))
    assert sum(task["killed"] for task in tasks) > 10
    assert twin.queued > 0
    twin.sync()
    check(twin, tasks)
    assert twin.queued == 0
    assert twin.sync().agree
    left = [path.name for path in twin.root.rglob(".*") if path.name not in (".pgcortex",)]
    assert left == []


@pytest.mark.slow
def test_several_processes_share_one_folder(twin: Mirror, db: psycopg.Connection[Any]) -> None:
    running = [killer(db.info.dsn, twin.root, seed, 12) for seed in (11, 12, 13)]
    while any(process.poll() is None for process in running):
        twin.sync()
        time.sleep(0.2)
    tasks = [tasks_of(process) for process in running]
    twin.sync()
    check(twin, [task for some in tasks for task in some])
    assert twin.verify().agree
