"""Dual writes, each in a process of its own that is killed at a random moment. Run as a script.

    python -m tests.support.mirror_killer DSN OWNER FOLDER SEED COUNT

A single-threaded parent forks one child a write, waits a random part of the time that a write takes, and
sends SIGKILL. The last line of output is JSON: what was asked of each child, and whether it had answered.
"""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pgcortex.mirror import Mirror
from pgcortex.notes import Note
from tests.support.mirrors import brain_source

_PRACTICE = 5


def main() -> None:
    dsn, owner, folder, seed, count = sys.argv[1:]
    chance = random.Random(int(seed))
    done: list[dict[str, Any]] = []
    times: list[float] = []
    for number in range(_PRACTICE + int(count)):
        task = _task(f"{seed}-{number}", number < _PRACTICE, chance, done)
        patience = None if number < _PRACTICE else chance.uniform(0, 1.3 * statistics.median(times))
        task["answered"], took = _in_child(dsn, UUID(owner), Path(folder), task, patience)
        if patience is None:
            times.append(took)
        task["killed"] = patience is not None and not task["answered"]
        done.append(task)
    print(json.dumps(done))


def _task(name: str, practice: bool, chance: random.Random, done: list[dict[str, Any]]) -> dict[str, Any]:
    """Mostly captures; some updates and forgets of what was surely stored and not forgotten.

    The name is in the words: two processes that captured the same words would share one memory.
    """
    gone = {task["id"] for task in done if task["op"] == "forget"}
    known = [
        task["id"] for task in done if task["op"] == "capture" and task["answered"] and task["id"] not in gone
    ]
    op = "capture" if practice or not known else chance.choices(["capture", "update", "forget"], [7, 2, 1])[0]
    memory_id = str(uuid4()) if op == "capture" else chance.choice(known)
    return {"op": op, "id": memory_id, "words": f"words number {name}: {'x' * chance.randrange(2_000)}"}


def _in_child(
    dsn: str, owner: UUID, folder: Path, task: dict[str, Any], patience: float | None
) -> tuple[bool, float]:
    """Whether the write was answered, and the seconds from its start to the end of the process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            _write(dsn, owner, folder, task, writer)
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 1) == b"r"
    started = time.perf_counter()
    if patience is not None:
        time.sleep(patience)
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    took = time.perf_counter() - started
    answer = os.read(reader, 1)
    os.close(reader)
    return answer == b"y", took


def _write(dsn: str, owner: UUID, folder: Path, task: dict[str, Any], answer: int) -> None:
    memory_id = UUID(task["id"])
    note = Note(content=task["words"], id=memory_id, title="A title", tags=["kill"])
    with brain_source(dsn, owner) as source:
        source.is_forgotten(memory_id)  # connected before the clock starts
        twin = Mirror(folder, source)
        os.write(answer, b"r")
        if task["op"] == "capture":
            report = twin.capture(note)
        elif task["op"] == "update":
            report = twin.update(memory_id, note)
        else:
            report = twin.forget(memory_id)
        os.write(answer, b"y" if report.complete else b"n")
        os._exit(0)  # without the time that giving connections back takes


if __name__ == "__main__":
    main()
