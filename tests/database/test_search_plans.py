"""The rows a search brings do not depend on the plan, and the plan is the one that is meant."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.database.conftest import ADA, BEN, Person
from tests.support.filling import fill_many
from tests.support.plans import watched_plans

NEAR, FAR = 5000, 20
QUERY = {"query_embedding": "[1,0,0]", "match_threshold": -2}
SWITCHES = ["enable_seqscan", "enable_sort", "enable_bitmapscan", "enable_indexscan", "enable_indexonlyscan"]


@pytest.fixture(scope="module")
def filled(worker_database: str) -> Iterator[psycopg.Connection[Any]]:
    """Case C04: 5,000 memories of Ada close to the query, 20 of Ben far away."""
    with psycopg.connect(worker_database, autocommit=True) as conn:
        near = "array[1, sin(n) / 2, cos(n * 7) / 2]::extensions.halfvec"
        far = "array[-1, sin(n), cos(n * 7)]::extensions.halfvec"
        fill_many(conn, ADA, NEAR, {"embedding": near, "fts": "'near:1C'::tsvector"})
        fill_many(conn, BEN, FAR, {"embedding": far, "fts": "'far:1C'::tsvector"})
        conn.execute("analyze public.memories")
        yield conn
        conn.execute("truncate public.memories, public.memory_events cascade")


@pytest.fixture
def conn(filled: psycopg.Connection[Any], worker_database: str) -> Iterator[psycopg.Connection[Any]]:
    """A session of its own, and the settings put back."""
    kept = filled.execute("select key, value from cortex.settings").fetchall()
    with psycopg.connect(worker_database, autocommit=True) as connection:
        yield connection
    for key, value in kept:
        configure(filled, key, value)


@pytest.fixture
def big(conn: psycopg.Connection[Any]) -> Person:
    """Ada, who has 5,000 memories."""
    return Person(conn, ADA)


@pytest.fixture
def small(conn: psycopg.Connection[Any]) -> Person:
    """Ben, who has 20."""
    return Person(conn, BEN)


def configure(conn: psycopg.Connection[Any], key: str, value: Any) -> None:
    conn.execute(
        "update cortex.settings set value = %(value)s where key = %(key)s and value <> %(value)s",
        {"key": key, "value": Jsonb(value)},
    )


def nearest(conn: psycopg.Connection[Any], person: Person, wanted: int) -> list[float]:
    """The best similarities there are, by comparing every row."""
    rows = conn.execute(
        "select embedding::vector::real[] from public.memories where owner_id = %s", [person.owner_id]
    ).fetchall()
    return sorted((x / math.hypot(x, y, z) for ((x, y, z),) in rows), reverse=True)[:wanted]


def similarities(hits: list[dict[str, Any]]) -> list[float]:
    return sorted((hit["similarity"] for hit in hits), reverse=True)


@pytest.mark.parametrize("switch", [None, *SWITCHES])
@pytest.mark.parametrize(("cells", "plan"), [(10_000_000, "exact"), (0, "exact after hnsw")])
def test_a_small_owner_beside_a_big_one_gets_all_case_c04(
    small: Person, conn: psycopg.Connection[Any], switch: str | None, cells: int, plan: str
) -> None:
    configure(conn, "exact_scan_cells", cells)
    if switch:
        conn.execute(f"set {switch} = off".encode())
    hits = small.call("search_thoughts", **QUERY)
    assert similarities(hits) == pytest.approx(nearest(conn, small, 10), abs=1e-3)
    assert len({hit["id"] for hit in hits}) == 10
    assert small.call("explain_search", **QUERY)["plan"] == plan
    assert len(small.call("search_thoughts", **QUERY, match_count=200)) == FAR


@pytest.mark.parametrize("switch", [None, *SWITCHES])
@pytest.mark.parametrize(("cells", "plan"), [(10_000_000, "exact"), (0, "hnsw")])
def test_the_big_owner_gets_the_nearest_by_any_plan(
    big: Person, conn: psycopg.Connection[Any], switch: str | None, cells: int, plan: str
) -> None:
    configure(conn, "exact_scan_cells", cells)
    if switch:
        conn.execute(f"set {switch} = off".encode())
    hits = big.call("search_thoughts", **QUERY, weights='{"strength": 0, "recency": 0, "access": 0}')
    assert similarities(hits) == pytest.approx(nearest(conn, big, 10), abs=1e-3)
    assert big.call("explain_search", **QUERY)["plan"] == plan


def test_a_scan_that_gives_up_early_is_made_good_exactly_case_c04(
    small: Person, conn: psycopg.Connection[Any]
) -> None:
    configure(conn, "exact_scan_cells", 0)
    conn.execute("set hnsw.max_scan_tuples = 1")
    hits = small.call("search_thoughts", **QUERY)
    assert similarities(hits) == pytest.approx(nearest(conn, small, 10), abs=1e-3)
    assert small.call("explain_search", **QUERY)["plan"] == "exact after hnsw"


def test_more_than_an_hnsw_scan_holds_are_all_returned(big: Person, conn: psycopg.Connection[Any]) -> None:
    configure(conn, "exact_scan_cells", 0)
    configure(conn, "hnsw_ef_search", 10)
    configure(conn, "vector_candidates", 10)
    hits = big.call("search_thoughts", **QUERY, match_count=200)
    assert len(hits) == 200
    assert big.call("explain_search", **QUERY, match_count=200)["plan"] == "hnsw"


def test_archived_memories_are_found_though_hnsw_leaves_them_out(
    small: Person, conn: psycopg.Connection[Any]
) -> None:
    configure(conn, "exact_scan_cells", 0)
    assert len(small.call("search_thoughts", **QUERY, include_archived=True, match_count=200)) == FAR


def test_the_crossover_is_where_the_setting_says(big: Person, conn: psycopg.Connection[Any]) -> None:
    for cells, plan in ((3 * NEAR, "exact"), (3 * NEAR - 3, "hnsw")):
        configure(conn, "exact_scan_cells", cells)
        assert big.call("explain_search", **QUERY)["plan"] == plan


CANDIDATES = {"search_candidates": 10, "vector_candidates": 10}
ARGUMENTS: list[dict[str, Any]] = [QUERY, QUERY | {"query_text": "near far"}]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=["vector", "hybrid"])
def test_above_the_crossover_the_index_is_used_case_c05(
    big: Person, conn: psycopg.Connection[Any], arguments: dict[str, Any]
) -> None:
    # So narrow a scan pays even among 5,000 memories of three dimensions.
    for key, value in {"exact_scan_cells": 3000, "hnsw_ef_search": 10, **CANDIDATES}.items():
        configure(conn, key, value)
    with watched_plans(conn) as plans:
        assert big.call("search_thoughts", **arguments, match_count=5)
    assert any("Index Scan using memories_embedding_idx on memories m" in plan for plan in plans), plans
    for plan in plans:
        assert not ("Seq Scan on memories" in plan and "<=>" in plan)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=["vector", "hybrid"])
def test_a_small_owner_reads_only_its_own_rows_case_c05(
    small: Person, conn: psycopg.Connection[Any], arguments: dict[str, Any]
) -> None:
    configure(conn, "exact_scan_cells", 3000)
    with watched_plans(conn) as plans:
        assert small.call("search_thoughts", **arguments)
    assert plans
    for other in ("Seq Scan on memories", "memories_embedding_idx"):
        assert [plan for plan in plans if other in plan] == []


def test_a_capture_compares_a_statement_with_no_other_than_its_like(
    big: Person, conn: psycopg.Connection[Any]
) -> None:
    """Read with all that the owner ever said, each capture would be slower than the last."""
    with watched_plans(conn) as plans, conn.transaction(force_rollback=True):
        big.call("capture_thought", content="We no longer use the blue lamp")
    assert any("memories_statement_idx" in plan for plan in plans), plans
    assert [plan for plan in plans if "Seq Scan on memories" in plan] == []


@pytest.mark.parametrize("function", ["search_thoughts", "recall", "explain_search"])
def test_a_timeout_says_so_case_c05(big: Person, conn: psycopg.Connection[Any], function: str) -> None:
    """A search that was cut off must never look like one that found nothing."""
    claims = json.dumps({"sub": str(ADA), "role": "authenticated"})
    search = f"select * from public.{function}(query_embedding => '[1,0,0]', query_text => 'near')"
    with conn.transaction(force_rollback=True):
        conn.execute("select set_config('request.jwt.claims', %s, true)", [claims])
        conn.execute("set local role authenticated")
        conn.execute("set local statement_timeout = 1")
        with pytest.raises(psycopg.errors.QueryCanceled) as cut:
            conn.execute(search.encode())
    assert cut.value.sqlstate == "57014"
