"""One night's decay over a large brain: `python -m bench.decay --rows 1000000`.

One memory in a hundred has faded. `decay_s` is one pass of the nightly job, which archives those and computes
the strength of the others without writing it. `hnsw_writes` counts the blocks of the vector index in the
write-ahead log of that pass, `hnsw_writes_per_archived` the same for each archived row. `writeup_s_per_1000`
is what the Cortex write-up's nightly loop costs for a thousand memories: strength sits in the row with the
vector, and every row is patched every night.
"""

from __future__ import annotations

import argparse
import time
from uuid import UUID, uuid5

from bench._brain import Connection, connect, throwaway
from bench._data import Corpus
from bench._report import finish, note, table

OWNER = uuid5(UUID(int=0), "bench owner")
NOW = "2026-01-01T00:00:00Z"
LOOP_ROWS = 20_000
LOOP_PATCHES = 1_000

WRITEUP = """
create schema writeup;
create table writeup.memories as
  select id, content, embedding, 1::double precision as strength, 0.0::double precision as valence,
         0.0::double precision as arousal, occurred_at as last_accessed_at, null::timestamptz as archived_at
  from public.memories limit %(rows)s;
alter table writeup.memories add primary key (id);
create index on writeup.memories using hnsw (embedding extensions.halfvec_cosine_ops);
"""


def main() -> None:
    """Run the benchmark."""
    options = _options()
    with throwaway(options.dims) as brain:
        root = connect(brain)
        Corpus(options.rows, options.dims, [OWNER], [1.0]).load(root, [1])
        _age(root, options.share)
        root.execute("create extension if not exists pg_walinspect")
        before = _position(root)
        note("one pass of the nightly job")
        start = time.perf_counter()
        row = root.execute("select cortex.archive_faded(%s::timestamptz)", [NOW]).fetchone()
        decay_s = time.perf_counter() - start
        archived = int(str(row[0])) if row else 0
        writes = _index_writes(root, before)
        start = time.perf_counter()
        again = root.execute("select cortex.archive_faded(%s::timestamptz)", [NOW]).fetchone()
        second_s = time.perf_counter() - start
        if again is None or again[0] != 0:
            raise RuntimeError(f"a second run at the same instant archived {again}")
        writeup_s = _writeup_loop(root)
    table(
        f"One night over {options.rows:,} memories, {archived:,} of them faded",
        ["", "seconds", "HNSW blocks written"],
        [
            ["nightly job", decay_s, writes],
            ["the same again", second_s, 0],
            [f"write-up's loop, {LOOP_PATCHES:,} rows", writeup_s, ""],
        ],
    )
    finish(
        "decay",
        {
            "rows": options.rows,
            "dims": options.dims,
            "archived": archived,
            "decay_s": round(decay_s, 3),
            "second_run_s": round(second_s, 3),
            "writeup_s_per_1000": round(writeup_s * 1000 / LOOP_PATCHES, 3),
            "hnsw_writes": writes,
            "hnsw_writes_per_archived": round(writes / max(1, archived), 3),
        },
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="one pass of the nightly decay job")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dims", type=int, default=32, help="short vectors keep the set-up quick")
    parser.add_argument("--share", type=float, default=0.01, help="of the memories that have faded")
    return parser.parse_args()


def _age(root: Connection, share: float) -> None:
    """Let that share of the memories have faded by NOW, and no other.

    Unused for 60 days, at 0.02 a day, a memory is below 0.1; unused for up to 30 days it is not.
    """
    root.execute("select setseed(0.3)")
    root.execute(
        "update public.memory_activation set strength = 1, last_accessed_at = %s::timestamptz"
        " - case when random() < %s then interval '60 days' else random() * interval '30 days' end",
        [NOW, share],
    )
    root.execute("vacuum (analyze) public.memory_activation")


def _position(root: Connection) -> str:
    row = root.execute("select pg_current_wal_insert_lsn()::text").fetchone()
    return str(row[0]) if row else ""


def _index_writes(root: Connection, before: str) -> int:
    """Count the references to blocks of the vector index in the log since then."""
    row = root.execute(
        "select count(*) from pg_get_wal_block_info(%s::pg_lsn, pg_current_wal_lsn())"
        " where relfilenode = pg_relation_filenode('public.memories_embedding_idx')",
        [before],
    ).fetchone()
    return int(str(row[0])) if row else 0


def _writeup_loop(root: Connection) -> float:
    """Patch a thousand rows one by one, as the write-up's loop does; seconds."""
    note("the write-up's loop")
    root.execute(WRITEUP.replace("%(rows)s", str(LOOP_ROWS)))
    rows = root.execute(
        "select id, strength, valence, arousal,"
        f" extract(epoch from timestamptz '{NOW}' - last_accessed_at) / 86400"
        f" from writeup.memories where archived_at is null order by id limit {LOOP_PATCHES}"
    ).fetchall()
    start = time.perf_counter()
    for memory_id, strength, valence, arousal, days in rows:
        rate = 0.01 if abs(float(str(valence))) > 0.7 and float(str(arousal)) > 0.7 else 0.02
        root.execute(
            "update writeup.memories set strength = %(strength)s,"
            " archived_at = case when %(strength)s < 0.1 then timestamptz '2026-01-01' end where id = %(id)s",
            {"strength": max(0.0, float(str(strength)) - rate * float(str(days))), "id": memory_id},
        )
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
