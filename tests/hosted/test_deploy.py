"""Deploying with the Supabase CLI, and being deployed by our own runner, come to the same."""

from __future__ import annotations

from pathlib import Path

import psycopg
from psycopg import sql

from pgcortex import _migrations, local
from tests.hosted.cli import supabase, supabase_json
from tests.hosted.stack import HostedStack
from tests.support.tcp import tcp_port

HISTORY = "select version, name, statements from supabase_migrations.schema_migrations order by version"


def history(dsn: str) -> list[tuple[str, str, list[str]]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(HISTORY).fetchall()


def files() -> list[tuple[str, str]]:
    return [(migration.version, migration.name) for migration in _migrations.known()]


def versions_listed(dsn: str) -> list[tuple[str | None, str | None]]:
    """(in the folder, in the database), as `supabase migration list` says."""
    listed = supabase_json(dsn, "migration", "list")["migrations"]
    return [(row["local"], row["remote"]) for row in listed]


def test_db_push_applies_every_migration(project: str) -> None:
    assert [(version, name) for version, name, _ in history(project)] == files()


def test_a_second_db_push_finds_nothing_to_do(project: str) -> None:
    before = history(project)
    pushed = supabase(project, "db", "push")
    assert "Remote database is up to date." in pushed.stdout
    assert history(project) == before


def test_migration_list_agrees_after_db_push(project: str) -> None:
    assert versions_listed(project) == [(version, version) for version, _ in files()]


def test_the_cli_takes_what_our_runner_applied_for_its_own(stack: HostedStack, project: str) -> None:
    dsn = stack.new_project("by_our_runner")
    with psycopg.connect(dsn, autocommit=True) as connection:
        _migrations.apply(connection)
    assert history(dsn) == history(project)
    assert "Remote database is up to date." in supabase(dsn, "db", "push").stdout


def test_the_cli_agrees_with_a_local_brain(tmp_path: Path) -> None:
    brain = local.up(tmp_path / "brain", settings={"fsync": "off"})
    try:
        where = psycopg.conninfo.conninfo_to_dict(brain.dsn)
        with tcp_port(Path(str(where["host"])) / f".s.PGSQL.{where['port']}") as port:
            dsn = f"postgresql://{where['user']}@127.0.0.1:{port}/{where['dbname']}?sslmode=disable"
            assert versions_listed(dsn) == [(version, version) for version, _ in files()]
            assert "Remote database is up to date." in supabase(dsn, "db", "push").stdout
    finally:
        local.down(tmp_path / "brain")


def test_pgvector_in_the_schema_public_is_found_too(stack: HostedStack) -> None:
    """Case C01: wherever the project installed pgvector, the migrations apply and a search works."""
    dsn = stack.new_project("vector_in_public", vector_schema="public")
    supabase(dsn, "db", "push")
    vector = "[" + ",".join(["1"] + ["0"] * 1535) + "]"
    capture = sql.SQL("select capture_thought(content => 'Postgres is enough', embedding => {})").format(
        vector
    )
    search = sql.SQL(
        "select content from search_thoughts(query_embedding => {}, match_threshold => 0.5, match_count => 3)"
    )
    with psycopg.connect(dsn) as connection:
        claims = '{"sub": "00000000-0000-4000-8000-000000000001", "role": "authenticated"}'
        connection.execute("select set_config('request.jwt.claims', %s, true)", [claims])
        connection.execute("set local role authenticated")
        connection.execute(capture)
        assert connection.execute(search.format(vector)).fetchall() == [("Postgres is enough",)]


def test_the_seed_file_can_be_pushed(stack: HostedStack) -> None:
    dsn = stack.new_project("seeded")
    assert "Seeding data from supabase/seed.sql" in supabase(dsn, "db", "push", "--include-seed").stderr
