"""What the operations answer with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pgcortex._types import Category, EnrichmentStatus, Source, Store, ThoughtType


def _with_minutes(value: Any) -> Any:
    """Postgres writes an offset of whole hours as +00, which ISO 8601 readers may not take."""
    return f"{value}:00" if isinstance(value, str) and value[10:][-3:-2] in ("+", "-") else value


Moment = Annotated[datetime, BeforeValidator(_with_minutes)]
"""A time with its zone, however the server in between wrote it."""


class Model(BaseModel):
    """Answers may gain columns; a client that does not know them ignores them."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Memory(Model):
    """One memory as it is listed."""

    id: UUID
    content: str
    title: str | None = None
    thought_type: ThoughtType
    topics: list[str] = []
    people: list[str] = []
    actions: list[str] = []
    store: Store
    category: Category
    tags: list[str] = []
    source: Source
    confidence: float = Field(description="how certain, 0 to 1")
    metadata: dict[str, Any] = {}
    namespace: str
    session_id: str | None = None
    occurred_at: Moment
    created_at: Moment
    due_at: Moment | None = None
    valid_to: Moment | None = Field(default=None, description="when a newer memory replaced it")
    superseded_by: UUID | None = None
    archived_at: Moment | None = None


class Thought(Memory):
    """A memory in a list, with its state."""

    valence: float = 0
    arousal: float = 0
    pinned: bool = False
    updated_at: Moment
    archive_reason: str | None = None
    extractor: str | None = None
    enrichment_status: EnrichmentStatus
    cursor: str = Field(default="", description="continues the list after this memory", repr=False)


class Hit(Memory):
    """A memory that was found: every component of its score, 0 to 1, and the legs that brought it."""

    similarity: float | None = Field(default=None, description="cosine similarity, -1 to 1")
    score: float
    relevance: float
    lexical: float | None = None
    strength: float
    recency: float
    access: float
    found_by: list[Literal["vector", "words", "link"]] = []


class Explanation(Model):
    """The account of one search."""

    memories: int = Field(description="memories under the filters")
    without_vector: int = 0
    plan: str | None = None
    vector_candidates: int = 0
    word_candidates: int = 0
    words: list[dict[str, Any]] | None = None
    match_threshold: float
    below_threshold: int = 0
    best_below_threshold: float | None = None
    hits: int = 0
    embedding_model: str | None = None


class Hits(Model):
    """The hits of a search, best first, and what a reader must know about them.

    `degraded` says why less than the whole search was done (the embedder or the database was away);
    `explanation` is there when nothing was found, so that "nothing stored" and "nothing close enough"
    never look alike.
    """

    hits: list[Hit] = []
    degraded: str | None = None
    explanation: Explanation | None = None

    def __iter__(self) -> Iterator[Hit]:  # type: ignore[override]
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]

    @property
    def notice(self) -> str | None:
        """One sentence for a person when something is missing; None when all is well."""
        if self.degraded:
            return f"Only part of the search was done: {self.degraded}."
        if self.hits or self.explanation is None:
            return None
        if self.explanation.memories == 0:
            return "Nothing is stored yet that these filters allow."
        if self.explanation.below_threshold:
            return (
                f"Nothing above the threshold {self.explanation.match_threshold:.2f}: "
                f"{self.explanation.below_threshold} memories came close, the best with similarity "
                f"{self.explanation.best_below_threshold:.2f}. Lower the threshold to see them."
            )
        return f"None of {self.explanation.memories} memories matches."


class Written(Model):
    """What a write answers with."""

    mirrored: bool | None = Field(
        default=None, description="whether its markdown note says so too; None without a mirror"
    )


class Captured(Written):
    """The verdict on one captured thought."""

    id: UUID | None = None
    status: Literal["created", "exists", "forgotten", "refused", "queued"]
    enrichment_status: EnrichmentStatus | None = None
    error: str | None = Field(default=None, description="why it was refused")
    hint: str | None = None
    redacted: list[str] = Field(default=[], description="kinds of secrets that were masked before storing")
    warnings: list[str] = []


class Count(Model):
    """A name and how many memories carry it."""

    name: str
    count: int


class Backlog(Model):
    """What still has to be embedded or tagged."""

    pending: int = 0
    failed: int = 0
    without_vector: int = 0
    other_model: int = 0


class Cost(Model):
    """What the owner's calls to model providers cost, in US dollars by the prices the brain knows."""

    model_config = ConfigDict(extra="allow", frozen=True)

    calls: int = 0
    cost_usd: float = 0
    month_usd: float = Field(default=0, description="in this calendar month, UTC")
    monthly_budget_usd: float | None = None
    budget_spent: bool = False


class Stats(Model):
    """Exact totals of a brain."""

    model_config = ConfigDict(extra="allow", frozen=True)

    total: int
    archived: int = 0
    superseded: int = 0
    first: Moment | None = None
    last: Moment | None = None
    by_type: dict[str, int] = {}
    by_store: dict[str, int] = {}
    by_category: dict[str, int] = {}
    top_topics: list[Count] = []
    top_people: list[Count] = []
    embedding_model: str | None = None
    embedding_dimensions: int
    backlog: Backlog = Backlog()
    cost: Cost = Cost()
