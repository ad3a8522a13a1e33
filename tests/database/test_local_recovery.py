"""A local brain among several processes, and after one of them was killed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.brains import (
    OPEN_AND_TELL,
    Place,
    ask,
    child,
    finish,
)


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.005)


def test_three_processes_open_a_new_brain_at_once(empty: Place) -> None:
    processes = [child(empty, OPEN_AND_TELL) for _ in range(3)]

    answers = {finish(process) for process in processes}

    assert len(answers) == 1  # the same owner, the same server
    assert empty.status().applied == 1


def test_the_server_outlives_the_process_that_started_it(made: Place) -> None:
    process = child(made, OPEN_AND_TELL + "time.sleep(60)")
    assert process.stdout is not None
    owner, pid = process.stdout.readline().split()

    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

    assert str(made.up().owner_id) == owner
    assert made.pid() == int(pid)


def test_a_start_that_was_killed_while_creating_the_database_is_done_again(empty: Place) -> None:
    process = child(empty, OPEN_AND_TELL)
    _wait_for(empty.brain / "postgres.new" / "PG_VERSION")

    process.kill()  # this process only: its initdb goes on for a while
    process.communicate()

    assert ask(empty.up(), "select count(*) from notes") == 0
    assert not (empty.brain / "postgres.new").exists()


def test_a_start_that_was_killed_while_the_server_came_up_is_joined(made: Place) -> None:
    process = child(made, OPEN_AND_TELL)
    _wait_for(made.brain / "postgres" / "postmaster.pid")

    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

    assert ask(made.up(), "select count(*) from notes") == 0


def test_a_server_that_was_killed_is_started_again_without_losing_a_commit(made: Place) -> None:
    brain = made.up()
    ask(brain, "insert into notes values (1, 'committed') returning id")
    pid = made.pid()

    with psycopg.connect(brain.dsn) as busy:  # its process has to notice first
        os.kill(pid, signal.SIGKILL)
        again = made.up()
        busy.close()

    assert made.pid() != pid
    assert ask(again, "select content from notes") == "committed"


def test_a_stale_pid_file_that_names_another_live_process_is_ignored(made: Place) -> None:
    """As after a power cut, when the number has come to belong to something else."""
    made.up()
    pid_file = made.brain / "postgres" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    made.down()
    bystander = child(made, "time.sleep(60)")
    account = pid_file.parent.stat()
    pid_file.write_text("\n".join([str(bystander.pid), *lines[1:], ""]))
    os.chown(pid_file, account.st_uid, account.st_gid)
    assert made.status().running is False

    assert ask(made.up(), "select 1") == 1

    assert psutil.Process(bystander.pid).status() != psutil.STATUS_ZOMBIE
    bystander.kill()
    bystander.communicate()


@pytest.mark.parametrize("content", ["", "999999\n", "nonsense\n\n"])
def test_a_damaged_pid_file_is_no_obstacle(made: Place, content: str) -> None:
    pid_file = made.brain / "postgres" / "postmaster.pid"
    pid_file.write_text(content)
    account = pid_file.parent.stat()
    os.chown(pid_file, account.st_uid, account.st_gid)

    assert ask(made.up(), "select 1") == 1


def test_a_migration_that_was_killed_half_way_is_done_as_a_whole(made: Place) -> None:
    made.add_migration("20250202000000", "slow", "create table half (id int); select pg_sleep(20);")
    process = child(made, OPEN_AND_TELL)
    _wait_for(made.brain / "run" / ".s.PGSQL.5432")
    time.sleep(0.5)
    process.kill()
    process.communicate()
    made.add_migration("20250202000000", "slow", "create table half (id int);")
    # The killed one's session ends at its next contact with the client; a restart ends it now.
    made.down()

    assert ask(made.up(), "select count(*) from half") == 0


def test_opening_and_closing_at_once_ends_in_one_of_the_two(made: Place) -> None:
    made.up()
    closing = child(made, "print(local.down(brain_dir))")
    opening = child(made, OPEN_AND_TELL)

    assert finish(closing) in ("True", "False")
    assert len(finish(opening).split()) == 2
    assert ask(made.up(), "select 1") == 1
