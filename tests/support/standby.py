"""A hot standby of a local brain: a copy made with pg_basebackup that follows it over the Unix socket."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from pgcortex import local
from pgcortex.local import _binaries, _server
from pgcortex.local._account import give, let_pass, server_account
from pgcortex.local._layout import PORT, Layout, socket_directory
from tests.support.brains import FAST

_CATCH_UP_SECONDS = 30


@contextmanager
def standby_of(primary: local.LocalBrain, data_dir: Path) -> Iterator[str]:
    """Make and start the standby in a new directory; its DSN. It is stopped at the end."""
    source, copy = Layout(primary.data_dir), Layout(data_dir)
    account = server_account(source)
    data_dir.mkdir(mode=0o700)
    give(data_dir, account)
    let_pass(account, data_dir)
    code, output = _binaries.run(
        "pg_basebackup",
        [
            f"--host={socket_directory(source)}",
            f"--port={PORT}",
            "--username=postgres",
            f"--pgdata={copy.cluster}",
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--no-sync",
        ],
        account=account,
        directory=data_dir,
    )
    assert code == 0, output
    running = _server.start(copy, account, FAST)
    try:
        yield running.dsn
    finally:
        _server.stop(copy, account)


def catch_up(primary: psycopg.Connection[Any], standby: psycopg.Connection[Any]) -> None:
    """Wait until the standby has replayed all that the primary has written."""
    written = primary.execute("select pg_current_wal_lsn()").fetchone()
    assert written
    deadline = time.monotonic() + _CATCH_UP_SECONDS
    while standby.execute("select pg_last_wal_replay_lsn() >= %s", written).fetchone() != (True,):
        assert time.monotonic() < deadline, "the standby does not follow"
        time.sleep(0.02)
