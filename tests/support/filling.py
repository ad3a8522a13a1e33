"""Many memories at once, written as the database owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import psycopg

_ACTIVATION = {"strength", "access_count", "last_accessed_at"}


def fill(conn: psycopg.Connection[Any], owner_id: UUID, memories: Sequence[Mapping[str, Any]]) -> None:
    """Insert memories with any columns, `content` at least; the triggers do the rest.

    `strength`, `access_count` and `last_accessed_at` go to the memory's activation, which needs its `id`.
    """
    with conn.transaction(), conn.pipeline():
        for memory in memories:
            row = {name: value for name, value in memory.items() if name not in _ACTIVATION}
            _insert(conn, row | {"owner_id": owner_id})
            if touched := {name: value for name, value in memory.items() if name in _ACTIVATION}:
                conn.execute(
                    f"update public.memory_activation set {', '.join(f'{name} = %s' for name in touched)}"
                    " where owner_id = %s and memory_id = %s".encode(),
                    [*touched.values(), owner_id, memory["id"]],
                )


def _insert(conn: psycopg.Connection[Any], row: Mapping[str, Any]) -> None:
    places = ", ".join(["%s"] * len(row))
    conn.execute(
        f"insert into public.memories ({', '.join(row)}) values ({places})".encode(), list(row.values())
    )


def fill_many(conn: psycopg.Connection[Any], owner_id: UUID, rows: int, columns: Mapping[str, str]) -> None:
    """Insert `rows` plain memories in one statement; `columns` are SQL expressions over the row number n.

    Triggers are off, so the content must be as short as "memory 17" and `fts` given by the caller where
    words matter.
    """
    vector = columns.get("embedding", "null")
    model = "(select value #>> '{}' from cortex.settings where key = 'embedding_model')"
    given = {
        "content": "'memory ' || n",
        "content_hash": "decode(md5(n::text), 'hex')",
        "fts": "''::tsvector",
        "embedding_model": f"case when ({vector}) is not null then {model} end",
        **columns,
    }
    # An index is quicker built than grown.
    indexes = ("memories_embedding_idx", "memories_words_idx")
    with conn.transaction():
        conn.execute("set local session_replication_role = replica")
        [(definitions,)] = conn.execute(
            "select array_agg(pg_get_indexdef(to_regclass('public.' || i))) from unnest(%s::text[]) i",
            [list(indexes)],
        )
        conn.execute(f"drop index {', '.join(f'public.{name}' for name in indexes)}".encode())
        conn.execute(
            f"with made as (insert into public.memories (owner_id, {', '.join(given)})"
            f" select %s, {', '.join(given.values()).replace('%', '%%')} from generate_series(1, %s) n"
            " returning owner_id, id)"
            " insert into public.memory_activation (owner_id, memory_id)"
            " select owner_id, id from made".encode(),
            [owner_id, rows],
        )
        for definition in definitions:
            conn.execute(definition)
