"""Another embedding model for a whole brain, over a connection of the database's owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from pgcortex._core import vector_text
from pgcortex._errors import (
    CortexError,
    DatabaseUnavailable,
    EmbeddingMismatch,
    InvalidInput,
    NotAuthorized,
    ProviderRefused,
)
from pgcortex._operations._capture import blend
from pgcortex._transports._failures import failure_from
from pgcortex.embedding import Embedder

BATCH = 50
"""Memories embedded and stored at a time; what an interruption costs at most."""

Told = Callable[[int, int], None]
"""Called with the memories done, and those that waited at the start."""

Row = dict[str, Any]


@dataclass
class Reembedding:
    """What one run did. `refused` are the ids that the model would not embed, with its words."""

    model: str
    dimensions: int
    embedded: int = 0
    waiting: int = 0
    refused: dict[str, str] = field(default_factory=dict)


def reembed(
    dsn: str, embedder: Embedder, *, context_weight: float = 0.3, told: Told | None = None
) -> Reembedding:
    """Make `embedder` the model of the brain, and embed what has no vector of it.

    Searches stay right meanwhile, and after an interruption another run goes on where this one ended.

    context_weight: share of the previous thought of a session in a vector, as in captures.

    Raises NotAuthorized for anybody but the owner of the database, ProviderUnavailable and ProviderRefused
    (nothing was changed when the first request fails), EmbeddingMismatch when the model makes vectors of
    another length than it promises, Conflict when another run moves the brain to another model.
    """
    _try_out(embedder)
    done = Reembedding(embedder.model, embedder.dimensions)
    with _owner(dsn) as conn:
        total = _value(conn, "select cortex.begin_reembed(%s, %s)", embedder.model, embedder.dimensions)
        for rows in _batches(conn):
            vectors = _vectors(embedder, rows, context_weight, done.refused)
            done.embedded += _store(conn, embedder.model, rows, vectors)
            if told:
                told(done.embedded + len(done.refused), max(total, done.embedded + len(done.refused)))
        done.waiting = _value(conn, "select cortex.finish_reembed()")
    return done


def _try_out(embedder: Embedder) -> None:
    """One small request before anything is changed: the key, the address and the length are right."""
    [vector] = embedder.embed(["Is anybody there?"])
    if len(vector) != embedder.dimensions:
        raise EmbeddingMismatch(
            f"{embedder.model} makes {len(vector)} dimensions, {embedder.dimensions} were expected",
            hint=f"run it with --dimensions {len(vector)}",
        )


def _batches(conn: psycopg.Connection[Row]) -> Iterator[list[Row]]:
    last: Row = {"owner_id": None, "id": None}
    query = "select * from cortex.reembed_batch(%s, %s, %s)"
    while rows := conn.execute(query, [BATCH, last["owner_id"], last["id"]]).fetchall():
        yield rows
        last = rows[-1]


def _vectors(
    embedder: Embedder, rows: Sequence[Row], weight: float, refused: dict[str, str]
) -> dict[str, list[float]]:
    """The vector of each text; a text that is refused by itself is noted, so that it holds up no other."""
    texts = [row["embedding_text"] for row in rows]
    before = [row["previous"] for row in rows if row["previous"] and weight]
    try:
        every = list(dict.fromkeys(texts + before))
        known = dict(zip(every, embedder.embed(every), strict=True))
    except (ProviderRefused, InvalidInput) as error:
        known = {}
        for row in rows:
            try:
                [known[row["embedding_text"]]] = embedder.embed([row["embedding_text"]])
            except (ProviderRefused, InvalidInput) as own:
                refused[str(row["id"])] = own.message
        if not known and len(rows) > 1:
            raise error
    vectors = {}
    for row in rows:
        own_vector, context = known.get(row["embedding_text"]), known.get(row["previous"] or "")
        if own_vector is not None:
            vectors[str(row["id"])] = blend(own_vector, context, weight) if context else own_vector
    return vectors


def _store(
    conn: psycopg.Connection[Row], model: str, rows: Sequence[Row], vectors: dict[str, list[float]]
) -> int:
    items = [
        {
            "owner_id": str(row["owner_id"]),
            "id": str(row["id"]),
            "version": row["version"],
            "embedding": vector_text(vectors[str(row["id"])]),
        }
        for row in rows
        if str(row["id"]) in vectors
    ]
    return _value(conn, "select cortex.store_vectors(%s, %s)", model, Jsonb(items))


def _value(conn: psycopg.Connection[Row], query: str, *arguments: Any) -> int:
    row = conn.execute(query.encode(), arguments).fetchone()
    assert row is not None
    value: int = next(iter(row.values()))
    return value


@contextmanager
def _owner(dsn: str) -> Iterator[psycopg.Connection[Row]]:
    """A session without a time limit, for the index takes its time; database errors are translated."""
    try:
        # Without prepared statements, since the column's type may change under them.
        with psycopg.connect(dsn, autocommit=True, row_factory=dict_row, prepare_threshold=None) as conn:
            conn.execute("set statement_timeout = 0")
            yield conn
    except psycopg.Error as error:
        raise _failure(error) from None


def _failure(error: psycopg.Error) -> CortexError:
    if error.sqlstate is None:
        # Connection errors quote the address; the address may hold a password.
        return DatabaseUnavailable(
            "the connection to the database was lost or refused",
            hint="run it again: it goes on where it ended",
        )
    if error.sqlstate == "42501":
        return NotAuthorized(
            f"only the owner of the database can change its model: {error.diag.message_primary}",
            hint="set PGCORTEX_DATABASE_URL to the owner's address (on Supabase that of the user postgres)",
        )
    diag = error.diag
    return failure_from(
        error.sqlstate, diag.message_primary or "the database refused", diag.message_hint, diag.message_detail
    )
