"""Latency of search beside raw pgvector, in one run: `python -m bench.latency --rows 100000 --dims 384`.

Four ways to ask the same questions of the same rows, in turn, on a warm brain of one owner:

raw      the nearest ten by pgvector alone: the same HNSW index and ef_search, no owner, no score, superuser
search   the RPC search_thoughts with a vector, as role authenticated under row level security
hybrid   the same with the question's words
writeup  the function of the Open Brain write-up, its SQL as published, over the same rows (superuser)

`ratio_to_raw` is search_p50 / raw_p50. `recall@10` is that of `search`, ordered by relevance alone, against a
scan of every row; `raw_recall@10` is raw's.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid5

from bench._brain import Connection, connect, sign_in, throwaway
from bench._data import MODEL, Corpus, Query, exact_ids
from bench._report import finish, note, percentile, table, track

K = 10
OWNER = uuid5(UUID(int=0), "bench owner")

# Verbatim but for the vector's length. Its table is our view, its `<=>` is found on the search path.
WRITEUP = """
create schema writeup;
create function writeup.search_thoughts(
  query_embedding vector({dims}),
  match_threshold float default 0.5,
  match_count int default 10
) returns table (
  id uuid,
  content text,
  similarity float
) as $$
  select id, content,
    1 - (embedding <=> query_embedding) as similarity
  from thoughts
  where 1 - (embedding <=> query_embedding) > match_threshold
  order by similarity desc
  limit match_count;
$$ language sql;
"""

RAW = f"select id from public.memories where archived_at is null order by embedding <=> %s::halfvec limit {K}"
SEARCH = "select id from public.search_thoughts(query_embedding => %s, embedding_model => %s)"
HYBRID = (
    "select id from public.search_thoughts(query_embedding => %s, embedding_model => %s, query_text => %s)"
)
BY_RELEVANCE = (
    "select id from public.search_thoughts(query_embedding => %s, embedding_model => %s,"
    """ match_threshold => -1, weights => '{"relevance": 1, "strength": 0, "recency": 0, "access": 0}')"""
)
BY_WRITEUP = "select id from writeup.search_thoughts(%s)"

Ask = Callable[[Query], Sequence[tuple[Any, ...]]]


def main() -> None:
    """Run the benchmark."""
    options = _options()
    with throwaway(options.dims) as brain:
        root = connect(brain)
        corpus = Corpus(options.rows, options.dims, [OWNER], [1.0])
        started = time.perf_counter()
        queries = corpus.load(root, [options.queries])
        load_s = time.perf_counter() - started
        user = sign_in(brain, OWNER)
        ways = _ways(root, user, options.dims)
        note("asking")
        times = _measure(ways, queries, options.writeup_every)
        recall = _recall(root, user, queries[: options.exact])
        finish_with(options, times, recall, load_s, _index_bytes(root))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="search beside raw pgvector and the write-up's function")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--dims", type=int, default=384)
    parser.add_argument("--queries", type=int, default=200, help="questions asked in every way")
    parser.add_argument("--exact", type=int, default=100, help="questions also answered by a full scan")
    parser.add_argument(
        "--writeup-every", type=int, default=10, help="ask the write-up's function every n-th question only"
    )
    return parser.parse_args()


def _ways(root: Connection, user: Connection, dims: int) -> dict[str, Ask]:
    row = root.execute("select value::text from cortex.settings where key = 'hnsw_ef_search'").fetchone()
    # pgvector's settings exist once its library is loaded.
    root.execute("select '[1]'::vector")
    root.execute(f"set hnsw.ef_search = {row[0] if row else 40}")
    root.execute(WRITEUP.format(dims=dims))
    return {
        "raw": lambda q: root.execute(RAW, [q.literal]).fetchall(),
        "search": lambda q: user.execute(SEARCH, [q.literal, MODEL]).fetchall(),
        "hybrid": lambda q: user.execute(HYBRID, [q.literal, MODEL, q.text]).fetchall(),
        "writeup": lambda q: root.execute(BY_WRITEUP, [q.literal]).fetchall(),
    }


def _measure(ways: dict[str, Ask], queries: list[Query], writeup_every: int) -> dict[str, list[float]]:
    """Ask every question in every way, interleaved, so that all meet the same load; milliseconds."""
    for name, ask in ways.items():
        for query in queries[: 3 if name == "writeup" else 30]:
            ask(query)
    times: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for n, query in enumerate(track(queries, "asking")):
        for name in names[n % len(names) :] + names[: n % len(names)]:
            if name == "writeup" and n % writeup_every:
                continue
            start = time.perf_counter()
            ways[name](query)
            times[name].append((time.perf_counter() - start) * 1000)
    return times


def _recall(root: Connection, user: Connection, queries: list[Query]) -> tuple[float, float]:
    """Return recall@10 of search, by relevance, and of raw."""
    found = raw = 0
    for query in track(queries, "comparing with a full scan"):
        true = exact_ids(root, query, K)
        found += len(true & {row[0] for row in user.execute(BY_RELEVANCE, [query.literal, MODEL])})
        raw += len(true & {row[0] for row in root.execute(RAW, [query.literal])})
    return found / (K * len(queries)), raw / (K * len(queries))


def _index_bytes(root: Connection) -> int:
    row = root.execute("select pg_relation_size('public.memories_embedding_idx')").fetchone()
    return int(str(row[0])) if row else 0


def finish_with(
    options: argparse.Namespace,
    times: dict[str, list[float]],
    recall: tuple[float, float],
    load_s: float,
    index_bytes: int,
) -> None:
    """Print the table and the JSON line."""
    p50 = {name: percentile(values, 0.5) for name, values in times.items()}
    p95 = {name: percentile(values, 0.95) for name, values in times.items()}
    table(
        f"{options.rows:,} × {options.dims}, one owner, warm",
        ["", "p50 ms", "p95 ms", "× raw", "asked"],
        [[name, p50[name], p95[name], p50[name] / p50["raw"], len(times[name])] for name in times],
    )
    result: dict[str, object] = {"rows": options.rows, "dims": options.dims}
    for name in times:
        result |= {f"{name}_p50_ms": round(p50[name], 3), f"{name}_p95_ms": round(p95[name], 3)}
    result |= {
        "ratio_to_raw": round(p50["search"] / p50["raw"], 3),
        "writeup_to_search": round(p50["writeup"] / p50["search"], 1),
        "recall@10": round(recall[0], 4),
        "raw_recall@10": round(recall[1], 4),
        "load_and_index_s": round(load_s, 1),
        "index_mb": round(index_bytes / 2**20, 1),
    }
    finish("latency", result)


if __name__ == "__main__":
    main()
