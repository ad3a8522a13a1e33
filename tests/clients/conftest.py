"""A brain behind the REST API, for clients that speak HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.support.lite import Lite, lite
from tests.support.server import load_schema, shared_server

DIMENSIONS = 3
"""Of the vectors in this brain."""


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lite]:
    """One empty brain for all tests of a worker; let each test sign in users of its own."""
    server = shared_server()
    database = f"clients_{os.getpid()}"
    host, port, user = server.host, server.port, server.user
    postgres = make_conninfo(host=host, port=port, user=user, dbname="postgres")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(database)))
    load_schema(host=host, port=port, user=user, dbname=database, dimensions=DIMENSIONS)
    with lite(make_conninfo(postgres, dbname=database), tmp_path_factory.mktemp("lite")) as api:
        yield api
