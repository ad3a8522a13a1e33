"""The throw-away server that the database tests share, and a plain database made into one like Supabase's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import psycopg
import pytest
from pytest_postgresql import factories

from pgcortex import local
from tests.support.server import load_schema, shared_server

_SERVER = shared_server()
_NOTES = Path(__file__).parent / "notes_migrations"

plain_server = factories.postgresql_noproc(
    host=_SERVER.host,
    port=_SERVER.port,
    user=_SERVER.user,
    dbname="plain",
    load=[partial(load_schema, migrations=_NOTES, dimensions=3)],
)
database = factories.postgresql("plain_server")

Connection = psycopg.Connection[tuple[Any, ...]]


def _value(conn: Connection, query: str) -> Any:
    row = conn.execute(query.encode()).fetchone()
    return row[0] if row else None


def test_each_test_gets_a_migrated_database_of_its_own(database: Connection) -> None:
    database.execute("insert into notes values (1, '[1,2,3]')")

    assert _value(database, "select '[1,2,3]'::vector <=> embedding from notes") == 0
    assert _value(database, "select count(*) from supabase_migrations.schema_migrations") == 1


def test_the_next_test_does_not_see_it(database: Connection) -> None:
    assert _value(database, "select count(*) from notes") == 0


def test_vectors_have_the_length_that_was_asked_for(database: Connection) -> None:
    with pytest.raises(psycopg.errors.DataException, match="expected 3 dimensions"):
        database.execute("insert into notes values (1, '[1,2]')")


def test_everything_in_public_is_granted_until_it_is_revoked(database: Connection) -> None:
    """As in hosted projects, so that a revoke that is missing shows."""
    for role in ("anon", "authenticated", "service_role"):
        assert _value(
            database, f"select has_table_privilege('{role}', 'notes', 'select, insert, update, delete')"
        )
        assert _value(database, f"select has_function_privilege('{role}', 'shout(text)', 'execute')")
        assert _value(database, f"select has_schema_privilege('{role}', 'extensions', 'usage')")
        assert not _value(database, f"select has_schema_privilege('{role}', 'public', 'create')")
        assert not _value(database, f"select has_table_privilege('{role}', 'auth.users', 'select')")


def test_roles_are_what_supabase_makes_them(database: Connection) -> None:
    rows = database.execute(
        "select rolname, rolcanlogin, rolinherit, rolbypassrls, rolsuper from pg_roles"
        " where rolname in ('anon', 'authenticated', 'authenticator', 'service_role') order by 1"
    ).fetchall()

    assert rows == [
        ("anon", False, False, False, False),
        ("authenticated", False, False, False, False),
        ("authenticator", True, False, False, False),
        ("service_role", False, False, True, False),
    ]
    database.execute("set session authorization authenticator")
    for role in ("anon", "authenticated", "service_role"):
        database.execute(f"set role {role}".encode())
        assert _value(database, "select current_user") == role
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.execute("set role postgres")


@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
def test_the_token_names_the_user_for_every_role(database: Connection, role: str) -> None:
    owner, other = str(uuid4()), str(uuid4())
    database.execute(f"set role {role}".encode())
    assert _value(database, "select auth.uid()") is None
    assert _value(database, "select auth.jwt()") is None

    claims = json.dumps({"sub": owner, "role": role, "email": "a@example.com"})
    database.execute("select set_config('request.jwt.claims', %s, false)", [claims])
    assert str(_value(database, "select auth.uid()")) == owner
    assert _value(database, "select auth.role()") == role
    assert _value(database, "select auth.jwt() ->> 'email'") == "a@example.com"

    # What PostgREST set before version 9 wins, as it does on Supabase; empty is the same as not set.
    database.execute("select set_config('request.jwt.claim.sub', %s, false)", [other])
    assert str(_value(database, "select auth.uid()")) == other
    database.execute("select set_config('request.jwt.claim.sub', '', false)")
    database.execute("select set_config('request.jwt.claims', '', false)")
    assert _value(database, "select auth.uid()") is None


def test_the_bootstrap_can_be_repeated(database: Connection) -> None:
    query = "select nspname, nspacl::text from pg_namespace where nspname in ('auth', 'extensions', 'public')"
    before = database.execute(query).fetchall()

    database.execute(local.bootstrap_script())

    assert database.execute(query).fetchall() == before


def test_the_bootstrap_refuses_a_real_supabase(database: Connection) -> None:
    database.execute("comment on schema auth is 'the real one'")

    with pytest.raises(psycopg.errors.DuplicateSchema, match="did not create"):
        database.execute(local.bootstrap_script())


@pytest.mark.slow
def test_workers_share_one_server_and_the_last_one_stops_it() -> None:
    script = (
        "import sys; from tests.support.server import shared_server; import psycopg; s = shared_server();"
        "print(s.data_dir, (s.data_dir / 'postgres' / 'postmaster.pid').read_text().split()[0], flush=True);"
        "sys.stdin.readline()"
    )
    environment = os.environ | {
        "PYTEST_XDIST_TESTRUNUID": uuid4().hex,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    answers = []
    for worker in workers:
        assert worker.stdout is not None
        answers.append(worker.stdout.readline().split())
    data_dir, pid = Path(answers[0][0]), int(answers[0][1])
    assert answers[0] == answers[1]

    workers[0].communicate("done\n")
    assert psutil.Process(pid).cwd() == str(data_dir / "postgres")

    workers[1].communicate("done\n")
    assert not data_dir.parent.exists()
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
