"""Apply the schema's migrations to any Postgres, recorded as the Supabase CLI records them.

The history is `supabase_migrations.schema_migrations (version, statements, name)`: version is the timestamp
a file name starts with, name the rest of it, statements the split script. A later `supabase db push`
therefore sees these migrations as applied, and the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from pgcortex._errors import DatabaseUnavailable, SchemaOutOfDate
from pgcortex._sql_split import split_statements

FILE_NAME = re.compile(r"^(?P<version>[0-9]+)_(?P<name>.*)\.sql$")

# One number for every pgcortex client, so that only one of them migrates a database at a time.
_LOCK_KEY = int.from_bytes(b"cortexmg", "big", signed=True)

_CREATE_HISTORY = (
    "create schema if not exists supabase_migrations",
    "create table if not exists supabase_migrations.schema_migrations (version text not null primary key)",
    "alter table supabase_migrations.schema_migrations add column if not exists statements text[]",
    "alter table supabase_migrations.schema_migrations add column if not exists name text",
)

Connection = psycopg.Connection[Any]
Progress = Callable[["Migration", int, int], None]
"""Called before each migration with it, its place (from 1) and how many are to be applied."""


@dataclass(frozen=True)
class Migration:
    """One file of the migrations folder."""

    version: str
    name: str
    path: Path

    def statements(self) -> list[str]:
        """The script's statements in order, as they are run and recorded."""
        return split_statements(self.path.read_bytes().decode())


def default_directory() -> Path:
    """The migrations of this client: inside an installed package, in `supabase/migrations` in a checkout.

    Raises SchemaOutOfDate when neither is there.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "migrations", package.parents[1] / "supabase" / "migrations"):
        if folder.is_dir():
            return folder
    raise SchemaOutOfDate(
        "this installation of pgcortex holds no migrations",
        hint="reinstall pgcortex; in a checkout they are in supabase/migrations",
    )


def known(directory: Path | None = None) -> list[Migration]:
    """The migrations of `directory` (default: this client's) in the order they are applied."""
    folder = directory or default_directory()
    found = [
        Migration(version=match["version"], name=match["name"], path=path)
        for path in folder.iterdir()
        if (match := FILE_NAME.match(path.name))
    ]
    return sorted(found, key=lambda migration: (migration.version, migration.name))


def applied(conn: Connection) -> list[str]:
    """The versions the database records, oldest first; empty when it has no history yet."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute("select to_regclass('supabase_migrations.schema_migrations') is not null")
        if cursor.fetchone() != (True,):
            return []
        cursor.execute("select version from supabase_migrations.schema_migrations order by version")
        return [version for (version,) in cursor.fetchall()]


def pending(
    conn: Connection, directory: Path | None = None, *, allow_unknown: bool = False
) -> list[Migration]:
    """What is still to be applied to this database, in order.

    Raises SchemaOutOfDate when the database has migrations this client does not know: it is newer. With
    `allow_unknown` they are somebody else's, as in a Supabase project that has tables of its own.
    """
    return _pending(known(directory), applied(conn), allow_unknown=allow_unknown)


def apply(
    conn: Connection,
    directory: Path | None = None,
    *,
    progress: Progress | None = None,
    allow_unknown: bool = False,
) -> list[Migration]:
    """Apply what is pending, each migration in one transaction, and return what this call applied.

    The connection needs to be outside a transaction. Several processes may call this at once: an advisory
    lock makes them take turns, and each looks again what is left. A failed migration leaves nothing of
    itself behind and raises SchemaOutOfDate with the statement's number; a lost connection raises
    DatabaseUnavailable.
    """
    migrations = known(directory)
    done: list[Migration] = []
    while migration := _apply_next(conn, migrations, done, progress, allow_unknown=allow_unknown):
        done.append(migration)
    return done


def _apply_next(
    conn: Connection,
    migrations: Sequence[Migration],
    done: Sequence[Migration],
    progress: Progress | None,
    *,
    allow_unknown: bool,
) -> Migration | None:
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        # A transaction's lock, not a session's: it also holds behind a transaction pooler. And each
        # migration starts from the session's own settings, whatever the one before set.
        cursor.execute("select pg_advisory_xact_lock(%s)", [_LOCK_KEY])
        cursor.execute("reset all")
        left = _pending(migrations, applied(conn), allow_unknown=allow_unknown)
        if not left:
            return None
        migration = left[0]
        if progress:
            progress(migration, len(done) + 1, len(done) + len(left))
        statements = migration.statements()
        for number, statement in enumerate(statements, start=1):
            _run(cursor, migration, number, statement)
        for create in _CREATE_HISTORY:
            cursor.execute(create)
        cursor.execute(
            "insert into supabase_migrations.schema_migrations (version, name, statements)"
            " values (%s, %s, %s)",
            [migration.version, migration.name, statements],
        )
        return migration


def _run(cursor: psycopg.Cursor[Any], migration: Migration, number: int, statement: str) -> None:
    try:
        cursor.execute(statement.encode())
    except psycopg.OperationalError as error:
        if cursor.connection.closed:
            raise DatabaseUnavailable(
                f"the connection was lost in migration {migration.version}_{migration.name}",
                hint="nothing of it was kept; run it again",
            ) from error
        raise _failed(migration, number, error) from error
    except psycopg.Error as error:
        raise _failed(migration, number, error) from error


def _failed(migration: Migration, number: int, error: psycopg.Error) -> SchemaOutOfDate:
    return SchemaOutOfDate(
        f"migration {migration.version}_{migration.name} failed at statement {number}: {_first_line(error)}",
        hint="nothing of it was kept; the migrations before it are applied",
    )


def _first_line(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error).partition("\n")[0]


def _pending(
    migrations: Sequence[Migration], recorded: Sequence[str], *, allow_unknown: bool
) -> list[Migration]:
    unknown = set(recorded) - {migration.version for migration in migrations}
    if unknown and not allow_unknown:
        raise SchemaOutOfDate(
            f"the database has {len(unknown)} migrations unknown to this client, the last is {max(unknown)}",
            hint="a newer pgcortex made it: pip install --upgrade pgcortex",
        )
    return [migration for migration in migrations if migration.version not in set(recorded)]
