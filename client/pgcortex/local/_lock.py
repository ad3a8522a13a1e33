"""One process at a time starts, migrates or stops a brain."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pgcortex._errors import LocalBrainError

_PAUSE = 0.02


@contextmanager
def exclusive(path: Path, *, timeout: float = 120.0) -> Iterator[int]:
    """Hold the lock file `path`, which frees itself when its holder dies; gives its descriptor.

    Raises LocalBrainError after `timeout` seconds of waiting.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + timeout
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise LocalBrainError(
                    f"another process has been starting or stopping this brain for {timeout:.0f} seconds",
                    hint=f"it holds {path}; end it and try again",
                )
            time.sleep(_PAUSE)
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
