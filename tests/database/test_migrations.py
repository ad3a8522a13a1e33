"""The migration runner on a Postgres that is not a local brain's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from pgcortex import _migrations
from pgcortex._errors import DatabaseUnavailable, SchemaOutOfDate
from tests.support.server import shared_server

Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def dsn() -> Iterator[str]:
    """A plain new database, without any bootstrap."""
    server = shared_server()
    name = f"migrations_{uuid4().hex[:8]}"
    where = {"host": server.host, "port": str(server.port), "user": server.user}
    maintenance = psycopg.conninfo.make_conninfo("", **where, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as conn:
        conn.execute(f"create database {name}".encode())
        yield psycopg.conninfo.make_conninfo("", **where, dbname=name)
        conn.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
def conn(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "20250101000000_first_notes.sql").write_bytes(
        b"-- notes;\r\ncreate table notes (\r\n  id int\r\n);\r\ninsert into notes values (1);;\n-- end\n"
    )
    (tmp_path / "20250102000000_more.sql").write_text("insert into notes values (2)")
    (tmp_path / "README.md").write_text("not a migration")
    return tmp_path


def test_the_history_is_what_the_supabase_cli_writes(conn: Connection, folder: Path) -> None:
    """Compared once with `supabase db push` of CLI 2.117.0: the same rows, byte for byte."""
    _migrations.apply(conn, folder)

    rows = conn.execute("select * from supabase_migrations.schema_migrations order by version").fetchall()

    assert rows == [
        (
            "20250101000000",
            ["-- notes;\r\ncreate table notes (\r\n  id int\r\n)", "insert into notes values (1)", "-- end"],
            "first_notes",
        ),
        ("20250102000000", ["insert into notes values (2)"], "more"),
    ]


def test_what_is_pending_is_told_and_applied_once(conn: Connection, folder: Path) -> None:
    assert [migration.name for migration in _migrations.pending(conn, folder)] == ["first_notes", "more"]

    assert [migration.name for migration in _migrations.apply(conn, folder)] == ["first_notes", "more"]

    assert _migrations.pending(conn, folder) == []
    assert _migrations.apply(conn, folder) == []
    assert conn.execute("select count(*) from notes").fetchone() == (2,)


def test_four_processes_that_migrate_at_once_apply_each_migration_once(dsn: str, folder: Path) -> None:
    for number in range(10, 20):
        (folder / f"202502{number}000000_step.sql").write_text(f"insert into notes values ({number})")

    def migrate(_: int) -> list[_migrations.Migration]:
        with psycopg.connect(dsn, autocommit=True) as connection:
            return _migrations.apply(connection, folder)

    with ThreadPoolExecutor(4) as pool:
        done = [migration for migrations in pool.map(migrate, range(4)) for migration in migrations]

    assert len(done) == len({migration.version for migration in done}) == 12
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select count(*) from notes").fetchone() == (12,)


def test_a_migration_does_not_inherit_what_the_one_before_set(conn: Connection, folder: Path) -> None:
    (folder / "20250103000000_hides.sql").write_text("select set_config('search_path', '', false)")
    (folder / "20250104000000_needs_it.sql").write_text("insert into notes values (4)")

    _migrations.apply(conn, folder)

    assert conn.execute("select count(*) from notes").fetchone() == (3,)


def test_percent_signs_and_dollar_parameters_are_left_alone(conn: Connection, folder: Path) -> None:
    (folder / "20250103000000_signs.sql").write_text(
        "create function shout(text) returns text language sql as $$ select format('%s %%', $1) $$;"
    )

    _migrations.apply(conn, folder)

    assert conn.execute("select shout('a')").fetchone() == ("a %",)


def test_a_failed_migration_leaves_nothing_and_the_ones_before_it_stay(
    conn: Connection, folder: Path
) -> None:
    (folder / "20250103000000_broken.sql").write_text("create table half (id int); select 1/0; select 2;")

    with pytest.raises(
        SchemaOutOfDate, match="20250103000000_broken failed at statement 2: division by zero"
    ):
        _migrations.apply(conn, folder)

    assert _migrations.applied(conn) == ["20250101000000", "20250102000000"]
    assert conn.execute("select to_regclass('half')").fetchone() == (None,)


def test_a_lost_connection_is_told_apart_and_can_be_tried_again(
    conn: Connection, dsn: str, folder: Path
) -> None:
    cut = folder / "20250103000000_cut.sql"
    cut.write_text("create table half (id int); select pg_terminate_backend(pg_backend_pid());")

    with pytest.raises(DatabaseUnavailable, match="20250103000000_cut") as raised:
        _migrations.apply(conn, folder)

    assert raised.value.retryable
    cut.write_text("create table half (id int);")
    with psycopg.connect(dsn, autocommit=True) as again:
        assert [migration.name for migration in _migrations.apply(again, folder)] == ["cut"]


def test_somebody_elses_migrations_stop_it_unless_they_are_allowed(conn: Connection, folder: Path) -> None:
    _migrations.apply(conn, folder)
    conn.execute("insert into supabase_migrations.schema_migrations (version) values ('20250103111111')")
    (folder / "20250105000000_ours.sql").write_text("insert into notes values (5)")

    with pytest.raises(SchemaOutOfDate, match="20250103111111"):
        _migrations.pending(conn, folder)
    with pytest.raises(SchemaOutOfDate, match="20250103111111"):
        _migrations.apply(conn, folder)

    assert [m.name for m in _migrations.apply(conn, folder, allow_unknown=True)] == ["ours"]
