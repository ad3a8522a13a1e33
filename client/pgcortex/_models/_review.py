"""Answers about keeping a brain true: pairs to review, and what replaced what."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pgcortex._models._thoughts import Model, Moment, Written
from pgcortex._types import LinkType

Verdict = Literal["keep", "dismiss", "supersede", "superseded"]


class Review(Model):
    """Two current memories that seem to contradict or to repeat each other."""

    kind: Literal["contradiction", "duplicate"]
    from_id: UUID
    to_id: UUID
    type: LinkType
    similarity: float
    noticed_at: Moment
    from_content: str
    from_title: str | None = None
    from_occurred_at: Moment
    to_content: str
    to_title: str | None = None
    to_occurred_at: Moment


class Resolved(Written):
    """A pair that was settled."""

    from_id: UUID
    to_id: UUID
    type: LinkType
    verdict: Verdict
    reviewed_at: Moment


class Superseded(Written):
    """One memory took another's place."""

    old_id: UUID
    new_id: UUID
    valid_to: Moment
    status: Literal["superseded", "exists"]
