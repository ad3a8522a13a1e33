"""One process at a time changes the files of a folder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pgcortex._errors import FolderBusy

_PAUSE = 0.01


@contextmanager
def exclusive(path: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock file `path` for the block; the system frees it when its holder dies.

    Raises `FolderBusy` after `timeout` seconds, `OSError` when the folder cannot be written.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + timeout
        while not _try(handle):
            if time.monotonic() > deadline:
                raise FolderBusy(f"another process has been changing the notes for {timeout:.0f} seconds")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
