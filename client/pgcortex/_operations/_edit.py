"""Changing a memory that is there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pgcortex._core import Core, vector_text
from pgcortex._errors import DependencyMissing, ProviderRefused, ProviderUnavailable
from pgcortex._models._life import Changed
from pgcortex._models._thoughts import Thought
from pgcortex._operations._browse import get
from pgcortex._operations._capture import embedding_text
from pgcortex._operations._mirrored import followed, updated
from pgcortex._operations._text import checked_content, masked, without_nul
from pgcortex._types import Category, Source, Store, ThoughtType


def update_thought(
    core: Core,
    id: UUID,
    *,
    content: str | None = None,
    title: str | None = None,
    thought_type: ThoughtType | None = None,
    topics: Sequence[str] | None = None,
    people: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    store: Store | None = None,
    category: Category | None = None,
    tags: Sequence[str] | None = None,
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
    done: bool | None = None,
    clear: Sequence[Literal["title", "session_id", "due_at"]] | None = None,
    if_updated_at: datetime | None = None,
) -> Changed:
    """Change what is given and leave the rest; new words are embedded in the same call.

    done: the task is done, or open again. clear: columns to empty. if_updated_at: refuse with Conflict when
    somebody changed it since. While the embedder is away the memory waits for its new vector in the queue;
    the old one is gone, so that search never matches words that are no longer there.

    With a mirror and without the database it is queued, if it is a change that a note can say.

    Raises InvalidInput, NotFound, Conflict.
    """
    changes = {n: v for n, v in locals().items() if n not in ("core", "id") and v is not None}
    changes = {
        n: list(v) if isinstance(v, Sequence) and not isinstance(v, str) else without_nul(v)
        for n, v in changes.items()
    }
    if content is not None:
        changes["content"] = checked_content(content)
    redacted: list[str] = []
    if core.settings.redact:
        clean, redacted = masked({"content": "", **changes})
        changes = {name: clean[name] for name in changes}

    def bring() -> Changed:
        words = {"content", "title"} & set(changes)
        problem = _follow(core, get(core, id), changes) if words else None
        answer = core.call("update_thought", id=id, **changes)
        return Changed(**answer, redacted=redacted, warnings=[problem] if problem else [])

    return updated(core, id, changes, redacted, bring)


def pin(core: Core, id: UUID, *, pinned: bool = True) -> Changed:
    """Keep a memory from fading and from being archived by a job, or let it go again. Raises NotFound."""
    return followed(core, Changed(**core.call("pin", id=id, pinned=pinned)), id)


def _follow(core: Core, before: Thought, changes: dict[str, Any]) -> str | None:
    """Have what was made from the old words follow the new ones; why there is no vector, if there is none."""
    _derive_again(before, changes)
    was = {"content": before.content, "title": before.title}
    text = embedding_text(was | {name: changes[name] for name in was if name in changes})
    if core.embedder is None or text == embedding_text(was):
        return None
    try:
        changes["embedding"] = vector_text(core.embed([text])[0])
        changes["embedding_model"] = core.embedder.model
    except (ProviderUnavailable, ProviderRefused) as error:
        return f"stored without a vector, to be embedded later: {error}"
    return None


def _derive_again(before: Thought, changes: dict[str, Any]) -> None:
    """Replace what the rules read in the old words, unless somebody has corrected it since."""
    content = changes.get("content", before.content)
    if content == before.content or not (before.extractor or "").startswith("rules"):
        return
    try:
        from pgcortex.extraction import extract

        old, new = (extract(words, now=before.occurred_at) for words in (before.content, content))
    except (DependencyMissing, ImportError):
        return
    for name in ("title", "topics", "people", "actions"):
        found = getattr(new, name)
        if name not in changes and found is not None and getattr(before, name) == getattr(old, name):
            changes[name] = found
