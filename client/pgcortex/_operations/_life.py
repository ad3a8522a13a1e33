"""A memory's life: remembered, used, asked about, forgotten; and the work it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pgcortex._core import Core
from pgcortex._errors import DatabaseUnavailable, InvalidInput
from pgcortex._models import Captured
from pgcortex._models._life import Decisions, Forgotten, MemoryStats, Restored, Survey, Used
from pgcortex._operations._browse import get
from pgcortex._operations._capture import capture
from pgcortex._operations._mirrored import followed, forgotten
from pgcortex._operations._review import supersede
from pgcortex._operations._search import query_arguments
from pgcortex._operations._text import without_nul
from pgcortex._types import Category, Source, Store, ThoughtType


def remember(
    core: Core,
    content: str,
    *,
    title: str | None = None,
    store: Store | None = None,
    category: Category | None = None,
    tags: Sequence[str] | None = None,
    thought_type: ThoughtType | None = None,
    topics: Sequence[str] | None = None,
    people: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    source: Source | None = None,
    confidence: float | None = None,
    valence: float | None = None,
    arousal: float | None = None,
    pinned: bool | None = None,
    metadata: dict[str, Any] | None = None,
    occurred_at: datetime | None = None,
    due_at: datetime | None = None,
    session_id: str | None = None,
    namespace: str | None = None,
    idempotency_key: str | None = None,
    supersedes: UUID | None = None,
) -> Captured:
    """Store one full memory, as `capture` does, but in the sensory store unless `store` says otherwise.

    With due_at it is prospective. Consolidation decides what stays of a sensory memory.
    confidence and arousal are 0 to 1, valence is -1 to 1. supersedes: the memory that this one replaces.

    Raises what `capture` raises, and NotFound for an unknown `supersedes`, before anything is stored.
    """
    given = {name: value for name, value in locals().items() if name not in ("core", "supersedes", "store")}
    if supersedes is not None:
        _must_be_there(core, supersedes)
    verdict = capture(core, store=store or ("prospective" if due_at else "sensory"), **given)
    if supersedes is not None and verdict.id is not None:
        if verdict.id == supersedes:
            raise InvalidInput("supersedes", "is this very memory", hint="say what is different now")
        if verdict.status == "queued":
            later = (
                f"the database is away, so {supersedes} is not yet marked as replaced; do it by `supersede`"
            )
            return verdict.model_copy(update={"warnings": [*verdict.warnings, later]})
        supersede(core, supersedes, verdict.id)
    return verdict


def _must_be_there(core: Core, id: UUID) -> None:
    """Raises NotFound; a memory that nobody can look up now may be there, if captures are queued."""
    try:
        get(core, id)
    except DatabaseUnavailable:
        if core.mirror is None:
            raise


def mark_used(core: Core, ids: Sequence[UUID], *, as_of: datetime | None = None) -> Used:
    """Reinforce the memories that an answer really used, once each."""
    return Used(**core.call("mark_used", ids=list(ids), as_of=as_of))


def what_do_i_know(
    core: Core,
    topic: str,
    *,
    limit: int = 5,
    threshold: float | None = None,
    namespace: str | None = None,
    as_of: datetime | None = None,
) -> Survey:
    """Survey a topic: how much, since when, which stores, people and related topics, the best memories.

    threshold: cosine similarity above which a memory counts as on the topic; default calibrated per model.
    """
    arguments, degraded = query_arguments(core, topic, threshold)
    answer = core.call(
        "what_do_i_know",
        repeatable=True,
        topic=without_nul(topic),
        match_count=limit,
        namespace=namespace,
        as_of=as_of,
        **arguments,
    )
    return Survey(**answer, degraded=degraded)


def why_did_we(
    core: Core,
    question: str,
    *,
    limit: int = 5,
    threshold: float | None = None,
    namespace: str | None = None,
    as_of: datetime | None = None,
) -> Decisions:
    """Dig out decisions, replaced ones included, with what caused, contradicts and replaced them."""
    arguments, degraded = query_arguments(core, question, threshold)
    answer = core.call(
        "why_did_we",
        repeatable=True,
        question=without_nul(question),
        match_count=limit,
        namespace=namespace,
        as_of=as_of,
        **arguments,
    )
    return Decisions(**answer, degraded=degraded)


def forget(core: Core, id: UUID, *, hard: bool = False, reason: str | None = None) -> Forgotten:
    """Take a memory out of every read; `restore` brings it back.

    hard: erase it for good, with links, vector, audit content and the summaries that hold its words.
    Repeating it changes nothing. Raises NotFound.
    """
    return forgotten(
        core, id, reason, hard, lambda: Forgotten(**core.call("forget", id=id, hard=hard, reason=reason))
    )


def restore(core: Core, id: UUID) -> Restored:
    """Bring back a memory that was archived, softly forgotten or superseded, as strong as new.

    Raises NotFound, Conflict (the same words are live under another id).
    """
    return followed(core, Restored(**core.call("restore", id=id)), id)


def memory_stats(core: Core, *, as_of: datetime | None = None) -> MemoryStats:
    """`stats`, and strength, what fades soon, links, archive reasons, and what waits for review."""
    return MemoryStats(**core.call("memory_stats", repeatable=True, as_of=as_of))
