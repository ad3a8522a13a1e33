"""From one session to the next: save where the work stands, wake up to it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pgcortex._core import Core, vector_text
from pgcortex._errors import InvalidInput, ProviderRefused, ProviderUnavailable
from pgcortex._models._wake import Checkpoint, Wake
from pgcortex._operations._mirrored import followed
from pgcortex._operations._text import checked_content, masked, without_nul


def checkpoint(
    core: Core,
    state: dict[str, Any],
    *,
    title: str | None = None,
    session_id: str | None = None,
    namespace: str | None = None,
    as_of: datetime | None = None,
) -> Checkpoint:
    """Save a working context, any JSON object, as a memory that `wake` brings back.

    It replaces the previous checkpoint of the same session and namespace. Secrets are masked.

    Raises InvalidInput.
    """
    if not isinstance(state, dict) or not state:
        raise InvalidInput("state", "is not an object with entries", hint="send at least a summary")
    given = {"state": without_nul(state)} | ({"title": without_nul(title)} if title else {})
    words = checked_content("\n".join(_lines(given["state"])))
    redacted: list[str] = []
    if core.settings.redact:
        clean, redacted = masked({"content": words, "metadata": given["state"], "title": title})
        words, given["state"] = clean["content"], clean["metadata"]
        if title:
            given["title"] = clean["title"]
    answer = core.call(
        "checkpoint",
        session_id=session_id,
        namespace=namespace or core.settings.namespace,
        as_of=as_of,
        **given,
        **_vector(core, words),
    )
    saved = Checkpoint(**answer, redacted=redacted)
    return followed(core, saved, *filter(None, (saved.id, saved.replaced)))


def wake(
    core: Core,
    *,
    namespace: str | None = None,
    session_id: str | None = None,
    days: int = 7,
    limit: int = 5,
    as_of: datetime | None = None,
) -> Wake:
    """The briefing to begin a session with; changes nothing.

    days: how far it looks back for decisions and ahead for what is due or fades.
    """
    answer = core.call(
        "wake",
        repeatable=True,
        namespace=namespace,
        session_id=session_id,
        days=days,
        match_count=limit,
        as_of=as_of,
    )
    return Wake(**answer)


def _lines(state: dict[str, Any]) -> list[str]:
    return [
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in state.items()
    ]


def _vector(core: Core, words: str) -> dict[str, Any]:
    """The embedding of a checkpoint; without one it waits in the queue."""
    if core.embedder is None:
        return {}
    try:
        vector = vector_text(core.embed([words])[0])
    except (ProviderUnavailable, ProviderRefused):
        return {}
    return {"embedding": vector, "embedding_model": core.embedder.model}
