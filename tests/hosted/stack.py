"""Postgres 17 as a Supabase project has it, on 127.0.0.1: `with HostedStack.start() as stack: …`.

As there, `postgres` is no superuser: it owns the database and bypasses RLS, and what needs more (extensions,
platform roles, the `auth` schema) was made beforehand by `supabase_admin`.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import IO, Self

import psycopg
from psycopg import sql

from pgcortex import local
from tests.hosted import image

ADMIN = "supabase_admin"
PLATFORM_SQL = Path(__file__).with_name("platform.sql")
_CREATE_VECTOR = sql.SQL("create extension vector with schema {}")
_BIN = "/usr/lib/postgresql/17/bin"
_AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig", "KILL")
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_preload_libraries": "pg_cron",
    "cron.database_name": "postgres",
    "cron.use_background_workers": "on",
    "max_worker_processes": "12",
    "dynamic_shared_memory_type": "mmap",
    "fsync": "off",
    "timezone": "UTC",
}


@dataclass
class HostedStack:
    """One running server; its data go away with it. Several can run at once from the same image."""

    root: Path
    run: Path
    port: int
    _server: subprocess.Popen[bytes]
    _lock: IO[str] = field(repr=False)

    @classmethod
    def start(cls) -> HostedStack:
        """Build the image if need be, start a new server and make it look like a Supabase project.

        Raises `RuntimeError` with the server's log when it does not come up within 30 seconds.
        """
        root = image.build()
        runs = root / "srv" / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        with image.locked(image.cache_dir() / "runs.lock"):
            reap_stale(runs)
            run = runs / token_hex(4)
            run.mkdir()
            lock = (run / "lock").open("w")
            fcntl.flock(lock, fcntl.LOCK_EX)
        inside = f"/{run.relative_to(root)}"
        subprocess.run(["chroot", str(root), "chown", "postgres:postgres", inside], check=True)
        initdb = [f"{_BIN}/initdb", f"--pgdata={inside}/data", f"--username={ADMIN}", "--auth=trust"]
        initdb += ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        _inside(root, initdb)
        port = _free_port()
        options = [f"-c{name}={value}" for name, value in {**_SETTINGS, "port": str(port)}.items()]
        with (run / "log").open("wb") as log:
            server = subprocess.Popen(
                image.isolated([*_AS_POSTGRES, f"{_BIN}/postgres", f"-D{inside}/data", *options], root),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests; they stop the server
            )
        stack = cls(root, run, port, server, lock)
        atexit.register(stack.stop)
        stack._wait_until_ready()
        stack.prepare("postgres", cron=True)
        return stack

    def dsn(self, user: str = "postgres", database: str = "postgres") -> str:
        """A connection string that psycopg, the Supabase CLI and postgres.js all understand."""
        return f"postgresql://{user}:postgres@127.0.0.1:{self.port}/{database}?sslmode=disable"

    def new_project(self, database: str, *, vector_schema: str = "extensions") -> str:
        """Another empty project on the same server, without pg_cron; its connection string."""
        with psycopg.connect(self.dsn(ADMIN), autocommit=True) as admin:
            admin.execute(sql.SQL("create database {}").format(sql.Identifier(database)))
        self.prepare(database, vector_schema=vector_schema)
        return self.dsn(database=database)

    def prepare(self, database: str, *, vector_schema: str = "extensions", cron: bool = False) -> None:
        """Make an empty database look like a Supabase project that has enabled pgvector (and pg_cron)."""
        with psycopg.connect(self.dsn(ADMIN, database)) as admin:
            admin.execute(local.bootstrap_script())
            admin.execute(PLATFORM_SQL.read_bytes())
            # There a hook lends the owner a superuser's rights for these; the owner keeps the extension.
            admin.execute("alter role postgres superuser")
            admin.execute("set local role postgres")
            admin.execute(_CREATE_VECTOR.format(sql.Identifier(vector_schema)))
            if cron:
                admin.execute("create extension pg_cron with schema pg_catalog")
            admin.execute("reset role")
            admin.execute("alter role postgres nosuperuser")

    def execute_inside(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a program of the image (psql, pg_prove) as its `postgres` system user; output is text."""
        return _inside(self.root, command, check=False)

    def stop(self) -> None:
        """End the server by its process id, without a checkpoint, and delete its data. Safe to call twice."""
        atexit.unregister(self.stop)
        if self._server.poll() is None:
            for child in _children(self._server.pid):
                os.kill(child, signal.SIGQUIT)
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(timeout=15)
            self._server.kill()
            self._server.wait()
        self._lock.close()
        image.remove_tree(self.run)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self._server.poll() is None:
            with suppress(psycopg.OperationalError), psycopg.connect(self.dsn(ADMIN)):
                return
            time.sleep(0.1)
        log = (self.run / "log").read_text(errors="replace")
        self.stop()
        raise RuntimeError(f"Postgres 17 did not start:\n{log[-2000:]}")


def reap_stale(runs: Path) -> list[str]:
    """Delete what was left by tests that were killed; a run is stale when nobody holds its lock.

    Its processes are gone already: the kernel ends them with the process that started them.
    """
    reaped = []
    for run in runs.iterdir():
        with (run / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            image.remove_tree(run)
            reaped.append(run.name)
    return reaped


def _inside(root: Path, command: Sequence[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        image.isolated([*_AS_POSTGRES, *command], root),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=check,
    )


def _children(pid: int) -> list[int]:
    listing = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listing.read_text(encoding="ascii").split()] if listing.exists() else []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
