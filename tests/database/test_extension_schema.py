"""Wherever a project keeps pgvector, the migrations arrive at a brain that can be searched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from pgcortex import _migrations, local
from tests.database.conftest import ADA, Person
from tests.support.server import shared_server

Connection = psycopg.Connection[Any]

USERS_OWN = """
    create extension vector with schema {schema};
    create extension btree_gin with schema {schema};
    create table public.notes (id int primary key, embedding {schema}.vector(3));
    create index notes_embedding_idx on public.notes using hnsw (embedding {schema}.vector_cosine_ops);
    insert into public.notes select n, array[n, 1, 1]::{schema}.vector from generate_series(1, 20) n;
"""


@pytest.fixture(scope="module", params=["public", "extensions"])
def project(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A project that used pgvector, in one schema or the other, before our migrations came."""
    server = shared_server()
    where = {"host": server.host, "port": str(server.port), "user": server.user}
    name = f"project_{uuid4().hex[:8]}"
    dsn = psycopg.conninfo.make_conninfo(
        "", **where, dbname=name, options="-c pgcortex.embedding_dimensions=3"
    )
    maintenance = psycopg.conninfo.make_conninfo("", **where, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as postgres:
        postgres.execute(f"create database {name}".encode())
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute(local.bootstrap_script())
            conn.execute(USERS_OWN.format(schema=request.param).encode())
            _migrations.apply(conn)
        with psycopg.connect(dsn, autocommit=True) as conn:
            yield conn
        postgres.execute(f"drop database {name} with (force)".encode())


def test_capture_and_search_work_case_c01(project: Connection) -> None:
    ada = Person(project, ADA)
    near = ada.capture("coffee with Rae", embedding="[1,0.1,0]", topics=["coffee"], session_id="s")
    far = ada.capture("tea with Ben", embedding="[0,0,1]", session_id="s")
    for function in ("search_thoughts", "recall"):
        hits = ada.call(function, query_embedding="[1,0,0]", query_text="coffee")
        assert hits[0]["id"] == near
        assert hits[0]["similarity"] == pytest.approx(0.995, abs=1e-3)
    assert [hit["id"] for hit in ada.call("search_thoughts", query_text="tea")] == [far]
    assert [row["id"] for row in ada.call("list_thoughts", topics=["coffee"])] == [near]
    assert ada.call("explain_search", query_embedding="[1,0,0]")["memories"] == 2


def test_hnsw_is_searched_too_case_c01(project: Connection) -> None:
    project.execute("update cortex.settings set value = '0' where key = 'exact_scan_cells'")
    ada = Person(project, uuid4())
    near = ada.capture("coffee with Rae", embedding="[1,0.1,0]")
    assert [hit["id"] for hit in ada.call("search_thoughts", query_embedding="[1,0,0]")] == [near]


def test_the_write_ups_query_works_case_c01(project: Connection) -> None:
    ada = Person(project, uuid4())
    ada.query("insert into thoughts (content, embedding) values ('near', '[1,0.1,0]'), ('far', '[0,0,1]')")
    rows = ada.query(
        "select content from thoughts where 1 - (embedding <=> '[1,0,0]') > 0.5"
        " order by embedding <=> '[1,0,0]' limit 10"
    )
    assert [row["content"] for row in rows] == ["near"]


def test_what_the_project_had_goes_on_working_case_c01(project: Connection) -> None:
    project.execute("set enable_seqscan = off")
    search = "select id from notes order by embedding <=> '[1,1,1]' limit 1"
    assert project.execute(search.encode()).fetchone() == (1,)
    plan = project.execute(f"explain (format json) {search}".encode()).fetchone()
    assert "notes_embedding_idx" in json.dumps(plan)
    project.execute("reset enable_seqscan")
    project.execute("insert into notes values (21, '[1,2,3]')")


def test_every_function_has_exactly_one_signature_case_c02(db: Connection) -> None:
    functions = db.execute(
        """
        select p.pronamespace::regnamespace || '.' || p.proname as name, array_agg(p.oid::regprocedure::text)
        from pg_proc p
        where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
          and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        group by 1
        """
    ).fetchall()
    assert "public.search_thoughts" in {name for name, _ in functions}
    assert {name: signatures for name, signatures in functions if len(signatures) != 1} == {}


def test_every_public_function_can_be_called_by_argument_names_case_c02(db: Connection) -> None:
    unnamed = db.execute(
        """
        select p.oid::regprocedure::text from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
          and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
          and p.pronargs > 0 and (p.proargnames is null or '' = any (p.proargnames))
        """
    ).fetchall()
    assert unnamed == []
