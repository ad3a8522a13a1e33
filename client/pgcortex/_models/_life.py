"""Answers about a memory's life: what is known, why, what fades, what was forgotten, where work stands."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from pgcortex._models._thoughts import Count, Model, Moment, Stats, Written
from pgcortex._types import Category, EnrichmentStatus, LinkType, Store, ThoughtType


class Brief(Model):
    """A memory inside a larger answer; what does not apply there is None."""

    id: UUID
    content: str
    title: str | None = None
    thought_type: ThoughtType
    store: Store
    category: Category
    topics: list[str] = Field(default=[])
    people: list[str] = Field(default=[])
    confidence: float
    occurred_at: Moment
    due_at: Moment | None = None
    valid_to: Moment | None = Field(default=None, description="when a newer memory replaced it")
    superseded_by: UUID | None = None
    archived_at: Moment | None = None
    archive_reason: str | None = None
    score: float | None = None
    similarity: float | None = None
    strength: float | None = None


class Survey(Model):
    """What there is on a topic, before reading any of it."""

    topic: str
    count: int
    by_store: dict[str, int] = Field(default={})
    by_category: dict[str, int] = Field(default={})
    by_type: dict[str, int] = Field(default={})
    people: list[Count] = Field(default=[])
    related_topics: list[Count] = Field(default=[])
    first: Moment | None = None
    last: Moment | None = None
    top: list[Brief] = Field(default=[])
    degraded: str | None = Field(default=None, description="why only words were compared")


class Reason(Brief):
    """A memory tied to a decision.

    relation: what it is to the memory one step nearer the decision (cause, consequence, replacement,
    replaced, contradiction, source, summary); depth: steps from the decision.
    """

    relation: str
    decision: UUID
    depth: int


class Decisions(Model):
    """Decisions a question is about, best match first; their story in time order; other hits."""

    question: str
    decisions: list[Brief] = Field(default=[])
    chain: list[Reason] = Field(default=[])
    context: list[Brief] = Field(default=[])
    degraded: str | None = Field(default=None, description="why only words were compared")


class Changed(Written):
    """A memory after an edit; `queued` while the database is away."""

    id: UUID
    status: Literal["updated", "unchanged", "queued"]
    enrichment_status: EnrichmentStatus | None = None
    updated_at: Moment
    redacted: list[str] = Field(default=[], description="kinds of secrets that were masked before storing")
    warnings: list[str] = Field(default=[])


class Forgotten(Written):
    """What forgetting removed; `removed` counts memories, vectors and links, and names derived summaries."""

    id: UUID
    status: Literal["forgotten", "erased", "queued"]
    removed: dict[str, Any] = Field(default={})
    warnings: list[str] = Field(default=[])


class Restored(Written):
    """A memory that is back; `was` says why it had been away."""

    id: UUID
    status: Literal["restored", "live"]
    was: str | None = None


class Used(Model):
    """How many memories were reinforced, and which ids are none of the owner's."""

    used: int
    unknown: list[UUID] = Field(default=[])


class Link(Written):
    """A tie between two memories, weight 0 to 1."""

    from_id: UUID
    to_id: UUID
    type: LinkType
    weight: float
    status: Literal["created", "updated", "superseded", "exists"]


class MemoryStats(Stats):
    """`Stats`, and the state of a brain: strength, what fades, links, what waits for review."""

    by_store_and_category: dict[str, dict[str, int]] = Field(default={})
    by_source: dict[str, int] = Field(default={})
    by_namespace: dict[str, int] = Field(default={})
    by_archive_reason: dict[str, int] = Field(default={})
    pinned: int = 0
    strength: list[dict[str, float]] = Field(default=[], description="ten bins: from, to, count")
    mean_strength: float | None = None
    fading_soon: int = Field(default=0, description="memories that fade within seven days unless recalled")
    links: dict[str, int] = Field(default={})
    to_review: int = 0
    recalls_7_days: int = 0
