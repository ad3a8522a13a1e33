"""What went wrong with a local brain, in words a person can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from pgcortex._errors import LocalBrainError

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_READ_ONLY_OR_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)

_MEANINGS = (
    ("No space left on device", "the disk is full", "free some space and try again"),
    ("Disk quota exceeded", "the disk quota is used up", "free some space and try again"),
    ("Permission denied", "access to its files was denied", "check who owns the data directory"),
    ("Read-only file system", "the file system is read-only", "choose another data directory"),
    (
        "could not look up effective user ID",
        "this user has no entry in /etc/passwd",
        "Postgres needs one: add it, or run as another user",
    ),
    ("Cannot allocate memory", "there is not enough memory", "lower shared_buffers in postgresql.conf"),
)


def explain(what: str, output: str, *, log: Path | None = None) -> LocalBrainError:
    """The error for a Postgres program that failed and said `output`."""
    for said, meaning, hint in _MEANINGS:
        if said in output:
            return LocalBrainError(f"{what}: {meaning}", hint=hint)
    lines = [
        line for line in output.splitlines() if any(mark in line for mark in ("FATAL", "PANIC", "error:"))
    ]
    reason = (lines or output.splitlines() or ["no reason given"])[-1].strip()
    return LocalBrainError(f"{what}: {reason}", hint=f"the whole story is in {log}" if log else None)


@contextmanager
def explained(data_dir: Path) -> Iterator[None]:
    """Turn what the operating system and Postgres raise about the data directory into LocalBrainError."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise LocalBrainError(
                f"the disk that holds {data_dir} is full", hint="free some space and try again"
            ) from error
        if error.errno in _READ_ONLY_OR_FORBIDDEN:
            raise LocalBrainError(
                f"{data_dir} cannot be used: {error.strerror} ({error.filename})",
                hint="check who owns it, or choose another with --data-dir or PGCORTEX_DATA_DIR",
            ) from error
        raise LocalBrainError(f"{data_dir} cannot be used: {error}") from error
    except psycopg.Error as error:
        raise from_postgres(data_dir, error) from error


def from_postgres(data_dir: Path, error: psycopg.Error) -> LocalBrainError:
    """The error for something a running server refused."""
    if isinstance(error, psycopg.errors.DiskFull):
        return LocalBrainError(
            f"the disk that holds {data_dir} is full", hint="free some space and try again"
        )
    return LocalBrainError(f"the brain in {data_dir} did not answer: {str(error).strip()}")
