"""How many memories an owner has is read from statistics, which are always a little old."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.database.conftest import ADA, Person
from tests.support.filling import fill_many

QUERY = {"query_embedding": "[1,0,0]", "match_threshold": -2}


def test_statistics_are_scaled_to_what_the_table_has_grown_to(db: psycopg.Connection[Any]) -> None:
    db.execute("update cortex.settings set value = '3000' where key = 'exact_scan_cells'")
    fill_many(db, ADA, 200, {"embedding": "array[1, sin(n), cos(n)]::extensions.halfvec"})
    db.execute("analyze public.memories")
    ada = Person(db, ADA)
    assert ada.call("explain_search", **QUERY)["plan"] == "exact"
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute("""
            insert into public.memories (owner_id, content, content_hash, fts, embedding, embedding_model)
            select owner_id, content || n, decode(md5(content || '/' || n), 'hex'),
                   fts, embedding, embedding_model
            from public.memories, generate_series(1, 15) n""")
    assert ada.call("explain_search", **QUERY)["plan"] == "hnsw"
