"""A migrated database for every test, and people who sign in to it as through the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from pytest_postgresql import factories
from pytest_postgresql.executors import NoopExecutor

from tests.support.brains import Place, empty_place, place_with_brain, root_directory
from tests.support.server import load_schema, shared_server

_server = shared_server()
# A migrated template; `postgresql` clones it for a test that needs a database of its own.
postgresql_noproc = factories.postgresql_noproc(
    host=_server.host, port=_server.port, user=_server.user, load=[partial(load_schema, dimensions=3)]
)
postgresql = factories.postgresql("postgresql_noproc")


@dataclass
class Person:
    """Somebody who calls the database as PostgREST would for them: role and claims in each transaction."""

    conn: psycopg.Connection[Any]
    owner_id: UUID | None
    role: str = "authenticated"

    def query(self, sql: str, params: Any = None) -> list[dict[str, Any]]:
        """Run one statement in a transaction of its own; rows as dicts."""
        claims = {"role": self.role} | ({"sub": str(self.owner_id)} if self.owner_id else {})
        with self.conn.transaction(), self.conn.cursor(row_factory=dict_row) as cursor:
            cursor.execute("select set_config('request.jwt.claims', %s, true)", [json.dumps(claims)])
            cursor.execute(f"set local role {self.role}".encode())
            cursor.execute(sql, params)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def call(self, function: str, **arguments: Any) -> Any:
        """Call an RPC with named arguments: a list of rows, or the value of a function that returns one."""
        named = ", ".join(f"{name} => %({name})s" for name in arguments)
        rows = self.query(f"select * from public.{function}({named})", arguments)
        if len(rows) == 1 and list(rows[0]) == [function]:
            return rows[0][function]
        return rows

    def capture(self, content: str, **arguments: Any) -> UUID:
        """Capture one thought and give its id."""
        return UUID(self.call("capture_thought", content=content, **arguments)["id"])


ADA = UUID("aaaaaaaa-0000-4000-8000-000000000001")
BEN = UUID("bbbbbbbb-0000-4000-8000-000000000002")


@pytest.fixture(scope="session")
def worker_database(postgresql_noproc: NoopExecutor, worker_id: str) -> Iterator[str]:
    """One clone for all tests of a worker; `db` empties it, which is far quicker than another clone."""
    where = {"host": _server.host, "port": _server.port, "user": _server.user}
    name = f"shared_{worker_id}"
    with psycopg.connect(**where, dbname="postgres", autocommit=True) as conn:
        conn.execute(f"drop database if exists {name} with (force)")
        conn.execute(f"create database {name} template {postgresql_noproc.template_dbname}")
        yield psycopg.conninfo.make_conninfo(**where, dbname=name)
        conn.execute(f"drop database {name} with (force)")


@pytest.fixture(scope="session")
def default_settings(worker_database: str) -> list[tuple[Any, ...]]:
    """The settings as the migrations leave them."""
    with psycopg.connect(worker_database) as conn:
        return conn.execute("select key, value from cortex.settings").fetchall()


@pytest.fixture
def db(worker_database: str, default_settings: list[tuple[Any, ...]]) -> Iterator[psycopg.Connection[Any]]:
    """The database owner's connection to an empty brain, outside any transaction."""
    with psycopg.connect(worker_database, autocommit=True) as conn:
        yield conn
    with psycopg.connect(worker_database, autocommit=True) as conn:
        tables = conn.execute(_FILLED).fetchone()
        if tables and tables[0]:
            conn.execute(f"truncate {tables[0]} restart identity cascade")
        with conn.cursor() as cursor:
            cursor.executemany(
                "update cortex.settings set value = %s where key = %s and value <> %s",
                [(Jsonb(value), key, Jsonb(value)) for key, value in default_settings],
            )


_FILLED = """
    select string_agg(format('%I.%I', n.nspname, c.relname), ', ')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'cortex') and c.relkind = 'r'
      and c.relname not in ('settings', 'jobs', 'model_prices')
"""


@pytest.fixture
def ada(db: psycopg.Connection[Any]) -> Person:
    """One tenant."""
    return Person(db, ADA)


@pytest.fixture
def ben(db: psycopg.Connection[Any]) -> Person:
    """Another tenant, who must never see Ada's."""
    return Person(db, BEN)


@pytest.fixture
def anon(db: psycopg.Connection[Any]) -> Person:
    """Nobody in particular, with the public key."""
    return Person(db, None, role="anon")


@pytest.fixture
def service(db: psycopg.Connection[Any]) -> Person:
    """The service role."""
    return Person(db, None, role="service_role")


@pytest.fixture
def root() -> Iterator[Path]:
    """A directory for a local brain."""
    with root_directory() as directory:
        yield directory


@pytest.fixture
def empty(root: Path) -> Iterator[Place]:
    """A place for a local brain, and none in it."""
    with empty_place(root) as place:
        yield place


@pytest.fixture
def made(root: Path) -> Iterator[Place]:
    """A place with a local brain that is not up."""
    with place_with_brain(root) as place:
        yield place
