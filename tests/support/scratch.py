"""Where tests put databases: a disk in memory where there is room, else the usual temporary directory."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

_MEMORY_DISK = Path("/dev/shm")
_NEEDED_BYTES = 2_000_000_000


def scratch_directory() -> Path:
    """Making and copying a cluster writes 40 MB each time, which a disk may take seconds for."""
    if _MEMORY_DISK.is_dir() and shutil.disk_usage(_MEMORY_DISK).free > _NEEDED_BYTES:
        return _MEMORY_DISK
    return Path(tempfile.gettempdir())
