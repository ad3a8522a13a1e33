"""A throw-away local brain for one benchmark, and sessions on it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import psycopg

from pgcortex import local
from pgcortex.local import LocalBrain

Connection = psycopg.Connection[tuple[object, ...]]

# Memory for a warm index and a quick build; nothing has to survive a crash.
_SERVER = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "maintenance_work_mem": "2GB",
}


@contextmanager
def throwaway(dimensions: int, settings: dict[str, str] | None = None) -> Iterator[LocalBrain]:
    """Yield a new, empty brain for vectors of that length; it is stopped and deleted afterwards."""
    home = Path(tempfile.mkdtemp(prefix="pgcortex-bench-"))
    # The server runs as an account of its own when we are root.
    home.chmod(0o755)
    data_dir = home / "brain"
    try:
        yield local.up(data_dir, dimensions=dimensions, settings={**_SERVER, **(settings or {})})
    finally:
        if data_dir.exists():
            local.down(data_dir)
        shutil.rmtree(home, ignore_errors=True)


def connect(brain: LocalBrain) -> Connection:
    """Open a session of the superuser, who bypasses row level security."""
    conn = psycopg.connect(brain.dsn, autocommit=True)
    conn.execute("set search_path = public, extensions")
    return conn


def sign_in(brain: LocalBrain, owner: UUID) -> Connection:
    """Open a session as PostgREST would give this owner: role authenticated, row level security on."""
    conn = psycopg.connect(brain.dsn, autocommit=True)
    claims = json.dumps({"sub": str(owner), "role": "authenticated"})
    conn.execute("select set_config('request.jwt.claims', %s, false)", [claims])
    conn.execute("set role authenticated")
    return conn


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
