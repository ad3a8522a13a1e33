"""What the twin needs of a brain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from pgcortex.notes import Note


class MemorySource(Protocol):
    """The database side, for one owner. A live memory is one that default reads return; it has an id.

    Every method raises `DatabaseUnavailable` when there is no answer and the other errors of
    `pgcortex._errors` when there is one that says no.
    """

    def fetch(self, *, updated_since: datetime | None = None) -> Iterator[Note]:
        """Every live memory, or those changed since a time, in a stable order."""
        ...

    def get(self, memory_id: UUID) -> Note | None:
        """One live memory; `None` when it is not live or not there."""
        ...

    def get_many(self, ids: Sequence[UUID]) -> list[Note]:
        """Those of these memories that are live, in any order."""
        ...

    def is_forgotten(self, memory_id: UUID) -> bool:
        """Whether the owner forgot or erased it, so that it must not come back."""
        ...

    def capture(self, note: Note) -> UUID:
        """Store the note under its id and answer that id, or the id under which its words are stored already.

        The same call again changes nothing, and a forgotten id stays forgotten.
        """
        ...

    def update(self, memory_id: UUID, note: Note) -> None:
        """Make the memory say what the note says. Raises `NotFound`."""
        ...

    def forget(self, memory_id: UUID, *, reason: str | None, hard: bool) -> None:
        """Archive it, or erase it. A memory that is not there is forgotten already."""
        ...
