"""The database half of the twin, through the operations of the client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from pgcortex._core import Core
from pgcortex._errors import InvalidInput, NotFound
from pgcortex._operations import _browse, _capture, _edit, _life
from pgcortex._operations._search import Filters
from pgcortex.notes import Note

from ._merge import EDITABLE

_CAN_BE_EMPTY: tuple[Literal["title", "session_id", "due_at"], ...] = ("title", "session_id", "due_at")


class BrainSource:
    """A `MemorySource` over a client's core: `BrainSource(cortex.core)`.

    Captures and updates are masked, tagged and embedded as always. Live memories are those that are not
    archived; superseded ones are history that a reader of the files wants too. A client that mirrors its own
    writes does not do so here.
    """

    def __init__(self, core: Core) -> None:
        self.core = core.without_mirror()

    def fetch(self, *, updated_since: datetime | None = None) -> Iterator[Note]:
        """Every live memory, a page at a time, or those of them that changed since."""
        for thought in _browse.iterate(self.core, filters=Filters(include_superseded=True)):
            if updated_since is None or thought.updated_at >= updated_since:
                yield Note.from_row(thought.model_dump())

    def get(self, memory_id: UUID) -> Note | None:
        """One live memory."""
        return next(iter(self.get_many([memory_id])), None)

    def get_many(self, ids: Sequence[UUID]) -> list[Note]:
        """Live memories by their ids."""
        found = _browse.get_many(self.core, ids)
        return [Note.from_row(thought.model_dump()) for thought in found if thought.archived_at is None]

    def is_forgotten(self, memory_id: UUID) -> bool:
        """Whether the owner forgot, erased or deleted it."""
        return bool(self.core.call("forgotten_among", many=True, repeatable=True, ids=[memory_id]))

    def capture(self, note: Note) -> UUID:
        """Store the note, or find the memory that says the same. Raises InvalidInput when it is refused."""
        verdict = _capture.capture_many(self.core, [note.capture_fields()])[0]
        if verdict.id is None:
            raise InvalidInput("note", verdict.error or "refused", hint=verdict.hint)
        return verdict.id

    def update(self, memory_id: UUID, note: Note) -> None:
        """Make the memory say what the note says, empty fields included."""
        fields = {name: getattr(note, name) for name in EDITABLE if getattr(note, name) is not None}
        clear = [name for name in _CAN_BE_EMPTY if getattr(note, name) is None]
        _edit.update_thought(self.core, memory_id, **fields, clear=clear)

    def forget(self, memory_id: UUID, *, reason: str | None, hard: bool) -> None:
        """Archive or erase it; one that is not there is forgotten already."""
        try:
            _life.forget(self.core, memory_id, hard=hard, reason=reason)
        except NotFound:
            return
