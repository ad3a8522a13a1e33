"""Open, look at and close the brain in one data directory."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg

from pgcortex import _migrations
from pgcortex._errors import EmbeddingMismatch, LocalBrainError, SchemaOutOfDate
from pgcortex.local import _binaries, _identity, _server
from pgcortex.local._account import Account, give, let_pass, let_read, server_account
from pgcortex.local._identity import Identity
from pgcortex.local._layout import Layout
from pgcortex.local._lock import exclusive
from pgcortex.local._problems import explained, from_postgres

DEFAULT_DIMENSIONS = 384
"""The length of the local embedding model's vectors."""

_CONNECT_SECONDS = 5


@dataclass(frozen=True)
class LocalBrain:
    """A brain that is up. `dsn` connects as the superuser; `claims` say who asks."""

    data_dir: Path
    dsn: str
    owner_id: UUID
    dimensions: int

    @property
    def claims(self) -> str:
        """`request.jwt.claims` of the local identity, as compact JSON."""
        return json.dumps({"sub": str(self.owner_id), "role": "authenticated"}, separators=(",", ":"))


@dataclass(frozen=True)
class BrainStatus:
    """What can be said without starting it; `dsn`, `pid`, `applied` and `pending` need a running server."""

    data_dir: Path
    exists: bool
    running: bool
    postgres_version: str | None = None
    owner_id: UUID | None = None
    dimensions: int | None = None
    pid: int | None = None
    dsn: str | None = None
    applied: int | None = None
    pending: int | None = None


def up(
    data_dir: Path | None = None,
    *,
    dimensions: int | None = None,
    migrations: Path | None = None,
    progress: _migrations.Progress | None = None,
    settings: Mapping[str, str] | None = None,
) -> LocalBrain:
    """Open the brain in `data_dir`: make it, start it and migrate it, as far as that is needed.

    Without `data_dir` it is the one in the settings (`PGCORTEX_DATA_DIR`).

    Any number of processes may call this at once. The server stays up when they end, until `down`.

    dimensions: the length of the vectors it is to store; None takes what is stored, or 384 for a new brain.
        `pgcortex reembed` changes what is stored.
    migrations: another folder of migrations than this client's.
    progress: called before each migration.
    settings: Postgres settings for the server, when this call is the one that starts it; `{"fsync": "off"}`
        is for throw-away brains.

    Raises LocalBrainError (the disk is full, no permission, another Postgres version's directory),
    EmbeddingMismatch (another length is stored), SchemaOutOfDate (a newer client made it, or a migration
    failed), DependencyMissing.
    """
    _binaries.install_directory()
    layout = _layout(data_dir)
    with explained(layout.data_dir):
        _make_data_directory(layout)
        with exclusive(layout.lock) as lock:
            account = server_account(layout)
            _check_version(layout)
            running, conn = _connect(layout, account, lock, settings or {})
            with closing(conn):
                identity = _bootstrap(conn, layout, dimensions)
            _migrate(layout, running, migrations, progress)
    return LocalBrain(layout.data_dir, running.dsn, identity.owner_id, identity.dimensions)


def status(data_dir: Path | None = None, *, migrations: Path | None = None) -> BrainStatus:
    """Look at the brain in `data_dir`, without starting or changing anything."""
    layout = _layout(data_dir)
    with explained(layout.data_dir):
        version = layout.version
        running = _server.find(layout) if version else None
        owner_id, dimensions = _identity.read_file(layout.identity) or (None, None)
        applied = pending = None
        if running:
            with psycopg.connect(running.dsn, autocommit=True) as conn:
                done = set(_migrations.applied(conn))
                known = {migration.version for migration in _migrations.known(migrations)}
                applied, pending = len(done), len(known - done)
    return BrainStatus(
        data_dir=layout.data_dir,
        exists=version is not None,
        running=running is not None,
        postgres_version=version,
        owner_id=owner_id,
        dimensions=dimensions,
        pid=running.pid if running else None,
        dsn=running.dsn if running else None,
        applied=applied,
        pending=pending,
    )


def down(data_dir: Path | None = None) -> bool:
    """Stop the brain in `data_dir`, open transactions rolled back; False when it was not running."""
    layout = _layout(data_dir)
    if not layout.cluster.exists():
        return False
    with explained(layout.data_dir), exclusive(layout.lock):
        return _server.stop(layout, server_account(layout))


def console(brain: LocalBrain) -> tuple[list[str], dict[str, str]]:
    """The command that opens psql on the brain, and the variables to add to its environment.

    The session is the superuser's, with the local identity's claims: `auth.uid()` is the owner.
    """
    options = f"-c request.jwt.claims={brain.claims}"
    return [str(_binaries.program("psql")), brain.dsn], {"PGOPTIONS": options}


def bootstrap_script() -> bytes:
    """The SQL that gives a plain Postgres what a Supabase project has before its first migration."""
    return Path(__file__).with_name("bootstrap.sql").read_bytes()


def _layout(data_dir: Path | None) -> Layout:
    if data_dir is None:
        from pgcortex._settings import (
            Settings,
            read_settings,
        )  # half of the import time, and often not needed

        data_dir = read_settings(Settings).data_dir
    return Layout(data_dir.expanduser().absolute())


def _make_data_directory(layout: Layout) -> None:
    if (layout.data_dir / "PG_VERSION").exists():
        raise LocalBrainError(
            f"{layout.data_dir} is the data directory of another Postgres server",
            hint="choose an empty directory, or the one above it",
        )
    layout.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)


def _check_version(layout: Layout) -> None:
    version = layout.version
    if version not in (None, _binaries.VERSION):
        raise LocalBrainError(
            f"Postgres {version} made {layout.data_dir}, this pgcortex brings {_binaries.VERSION}",
            hint="nothing was changed: export it with the pgcortex that made it, or use another directory",
        )


def _start(
    layout: Layout, account: Account | None, lock: int, settings: Mapping[str, str]
) -> _server.Running:
    let_pass(account, layout.data_dir)
    let_read(account, _binaries.install_directory())
    if layout.version is None:
        _server.make(layout, account, lock=lock, durable=settings.get("fsync") != "off")
    return _server.start(layout, account, settings)


def _connect(
    layout: Layout, account: Account | None, lock: int, settings: Mapping[str, str]
) -> tuple[_server.Running, psycopg.Connection[Any]]:
    """A session on the server, started if need be. One that was just killed may look alive for a moment."""
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        running = _server.find(layout) or _start(layout, account, lock, settings)
        try:
            return running, psycopg.connect(running.dsn, autocommit=True)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _migrate(
    layout: Layout,
    running: _server.Running,
    migrations: Path | None,
    progress: _migrations.Progress | None,
) -> None:
    # A new session: the settings the bootstrap gave the database hold from the next connection on.
    with psycopg.connect(running.dsn, autocommit=True) as conn:
        try:
            _migrations.apply(conn, migrations, progress=progress)
        except SchemaOutOfDate as error:
            if isinstance(error.__cause__, psycopg.errors.DiskFull):
                raise from_postgres(layout.data_dir, error.__cause__) from error
            raise


def _bootstrap(conn: psycopg.Connection[Any], layout: Layout, dimensions: int | None) -> Identity:
    script = bootstrap_script()
    version = hashlib.sha256(script).hexdigest()[:12]
    stored = _identity.read_database(conn)
    if stored is None:
        remembered = _identity.read_file(layout.identity)
        owner_id = remembered[0] if remembered else uuid4()
        identity = Identity(owner_id, dimensions or DEFAULT_DIMENSIONS, version)
    elif dimensions not in (None, stored.dimensions):
        raise EmbeddingMismatch(
            f"the brain in {layout.data_dir} stores vectors of {stored.dimensions} dimensions,"
            f" {dimensions} were asked for",
            hint=f"use an embedder of {stored.dimensions} dimensions, or run `pgcortex reembed --to MODEL`",
        )
    else:
        identity = Identity(stored.owner_id, stored.dimensions, version)
    if identity != stored:
        with conn.transaction():
            conn.execute(script)
            _identity.write_database(conn, identity)
    _identity.write_file(layout.identity, identity)
    _give_to_owner(layout)
    return identity


def _give_to_owner(layout: Layout) -> None:
    """What root writes into somebody's data directory belongs to that person."""
    owner = layout.data_dir.stat()
    for path in (layout.identity, layout.lock):
        if path.stat().st_uid != owner.st_uid:
            give(path, Account(owner.st_uid, owner.st_gid))
