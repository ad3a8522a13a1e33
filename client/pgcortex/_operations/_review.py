"""Keeping the brain true: what replaces what, and the pairs somebody should look at."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pgcortex._core import Core
from pgcortex._models._life import Link
from pgcortex._models._review import Resolved, Review, Superseded, Verdict
from pgcortex._operations._mirrored import followed
from pgcortex._types import LinkType


def supersede(core: Core, old_id: UUID, new_id: UUID, *, as_of: datetime | None = None) -> Superseded:
    """Say that a newer memory replaces an older one, which leaves default reads and stays in the history.

    Raises NotFound, Conflict (a circle, or a forgotten memory).
    """
    answer = core.call("supersede", old_id=old_id, new_id=new_id, as_of=as_of)
    return followed(core, Superseded(**answer), old_id, new_id)


def link_memories(
    core: Core, from_id: UUID, to_id: UUID, *, type: LinkType = "related", weight: float = 1.0
) -> Link:
    """Tie two memories: from_id caused, contradicts, supersedes, is part of, follows or is related to to_id.

    weight: strength of the tie, 0 to 1. Raises NotFound, InvalidInput.
    """
    answer = core.call("link_memories", from_id=from_id, to_id=to_id, type=type, weight=weight)
    return followed(core, Link(**answer), from_id, to_id)


def review_queue(core: Core, *, limit: int = 20, namespace: str | None = None) -> list[Review]:
    """Pairs that seem to contradict or repeat each other: contradictions first, the likest first."""
    rows = core.call("review_queue", many=True, repeatable=True, match_count=limit, namespace=namespace)
    return [Review(**row) for row in rows]


def resolve_review(
    core: Core,
    from_id: UUID,
    to_id: UUID,
    *,
    type: LinkType,
    verdict: Verdict,
    as_of: datetime | None = None,
) -> Resolved:
    """Settle a pair of the review queue.

    verdict: keep (both stand), dismiss (they do not concern each other), supersede (from_id replaces to_id)
    or superseded (to_id replaces from_id). Raises NotFound, Conflict.
    """
    answer = core.call(
        "resolve_review", from_id=from_id, to_id=to_id, type=type, verdict=verdict, as_of=as_of
    )
    return followed(core, Resolved(**answer), from_id, to_id)
