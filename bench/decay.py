"""One night of decay over a large brain: `python -m bench.decay --rows 1000000`.

decay_s            cortex.archive_faded over all rows, of which `--fading` (1 %) have faded; those that are
                   archived already (`--archived`) are met again, as in a brain that has lived for a while
again_s            the same at the same instant: nothing left to do
writeup_s_per_1000 the write-up's cron on a table like its own (strength beside the vector, HNSW on it, 20,000
                   rows at most): read every row, patch its strength one row at a time; seconds for 1,000 rows
hnsw_writes        blocks of our HNSW index in the write-ahead log of the night (pg_walinspect)
writeup_hnsw_writes_per_1000  the same for the write-up's
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from uuid import UUID, uuid5

from bench._brain import Connection, connect, throwaway
from bench._data import Corpus
from bench._report import finish, note, table

OWNERS = [uuid5(UUID(int=0), f"bench owner {n}") for n in range(4)]
NIGHT = "2026-01-01 00:45+00"
PATCHED = 1000

# Everybody used within 40 days, but for those that fade tonight and those that did long ago.
AGE = """
    update public.memory_activation a
    set strength = 1, last_accessed_at = timestamptz '{night}' - case
      when n.share < {fading} then interval '50 days' else n.share * interval '40 days' end
    from (select owner_id, memory_id, random() as share from public.memory_activation) n
    where a.owner_id = n.owner_id and a.memory_id = n.memory_id
"""
ARCHIVE = """
    update public.memories m
    set archived_at = timestamptz '{night}' - interval '1 year', archive_reason = 'faded'
    from public.memory_activation a
    where a.owner_id = m.owner_id and a.memory_id = m.id
      and a.last_accessed_at > timestamptz '{night}' - {archived} * interval '40 days'
"""
LONG_GONE = """
    update public.memory_activation a set last_accessed_at = timestamptz '{night}' - interval '400 days'
    from public.memories m
    where m.owner_id = a.owner_id and m.id = a.memory_id and m.archived_at is not null
"""
WRITEUP = """
    create schema writeup;
    create table writeup.memories as
      select id, content, embedding, 1::double precision as strength, 0::double precision as valence,
             0::double precision as arousal, 'episodic' as store, null::timestamptz as archived_at,
             timestamptz '{night}' - interval '1 day' as last_accessed_at
      from public.memories where archived_at is null limit 20000;
    alter table writeup.memories add primary key (id);
    create index writeup_embedding_idx on writeup.memories using hnsw (embedding halfvec_cosine_ops);
"""
# Its mutation, statement by statement: every live row whose strength changed is patched by its id.
WRITEUP_NIGHT = """
do $loop$
declare
  mem record;
  rate double precision;
  faded double precision;
begin
  for mem in select * from writeup.memories where archived_at is null limit {patched} loop
    continue when mem.store = 'prospective';
    rate := case when abs(mem.valence) > 0.7 and mem.arousal > 0.7 then 0.01 else 0.02 end;
    faded := greatest(0, mem.strength
      - rate * extract(epoch from timestamptz '{night}' - mem.last_accessed_at) / 86400);
    if faded < 0.1 then
      update writeup.memories set strength = faded, archived_at = '{night}' where id = mem.id;
    elsif faded <> mem.strength then
      update writeup.memories set strength = faded where id = mem.id;
    end if;
  end loop;
end
$loop$
"""
BLOCKS = """
    select count(*) from pg_get_wal_block_info(%s::pg_lsn, pg_current_wal_insert_lsn())
    where relfilenode = pg_relation_filenode(%s::regclass)
"""


def main() -> None:
    """Run the benchmark."""
    options = _options()
    with throwaway(options.dims) as brain:
        root = connect(brain)
        root.execute("create extension pg_walinspect")
        started = time.perf_counter()
        Corpus(options.rows, options.dims, OWNERS, [0.7, 0.2, 0.09, 0.01]).load(root, [0] * len(OWNERS))
        _age(root, options.fading, options.archived)
        load_s = time.perf_counter() - started
        note("one night")
        decay_s, writes, archived = _night(root, "public.memories_embedding_idx", lambda: _archive(root))
        again_s, _, again = _night(root, "public.memories_embedding_idx", lambda: _archive(root))
        note("the write-up's night")
        root.execute(WRITEUP.format(night=NIGHT).encode())
        writeup_s, writeup_writes, _ = _night(root, "writeup.writeup_embedding_idx", lambda: _patch(root))
    table(
        f"One night over {options.rows:,} memories of {options.dims} dimensions",
        ("", "rows", "seconds", "HNSW blocks written"),
        [
            ("archive_faded", archived, decay_s, writes),
            ("the same again", again, again_s, 0),
            ("the write-up's loop", PATCHED, writeup_s, writeup_writes),
        ],
    )
    finish(
        "decay",
        {
            "rows": options.rows,
            "dims": options.dims,
            "archived": archived,
            "decay_s": round(decay_s, 3),
            "again_s": round(again_s, 3),
            "writeup_s_per_1000": round(writeup_s, 3),
            "hnsw_writes": writes,
            "writeup_hnsw_writes_per_1000": writeup_writes,
            "load_s": round(load_s, 1),
        },
    )


def _age(root: Connection, fading: float, archived: float) -> None:
    root.execute("select setseed(0.3)")
    root.execute(AGE.format(night=NIGHT, fading=fading).encode())
    if archived > 0:
        root.execute("set session_replication_role = replica")
        root.execute(ARCHIVE.format(night=NIGHT, archived=archived).encode())
        root.execute(LONG_GONE.format(night=NIGHT).encode())
        root.execute("set session_replication_role = origin")
    root.execute("vacuum (analyze) public.memories, public.memory_activation")


def _archive(root: Connection) -> int:
    row = root.execute(f"select cortex.archive_faded('{NIGHT}')".encode()).fetchone()
    return int(str(row[0])) if row else 0


def _patch(root: Connection) -> int:
    root.execute(WRITEUP_NIGHT.format(night=NIGHT, patched=PATCHED).encode())
    return PATCHED


def _night(root: Connection, index: str, run: Callable[[], int]) -> tuple[float, int, int]:
    """Run it; return its seconds, the blocks of the index it wrote to the log, and its rows."""
    root.execute("checkpoint")
    start = root.execute("select pg_current_wal_insert_lsn()").fetchone()
    began = time.perf_counter()
    rows = run()
    seconds = time.perf_counter() - began
    # A record to end at: pg_walinspect refuses a stretch that holds none.
    root.execute("select pg_logical_emit_message(false, 'bench', 'end')")
    blocks = root.execute(BLOCKS, [str(start[0]) if start else "", index]).fetchone()
    return seconds, int(str(blocks[0])) if blocks else 0, rows


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.decay", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dims", type=int, default=384)
    parser.add_argument("--fading", type=float, default=0.01, help="share that has faded since last night")
    parser.add_argument("--archived", type=float, default=0.0, help="share that was archived long ago")
    return parser.parse_args()


if __name__ == "__main__":
    main()
