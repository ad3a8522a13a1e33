"""The outbox: a write is put down here before it begins and taken away when both sides have it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from uuid import UUID, uuid4

from pydantic import BaseModel, Field, ValidationError

from pgcortex.notes import Note, write_atomic


class Entry(BaseModel):
    """One begun write. `base` is the version an update started from."""

    op: Literal["capture", "update", "forget"]
    id: UUID
    note: Note | None = None
    base: Note | None = None
    reason: str | None = None
    hard: bool = False
    queued_at: datetime = Field(default_factory=lambda: datetime.now(UTC))


class Queue:
    """A folder of entries, oldest first by name. Entries of several processes never share a name."""

    def __init__(self, folder: Path, rejected: Path) -> None:
        self.folder = folder
        self.rejected = rejected

    def add(self, entry: Entry) -> Path:
        """Write the entry to disk before anything else happens; raises `OSError`."""
        path = self.folder / f"{time.time_ns():020d}-{entry.id.hex}-{uuid4().hex[:8]}.json"
        write_atomic(path, entry.model_dump_json().encode())
        return path

    def entries(self) -> Iterator[tuple[Path, Entry]]:
        """What has begun and not ended; a file that is no entry goes to `rejected`."""
        for path in self.paths():
            try:
                yield path, Entry.model_validate_json(path.read_bytes())
            except FileNotFoundError:
                continue  # its own process has just finished it
            except ValidationError:
                self.reject(path)

    def paths(self, *, older_than: float | None = None) -> list[Path]:
        """The entries' files, oldest first; those alone that are so many seconds old."""
        found = sorted(self.folder.glob("[0-9]*.json")) if self.folder.is_dir() else []
        if older_than is None:
            return found
        latest = f"{time.time_ns() - int(older_than * 1e9):020d}"
        return [path for path in found if path.name[: len(latest)] <= latest]

    def done(self, path: Path | None) -> None:
        """Take an entry away; somebody may have replayed it already, and one that comes back can be."""
        if path is not None:
            path.unlink(missing_ok=True)

    def reject(self, path: Path) -> None:
        """Put an entry aside that can never succeed, so that it is not tried for ever."""
        self.rejected.mkdir(exist_ok=True, mode=0o700)
        path.replace(self.rejected / path.name)

    def drop(self, memory_id: UUID) -> None:
        """Take away every trace of a memory that is to be forgotten."""
        for folder in (self.folder, self.rejected):
            for path in folder.glob(f"*-{memory_id.hex}-*.json"):
                path.unlink(missing_ok=True)
