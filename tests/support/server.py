"""One throw-away Postgres for a whole test run, whichever number of pytest-xdist workers take part.

    server = shared_server()                       # in conftest.py, at import
    postgresql_noproc = factories.postgresql_noproc(
        host=server.host, port=server.port, user=server.user, load=[partial(load_schema, dimensions=384)]
    )
    postgresql = factories.postgresql("postgresql_noproc")

The first process to ask starts the server, the others join it, and the last one to end stops it and removes
its files. What a killed run leaves behind, the next run clears away.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil
import psycopg

from pgcortex import _migrations, local
from tests.support.scratch import scratch_directory

_PREFIX = "pgcortex-test-"

# No test needs its data after a power cut. A database made from a template does not inherit the settings
# that bootstrap.sql gives the template, so the search path is the server's.
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "search_path": '"$user", public, extensions',
}


@dataclass(frozen=True)
class Server:
    """How to connect: `host` is the socket's directory."""

    host: str
    port: int
    user: str
    data_dir: Path


@cache
def shared_server() -> Server:
    """Start or join the server of this test run; it stops when the last process that joined ends.

    With a superuser's connection string in `PGCORTEX_TEST_SERVER` it is that server, which stays as it is.
    """
    if given := os.environ.get("PGCORTEX_TEST_SERVER"):
        where = psycopg.conninfo.conninfo_to_dict(given)
        return Server(str(where["host"]), int(where["port"] or 0), str(where["user"]), Path())
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"alone{os.getpid()}")
    home = scratch_directory() / f"{_PREFIX}{os.geteuid()}-{run}"
    with _turn():
        for abandoned in home.parent.glob(f"{_PREFIX}{os.geteuid()}-*"):
            _leave(abandoned)
        (home / "users").mkdir(parents=True, exist_ok=True)
        (home / "users" / str(os.getpid())).touch()
        (home / "migrations").mkdir(exist_ok=True)
        brain = local.up(home / "brain", migrations=home / "migrations", settings=_SETTINGS)
    atexit.register(_end, home, os.getpid())
    options = psycopg.conninfo.conninfo_to_dict(brain.dsn)
    return Server(str(options["host"]), int(options["port"] or 0), str(options["user"]), brain.data_dir)


def load_schema(
    *,
    dimensions: int = 384,
    migrations: Path | None = None,
    host: str,
    port: int | str,
    user: str,
    dbname: str,
    password: str | None = None,
    **_: object,
) -> None:
    """Bootstrap and migrate one database; a loader for `postgresql_noproc(load=[...])`.

    The keywords from `host` on are those pytest-postgresql passes; what else it passes does not matter here.
    """
    # Among the connection's options, because the runner resets what the session sets.
    options = f"-c pgcortex.embedding_dimensions={dimensions}"
    where = psycopg.conninfo.make_conninfo(
        host=host, port=port, user=user, dbname=dbname, password=password, options=options
    )
    with psycopg.connect(where) as conn:
        conn.execute(local.bootstrap_script())
    with psycopg.connect(where, autocommit=True) as conn:
        _migrations.apply(conn, migrations)


def _end(home: Path, pid: int) -> None:
    if os.getpid() == pid:  # not in a child that inherited the exit handlers
        with _turn():
            (home / "users" / str(pid)).unlink(missing_ok=True)
            _leave(home)


def _leave(home: Path) -> None:
    """Stop a run's server and remove its files, when none of the run's processes is left."""
    users = [int(file.name) for file in (home / "users").glob("*")]
    if not any(psutil.pid_exists(pid) for pid in users):
        local.down(home / "brain")
        shutil.rmtree(home)


@contextmanager
def _turn() -> Iterator[None]:
    """Joining and leaving happen one at a time, across every test run of this user."""
    path = scratch_directory() / f"{_PREFIX}{os.geteuid()}.lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
