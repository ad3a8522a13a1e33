"""What went wrong with a local brain, in words a person can act on."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from pgcortex._errors import LocalBrainError

_FREE_SOME_SPACE = "free some space and try again"
_NO_ROOM_BYTES = 1_000_000
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_READ_ONLY_OR_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)

_MEANINGS = (
    ("No space left on device", "the disk is full", _FREE_SOME_SPACE),
    ("Disk quota exceeded", "the disk quota is used up", _FREE_SOME_SPACE),
    ("Permission denied", "access to its files was denied", "check who owns the data directory"),
    ("Read-only file system", "the file system is read-only", "choose another data directory"),
    (
        "could not look up effective user ID",
        "this user has no entry in /etc/passwd",
        "Postgres needs one: add it, or run as another user",
    ),
    ("Cannot allocate memory", "there is not enough memory", "lower shared_buffers in postgresql.conf"),
)


def check_room(data_dir: Path, needed: int) -> None:
    """Raise LocalBrainError when the disk has less than `needed` bytes free."""
    free = shutil.disk_usage(data_dir).free
    if free < needed:
        raise LocalBrainError(
            f"the disk that holds {data_dir} is full: {free >> 20} MB are free,"
            f" a new brain needs {needed >> 20} MB",
            hint=_FREE_SOME_SPACE,
        )


def explain(what: str, output: str, data_dir: Path, *, log: Path | None = None) -> LocalBrainError:
    """The error for a Postgres program that failed on the files in `data_dir` and said `output`."""
    if shutil.disk_usage(data_dir).free < _NO_ROOM_BYTES:
        return LocalBrainError(f"{what}: the disk is full", hint=_FREE_SOME_SPACE)
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
            raise LocalBrainError(f"the disk that holds {data_dir} is full", hint=_FREE_SOME_SPACE) from error
        if error.errno in _READ_ONLY_OR_FORBIDDEN:
            raise LocalBrainError(
                f"{data_dir} cannot be used: {error.strerror} ({error.filename})",
                hint="check who owns it, or choose another with --data-dir or PGCORTEX_DATA_DIR",
            ) from error
        raise LocalBrainError(
            f"{data_dir} cannot be used: {error.strerror} ({error.filename})",
            hint="choose another directory with --data-dir or PGCORTEX_DATA_DIR",
        ) from error
    except psycopg.Error as error:
        raise from_postgres(data_dir, error) from error


def from_postgres(data_dir: Path, error: psycopg.Error) -> LocalBrainError:
    """The error for something a running server refused."""
    if isinstance(error, psycopg.errors.DiskFull):
        return LocalBrainError(f"the disk that holds {data_dir} is full", hint=_FREE_SOME_SPACE)
    return LocalBrainError(
        f"the brain in {data_dir} did not answer: {str(error).strip()}",
        hint="pgcortex down, then pgcortex up, starts its server anew",
    )
