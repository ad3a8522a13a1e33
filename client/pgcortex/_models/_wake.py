"""Where work stands: a checkpoint, and the briefing that starts the next session."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from pgcortex._models._life import Brief
from pgcortex._models._review import Review
from pgcortex._models._thoughts import Model, Moment, Written
from pgcortex._types import EnrichmentStatus


class Checkpoint(Written):
    """The verdict on a saved working context; `replaced` is the checkpoint before it."""

    id: UUID
    status: Literal["created", "exists", "forgotten"]
    enrichment_status: EnrichmentStatus | None = None
    replaced: UUID | None = None
    redacted: list[str] = Field(default=[], description="kinds of secrets that were masked before storing")


class LastCheckpoint(Model):
    """A working context as it was saved."""

    id: UUID
    title: str | None = None
    state: dict[str, Any] = Field(default={})
    session_id: str | None = None
    namespace: str
    saved_at: Moment


class Tasks(Model):
    """Open tasks of a span of time: how many, and the first of them."""

    count: int = 0
    tasks: list[Brief] = Field(default=[])


class Stale(Brief):
    """Knowledge that nobody has used for long."""

    last_used_at: Moment


class Fade(Brief):
    """A memory that is about to fade."""

    fades_at: Moment


class Fading(Model):
    """What fades soon: how many, and those that were used most."""

    count: int = 0
    memories: list[Fade] = Field(default=[])


class ToReview(Model):
    """Pairs that contradict or repeat each other: how many, and the likest."""

    count: int = 0
    pairs: list[Review] = Field(default=[])


class Size(Model):
    """How big the brain is, and what waits to be embedded or tagged."""

    memories: int = 0
    new_7_days: int = 0
    by_store: dict[str, int] = Field(default={})
    pending: int = 0
    failed: int = 0


class Wake(Model):
    """The morning briefing."""

    at: Moment
    namespace: str | None = None
    checkpoint: LastCheckpoint | None = None
    overdue: Tasks = Tasks()
    due: Tasks = Tasks()
    decisions: list[Brief] = Field(default=[])
    review: ToReview = ToReview()
    stale: list[Stale] = Field(default=[])
    fading: Fading = Fading()
    size: Size = Size()
    late_jobs: list[Any] | None = Field(default=None, description="background jobs that are overdue")
