"""Migrated databases on the shared server, for tests that share one and sign in as users of their own."""

from __future__ import annotations

import os

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.support.server import load_schema, shared_server


def new_database(name: str, *, dimensions: int) -> str:
    """Make and migrate `NAME_PID` on this run's server; its address, the superuser's."""
    server = shared_server()
    database = f"{name}_{os.getpid()}"
    host, port, user = server.host, server.port, server.user
    postgres = make_conninfo(host=host, port=port, user=user, dbname="postgres")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(database)))
    load_schema(host=host, port=port, user=user, dbname=database, dimensions=dimensions)
    return make_conninfo(postgres, dbname=database)
