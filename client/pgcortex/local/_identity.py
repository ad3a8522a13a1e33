"""The brain's owner and the size of its vectors.

Both live in the database, as `pgcortex.owner_id` and `pgcortex.embedding_dimensions` among its settings:
each session and the migrations read them with `current_setting`. `identity.json` in the data directory (mode
0600) repeats them, so that they are known while the server is down and a brain made anew in the same
directory keeps its owner. When they differ, the database is right, because its memories carry that owner; a
lost file is written again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

_OWNER = "pgcortex.owner_id"
_DIMENSIONS = "pgcortex.embedding_dimensions"
_BOOTSTRAP = "pgcortex.bootstrap"


@dataclass(frozen=True)
class Identity:
    """Owner, length of the vectors, and the hash of the bootstrap.sql that prepared the database."""

    owner_id: UUID
    dimensions: int
    bootstrap: str


def read_file(path: Path) -> tuple[UUID, int] | None:
    """Owner and dimensions from the file; None when it is missing or damaged."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return UUID(stored["owner_id"]), int(stored["dimensions"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def write_file(path: Path, identity: Identity) -> None:
    """Keep a copy outside the database; a reader sees the old file or the new one, never half of it."""
    if read_file(path) == (identity.owner_id, identity.dimensions):
        return
    text = json.dumps({"owner_id": str(identity.owner_id), "dimensions": identity.dimensions}, indent=2)
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600, exist_ok=False)
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)


def read_database(conn: psycopg.Connection[Any]) -> Identity | None:
    """The identity in the database's settings; None before it is stored."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(
            "select setting from pg_db_role_setting, unnest(setconfig) setting"
            " where setrole = 0"
            " and setdatabase = (select oid from pg_database where datname = current_database())"
        )
        stored = dict(setting.split("=", 1) for (setting,) in cursor.fetchall())
    if not {_OWNER, _DIMENSIONS, _BOOTSTRAP} <= stored.keys():
        return None
    return Identity(UUID(stored[_OWNER]), int(stored[_DIMENSIONS]), stored[_BOOTSTRAP])


def write_database(conn: psycopg.Connection[Any], identity: Identity) -> None:
    """Store the identity as the database's settings, and the owner as its first user."""
    values = {
        _OWNER: str(identity.owner_id),
        _DIMENSIONS: str(identity.dimensions),
        _BOOTSTRAP: identity.bootstrap,
    }
    database = sql.Identifier(conn.info.dbname)
    for name, value in values.items():
        conn.execute(
            sql.SQL("alter database {} set {} = {}").format(
                database, sql.Identifier(*name.split(".")), sql.Literal(value)
            )
        )
    conn.execute("insert into auth.users (id) values (%s) on conflict do nothing", [identity.owner_id])
