"""What only a connection to the database can show: migrations, roles, row level security, extensions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from pgcortex import _migrations
from pgcortex.doctor._finding import Finding, ok, problem, skipped, warning

Connection = psycopg.Connection[Any]

OLDEST_VECTOR = (0, 8, 0)
"""Iterative index scans, which filtered searches rely on, came with pgvector 0.8."""

_ROLES = "select r from unnest(array['anon', 'authenticated', 'service_role']) r where to_regrole(r) is null"

_UNPROTECTED = """
select c.oid::regclass::text
from pg_class c
where c.relkind in ('r', 'p') and not c.relrowsecurity
  and (c.relnamespace = 'cortex'::regnamespace
       or c.relnamespace = 'public'::regnamespace and c.relname in
          ('memories', 'memory_activation', 'memory_links', 'memory_events'))
  and (has_table_privilege('authenticated', c.oid, 'select') or has_table_privilege('anon', c.oid, 'select')
       or c.relnamespace = 'public'::regnamespace)
order by 1
"""

_OPEN_TO_ANON = """
select p.oid::regprocedure::text
from pg_proc p
where (p.pronamespace = 'cortex'::regnamespace
       or p.pronamespace = 'public'::regnamespace and p.proname = any (%s))
  and has_function_privilege('anon', p.oid, 'execute')
union all
select c.oid::regclass::text
from pg_class c
where c.relnamespace = 'public'::regnamespace
  and c.relname in ('memories', 'memory_activation', 'memory_links', 'memory_events', 'thoughts')
  and has_table_privilege('anon', c.oid, 'select, insert, update, delete')
order by 1
"""

_KEPT_WAITING = """
select count(*), to_char(min(m.created_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI')
from public.memories m
where m.enrichment_status = 'pending' and m.archived_at is null and m.created_at < now() - interval '1 hour'
"""

CALLED = [
    "capture_thought", "capture_thoughts", "search_thoughts", "recall", "list_thoughts", "get_thoughts",
    "thought_stats", "remember", "update_thought", "forget", "restore", "wake", "checkpoint", "memory_stats",
    "what_do_i_know", "why_did_we", "supersede", "review_queue", "resolve_review", "pin", "mark_used",
]  # fmt: skip


def examine_database(conn: Connection) -> Iterator[Finding]:
    """Look at schema, privileges and extensions, as somebody who may read the catalogue."""
    yield _migrated(conn)
    yield from _extensions(conn)
    if _rows(conn, "select 1 from pg_namespace where nspname = 'cortex'"):
        yield _protected(conn)
        yield _queue(conn)


def _migrated(conn: Connection) -> Finding:
    known = {migration.version for migration in _migrations.known()}
    done = set(_migrations.applied(conn))
    if not done:
        return problem(
            "migrations", "none is applied", "run `supabase db push` (hosted) or `pgcortex up` (local)"
        )
    missing, newer = sorted(known - done), sorted(version for version in done - known if version > max(known))
    if missing:
        return problem(
            "migrations",
            f"{len(missing)} of {len(known)} are not applied, the first is {missing[0]}",
            "run `supabase db push` (hosted) or `pgcortex up` (local)",
        )
    if newer:
        return warning(
            "migrations", f"the database is {len(newer)} ahead of this client", "update pgcortex with pip"
        )
    return ok("migrations", f"all {len(known)} are applied")


def _extensions(conn: Connection) -> Iterator[Finding]:
    installed = dict(_rows(conn, "select extname, extversion from pg_extension"))
    vector = installed.get("vector")
    if vector is None:
        yield problem("extensions", "pgvector is not installed", "run the migrations; they create it")
    elif tuple(int(part) for part in vector.split(".")[:3]) < OLDEST_VECTOR:
        yield problem(
            "extensions", f"pgvector {vector} is older than 0.8", "run `alter extension vector update`"
        )
    else:
        cron = "with pg_cron" if "pg_cron" in installed else "without pg_cron"
        yield ok("extensions", f"pgvector {vector}, {cron}")


def _protected(conn: Connection) -> Finding:
    missing = [row[0] for row in _rows(conn, _ROLES)]
    if missing:
        return problem(
            "privileges",
            f"there is no role {', '.join(missing)}",
            "this is no Supabase project: use `pgcortex up`",
        )
    bare = [row[0] for row in _rows(conn, _UNPROTECTED)]
    if bare:
        return problem(
            "privileges",
            f"row level security is off: {', '.join(bare)}",
            "alter table … enable row level security, and find out who turned it off",
        )
    leaks = [row[0] for row in _rows(conn, _OPEN_TO_ANON, [CALLED])]
    if leaks:
        return problem(
            "privileges",
            f"the public key may use {', '.join(leaks[:5])}" + (" …" if len(leaks) > 5 else ""),
            "revoke it from anon and public; the last migration shows how",
        )
    return ok("privileges", "row level security is on, and the public key alone may do nothing")


def _queue(conn: Connection) -> Finding:
    if not _rows(conn, "select 1 where has_table_privilege('public.memories', 'select')"):
        return skipped("queue", "this role may not see how long memories wait for enrichment")
    [(waiting, oldest)] = _rows(conn, _KEPT_WAITING)
    if waiting:
        return warning(
            "queue",
            f"{waiting} pending for over an hour, the oldest since {oldest} UTC",
            "is the enrich function scheduled? sql/operate/backlog.sql tells what stopped it",
        )
    return ok("queue", "no memory has waited over an hour for enrichment")


def _rows(conn: Connection, query: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
    return conn.execute(query.encode(), parameters).fetchall()
