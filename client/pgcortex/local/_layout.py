"""Where a local brain keeps things, and the socket path's length limit."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pgcortex._errors import LocalBrainError

PORT = 5432
"""Only names the socket file: nothing listens on TCP."""

# A socket's path holds 107 bytes on Linux and 103 on macOS, the file name included.
_SOCKET_PATH_LIMIT = 103


@dataclass(frozen=True)
class Layout:
    """The files of one data directory."""

    data_dir: Path

    @property
    def cluster(self) -> Path:
        """Postgres's own directory (PGDATA)."""
        return self.data_dir / "postgres"

    @property
    def cluster_being_made(self) -> Path:
        """Where initdb works; it becomes `cluster` when it is complete, so none is ever half there."""
        return self.data_dir / "postgres.new"

    @property
    def sockets(self) -> Path:
        """The directory of the socket when its path is short enough."""
        return self.data_dir / "run"

    @property
    def log(self) -> Path:
        """What the server writes to stderr."""
        return self.data_dir / "server.log"

    @property
    def lock(self) -> Path:
        """Held by whoever starts, migrates or stops the brain."""
        return self.data_dir / "lock"

    @property
    def identity(self) -> Path:
        """Who owns the memories, and the size of their vectors."""
        return self.data_dir / "identity.json"

    @property
    def version(self) -> str | None:
        """The Postgres major version that made the cluster; None when there is no cluster yet."""
        file = self.cluster / "PG_VERSION"
        return file.read_text().strip() if file.is_file() else None


def socket_directory(layout: Layout) -> Path:
    """`run` beside the cluster or, when the socket's path would be too long, a temporary directory.

    The temporary one is private to its user and named after the cluster's path and inode, so that a brain
    restored to the same path does not meet the socket of the one before.
    """
    if _fits(layout.sockets):
        return layout.sockets
    key = f"{layout.cluster.resolve()}:{layout.cluster.stat().st_ino}"
    name = f"pgcortex-{os.geteuid()}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    for base in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108 - whose it is gets checked
        if _fits(base / name):
            return base / name
    raise LocalBrainError(
        "no directory for the server's socket has a path that is short enough",
        hint=f"a socket's path holds {_SOCKET_PATH_LIMIT} bytes: choose a shorter data directory or TMPDIR",
    )


def _fits(directory: Path) -> bool:
    # libpq reads a comma as the end of one host and the start of the next.
    path = directory / f".s.PGSQL.{PORT}"
    return len(os.fsencode(path)) <= _SOCKET_PATH_LIMIT and "," not in str(path)
