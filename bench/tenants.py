"""Do small and large tenants get what is theirs? `python -m bench.tenants --rows 200000`.

Owners of 50 %, 10 %, 1 % and 0.1 % of the rows ask through the public RPC, as role authenticated under row
level security; the other rows belong to many owners of 0.1 % each. For each share: the fewest hits any
question got of the k asked for, recall@10 against a scan of all the owner's rows, latency. Beside it, what
the nearest k under row level security alone would have given (`rls_rows`), the way most kits search.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from uuid import UUID, uuid5

from bench._brain import Connection, connect, sign_in, throwaway
from bench._data import MODEL, Corpus, Query, exact_ids
from bench._report import finish, percentile, table, track

K = 10
SHARES = {"50": 0.5, "10": 0.1, "1": 0.01, "0.1": 0.001}
SEARCH = (
    "select id from public.search_thoughts(query_embedding => %s, embedding_model => %s,"
    f" match_threshold => -1, match_count => {K},"
    """ weights => '{"relevance": 1, "strength": 0, "recency": 0, "access": 0}')"""
)
BY_RLS_ALONE = f"select id from public.thoughts order by embedding operator(extensions.<=>) %s limit {K}"


@dataclass
class Tenant:
    """What one owner's questions gave."""

    rows: int
    fewest: int
    recall: float
    p50_ms: float
    p95_ms: float
    rls_rows: float


def main() -> None:
    """Run the benchmark."""
    options = _options()
    owners = [uuid5(UUID(int=0), f"tenant {name}") for name in SHARES]
    small = round((1 - sum(SHARES.values())) / SHARES["0.1"])
    everyone = owners + [uuid5(UUID(int=0), f"small tenant {n}") for n in range(small)]
    shares = [*SHARES.values(), *[(1 - sum(SHARES.values())) / small] * small]
    with throwaway(options.dims) as brain:
        root = connect(brain)
        corpus = Corpus(options.rows, options.dims, everyone, shares)
        queries = corpus.load(root, [options.queries] * len(owners) + [0] * small)
        tenants = {
            name: _ask(root, sign_in(brain, owner), owner, [q for q in queries if q.owner == owner], name)
            for name, owner in zip(SHARES, owners, strict=True)
        }
    _report(options, tenants)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="search of owners of very different size")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--dims", type=int, default=384)
    parser.add_argument("--queries", type=int, default=50, help="questions of each owner")
    return parser.parse_args()


def _ask(root: Connection, user: Connection, owner: UUID, queries: list[Query], name: str) -> Tenant:
    for query in queries[:10]:
        user.execute(SEARCH, [query.literal, MODEL])
    counts, rls_counts, times = [], [], []
    found = true_count = 0
    for query in track(queries, f"owner of {name} %"):
        start = time.perf_counter()
        rows = user.execute(SEARCH, [query.literal, MODEL]).fetchall()
        times.append((time.perf_counter() - start) * 1000)
        true = exact_ids(root, query, K)
        counts.append(len(rows))
        found += len(true & {row[0] for row in rows})
        true_count += len(true)
        rls_counts.append(len(user.execute(BY_RLS_ALONE, [query.literal]).fetchall()))
    row = root.execute("select count(*) from public.memories where owner_id = %s", [owner]).fetchone()
    return Tenant(
        rows=int(str(row[0])) if row else 0,
        fewest=min(counts),
        recall=found / true_count,
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        rls_rows=sum(rls_counts) / len(rls_counts),
    )


def _report(options: argparse.Namespace, tenants: dict[str, Tenant]) -> None:
    table(
        f"{options.rows:,} × {options.dims}, k = {K}, under row level security",
        ["share", "rows", "fewest of k", "recall@10", "p50 ms", "p95 ms", "RLS alone gives"],
        [
            [f"{name} %", t.rows, t.fewest, t.recall, t.p50_ms, t.p95_ms, t.rls_rows]
            for name, t in tenants.items()
        ],
    )
    result: dict[str, object] = {"rows": options.rows, "dims": options.dims, "k": K}
    for name, t in tenants.items():
        result |= {
            f"rows_returned_{name}": t.fewest,
            f"recall@10_{name}": round(t.recall, 4),
            f"p50_ms_{name}": round(t.p50_ms, 3),
            f"p95_ms_{name}": round(t.p95_ms, 3),
            f"rls_rows_{name}": round(t.rls_rows, 2),
        }
    finish("tenants", result)


if __name__ == "__main__":
    main()
