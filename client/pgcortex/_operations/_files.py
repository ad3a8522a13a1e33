"""Finding thoughts in the markdown notes, while the database is away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pgcortex._models import Hit, Hits

if TYPE_CHECKING:
    from pgcortex._operations._search import Filters
    from pgcortex.mirror import FileHit, Mirror
    from pgcortex.notes import Note

DEGRADED = "the database is away, so only the markdown notes were searched"


def hits_from_files(mirror: Mirror, query: str, limit: int, filters: Filters) -> Hits:
    """Notes that share words with the query, best first; a note that is no memory yet has no id to show.

    A score is relative to the best hit's; strength, recency and access are not known here and are 0.
    """
    found = mirror.search(
        query, limit=limit, where=lambda note: note.id is not None and _allows(filters, note)
    ).hits
    best = max((hit.score for hit in found), default=1.0) or 1.0
    return Hits(hits=[_as_hit(hit, hit.score / best) for hit in found], degraded=DEGRADED)


def _allows(filters: Filters, note: Note) -> bool:
    names = ("thought_type", "store", "category", "source", "namespace", "session_id")
    return (
        all(getattr(filters, name) in (None, getattr(note, name)) for name in names)
        and all(_any(getattr(filters, name), getattr(note, name)) for name in ("topics", "people", "tags"))
        and (filters.since is None or (note.occurred_at is not None and note.occurred_at >= filters.since))
        and (filters.until is None or (note.occurred_at is not None and note.occurred_at < filters.until))
        and (filters.min_confidence is None or (note.confidence or 0.0) >= filters.min_confidence)
    )


def _any(wanted: Iterable[str] | None, present: Iterable[str]) -> bool:
    return not wanted or not {word.casefold() for word in wanted}.isdisjoint(map(str.casefold, present))


def _as_hit(hit: FileHit, relevance: float) -> Hit:
    """What the database fills in for a capture is filled in here for a note that still waits for it."""
    note = hit.note.model_dump(exclude_none=True, exclude={"extra", "warnings"})
    unknown = {
        "thought_type": "observation",
        "store": "episodic",
        "category": "fact",
        "source": "conversation",
        "confidence": 0.8,
        "namespace": "default",
        "created_at": hit.note.created_at or hit.note.occurred_at,
    }
    scores = {"score": relevance, "relevance": relevance, "lexical": relevance}
    nothing = {"strength": 0.0, "recency": 0.0, "access": 0.0}
    return Hit(**{**unknown, **note, **scores, **nothing, "found_by": ["words"]})
