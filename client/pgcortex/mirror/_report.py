"""What a write and a sync answer with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a dual write: `done`, `queued` for the next sync, or `failed`; and why it is not done."""

    state: Literal["done", "queued", "failed"]
    reason: str | None = None


DONE = Half("done")


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Which half of a write succeeded. What is queued or failed on one side the next sync repairs."""

    id: UUID
    database: Half
    file: Half

    @property
    def complete(self) -> bool:
        """Whether both sides have it."""
        return self.database.state == self.file.state == "done"


Kind = Literal[
    # database to files
    "file written",
    "file refreshed",
    "file removed",
    # files to database
    "memory captured",
    "memory updated",
    "memory forgotten",
    # bookkeeping
    "noted",
    "write replayed",
    # for a person to look at
    "changed on both sides",
    "deleted by hand",
    "duplicate",
    "unreadable",
    "refused",
]

OPEN: frozenset[Kind] = frozenset({"deleted by hand", "duplicate", "unreadable", "refused"})
"""Kinds that a sync reports and leaves as they are."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between the sides: what was done about it, or by `verify` what would be."""

    kind: Kind
    name: str
    id: UUID | None = None
    detail: str | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}" + (f" ({self.detail})" if self.detail else "")


@dataclass(slots=True)
class SyncReport:
    """Everything that differed, in the order in which it was met."""

    changes: list[Change] = field(default_factory=list)

    def add(self, kind: Kind, name: str, memory_id: UUID | None = None, detail: str | None = None) -> None:
        """Append one change."""
        self.changes.append(Change(kind, name, memory_id, detail))

    @property
    def counts(self) -> dict[str, int]:
        """How many changes of each kind."""
        return dict(Counter(change.kind for change in self.changes))

    @property
    def open(self) -> list[Change]:
        """What is left for a person to decide."""
        return [change for change in self.changes if change.kind in OPEN]

    @property
    def agree(self) -> bool:
        """Whether the sides said the same to begin with."""
        return not any(change.kind != "noted" for change in self.changes)
