"""The hosted stack cleans up after itself, also when the tests are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.hosted.stack import HostedStack, reap_stale
from tests.support.node import REPOSITORY

START = """
import time
from tests.hosted.stack import HostedStack
stack = HostedStack.start()
print(stack.run, flush=True)
time.sleep(120)
"""


def servers_of(run: Path) -> list[int]:
    """Process ids of every Postgres whose data are in this run's folder."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any(f"/srv/runs/{run.name}/data" in word for word in process.info["cmdline"] or [])
    ]


def mounts_below(path: Path) -> list[str]:
    return [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(path) in line]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_tests_that_are_killed(stack: HostedStack, ending: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", START],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        stderr=subprocess.DEVNULL,
    ) as tests:
        assert tests.stdout is not None
        run = Path(tests.stdout.readline().strip())
        started = [psutil.Process(pid) for pid in servers_of(run)]
        assert started
        tests.send_signal(ending)
    _, alive = psutil.wait_procs(started, timeout=15)
    assert alive == []
    reap_stale(run.parent)
    assert not run.exists()
    assert mounts_below(stack.root) == []


def test_a_run_that_is_in_use_is_not_reaped(stack: HostedStack) -> None:
    reap_stale(stack.run.parent)
    with psycopg.connect(stack.dsn()) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_the_owner_of_a_project_is_no_superuser(stack: HostedStack) -> None:
    with psycopg.connect(stack.dsn()) as connection:
        flags = "select rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user"
        assert connection.execute(flags).fetchone() == (False, True, True)
