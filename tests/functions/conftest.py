"""A migrated database, a model provider and the functions, all real; emptied between tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.functions import Functions, token
from tests.support.provider import Provider
from tests.support.server import load_schema, shared_server

ADA = UUID("aaaaaaaa-0000-4000-8000-000000000001")
BEN = UUID("bbbbbbbb-0000-4000-8000-000000000002")
DIMENSIONS = 64


@contextmanager
def migrated_database(name: str, dimensions: int = DIMENSIONS) -> Iterator[dict[str, Any]]:
    """Return how to reach a brain of its own; it is dropped in the end."""
    server = shared_server()
    where: dict[str, Any] = {"host": server.host, "port": server.port, "user": server.user}
    with psycopg.connect(**where, dbname="postgres", autocommit=True) as conn:
        conn.execute(f"drop database if exists {name} with (force)".encode())
        conn.execute(f"create database {name}".encode())
        load_schema(**where, dbname=name, dimensions=dimensions)
        yield where | {"dbname": name}
        conn.execute(f"drop database {name} with (force)".encode())


@pytest.fixture(scope="session")
def functions_database(worker_id: str) -> Iterator[dict[str, Any]]:
    with migrated_database(f"functions_{worker_id}") as where:
        yield where


def login_url(where: dict[str, Any]) -> str:
    """Return the address of a database as the login role that PostgREST also uses."""
    return psycopg.conninfo.make_conninfo(**where | {"user": "authenticator"})


@pytest.fixture(scope="session")
def model_server() -> Iterator[Provider]:
    with Provider() as provider:
        provider.hang = 3.0
        yield provider


@pytest.fixture(scope="session")
def environment(functions_database: dict[str, Any], model_server: Provider) -> dict[str, str]:
    """Settings of the functions."""
    return {
        "PGCORTEX_DATABASE_URL": login_url(functions_database),
        "PGCORTEX_OPENAI_BASE_URL": model_server.url,
        "PGCORTEX_OPENAI_API_KEY": "sk-tests-only",
        "PGCORTEX_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        "PGCORTEX_LLM_MODEL": "gpt-4o-mini",
        "PGCORTEX_TIMEOUT": "5",
        "PGCORTEX_PROVIDER_WAIT": "0.3",
        "PGCORTEX_CORS_ORIGINS": '["https://app.example"]',
        "PGCORTEX_MAX_BODY_BYTES": "1500000",
    }


@pytest.fixture(scope="session")
def running_functions(environment: dict[str, str]) -> Iterator[Functions]:
    with Functions(environment) as functions:
        yield functions


@pytest.fixture
def db(functions_database: dict[str, Any]) -> Iterator[psycopg.Connection[Any]]:
    """The database owner's connection to an empty brain."""
    with psycopg.connect(**functions_database, autocommit=True) as conn:
        before = conn.execute("select key, value from cortex.settings").fetchall()
        yield conn
        conn.execute("truncate public.memories, public.memory_events, public.model_calls cascade")
        for key, value in before:
            conn.execute("update cortex.settings set value = %s where key = %s", [Jsonb(value), key])


@pytest.fixture
def provider(model_server: Provider) -> Provider:
    model_server.reset()
    return model_server


@pytest.fixture
def functions(running_functions: Functions, db: Any, provider: Provider) -> Functions:
    return running_functions


@pytest.fixture
def ada() -> str:
    """Ada's access token."""
    return token(ADA)


@pytest.fixture
def ben() -> str:
    """Ben's access token."""
    return token(BEN)


def memories(db: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    """Return every stored memory as a dict, oldest first."""
    rows = db.execute("select to_jsonb(m) from public.memories m order by created_at").fetchall()
    return [row[0] for row in rows]
