"""Capture: one thought in, stored whatever the providers do."""

from __future__ import annotations

from concurrent.futures import Future
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from pgcortex._core import vector_text
from pgcortex._errors import (
    CortexError,
    EmbeddingMismatch,
    InvalidInput,
    ProviderRefused,
    ProviderUnavailable,
)
from pgcortex._operations._capture import blend, embedding_text
from pgcortex._operations._text import checked_content, masked, without_nul
from pgcortex._transports import Transport
from pgcortex._types import Category, Source, Store, ThoughtType
from pgcortex_functions._app import App
from pgcortex_functions._auth import User
from pgcortex_functions._calls import MeteredEmbedder
from pgcortex_functions._http import Call, Reply, parsed
from pgcortex_functions._metadata import Findings, find_metadata, paid_in_vain

Share = Annotated[float, Field(ge=0, le=1)]

# What an embedder or extractor may raise without costing the thought.
_PROVIDER_ERRORS = (ProviderUnavailable, ProviderRefused, EmbeddingMismatch)


class CaptureBody(BaseModel):
    """What a capture request may hold; whatever is given wins over what an extractor finds."""

    model_config = ConfigDict(extra="forbid")

    content: str
    title: str | None = None
    thought_type: ThoughtType | None = None
    topics: list[str] | None = None
    people: list[str] | None = None
    actions: list[str] | None = None
    store: Store | None = None
    category: Category | None = None
    tags: list[str] | None = None
    source: Source | None = None
    confidence: Share | None = None
    valence: Annotated[float, Field(ge=-1, le=1)] | None = None
    arousal: Share | None = None
    pinned: bool | None = None
    metadata: dict[str, Any] | None = None
    occurred_at: AwareDatetime | None = None
    due_at: AwareDatetime | None = None
    session_id: str | None = None
    namespace: str | None = None
    idempotency_key: str | None = None


def capture(app: App, user: User, call: Call) -> Reply:
    """Store one thought of `user`: secrets masked, embedded and tagged at once, repeats answered as such.

    201 created, 202 created but the embedding or metadata is still to come, 200 for a repeat.
    """
    body: CaptureBody = parsed(CaptureBody, call.body)
    thought, redacted = _clean(app, body, call.idempotency_key)
    database = app.for_user(user)
    known = database.call(
        "prepare_capture",
        {
            "content": thought["content"],
            "namespace": thought["namespace"],
            "session_id": thought.get("session_id"),
            "idempotency_key": thought.get("idempotency_key"),
            "with_neighbours": app.settings.llm_model is not None,
        },
        repeatable=True,
    )
    if known["repeat"]:
        return Reply(200, known["repeat"] | {"redacted": redacted, "warnings": []}, {"result": "exists"})
    return _store(app, database, thought, body.occurred_at, known, redacted)


def _clean(app: App, body: CaptureBody, key: str | None) -> tuple[dict[str, Any], list[str]]:
    """Return the thought as it may be stored and sent on, and the kinds of secrets masked in it."""
    given = body.model_dump(mode="json", exclude_none=True)
    thought: dict[str, Any] = without_nul(given)
    thought["content"] = checked_content(body.content)
    thought.setdefault("namespace", app.settings.namespace)
    if key:
        if len(key) > 200:
            raise InvalidInput("idempotency-key", "is longer than 200 characters")
        thought["idempotency_key"] = key
    return masked(thought) if app.settings.redact else (thought, [])


def _store(
    app: App,
    database: Transport,
    thought: dict[str, Any],
    occurred_at: datetime | None,
    known: dict[str, Any],
    redacted: list[str],
) -> Reply:
    """Ask the providers, both at once, and store the thought with as much as they gave."""
    calls: list[dict[str, Any]] = []
    vector_job = app.threads.submit(_vector, app, thought, known, calls)
    warnings: list[str] = []
    relations: list[dict[str, Any]] = []
    try:
        findings = find_metadata(
            thought["content"],
            occurred_at=occurred_at,
            neighbours=known["neighbours"],
            budget_spent=known["budget_spent"],
            settings=app.settings,
        )
        _fill(thought, findings)
        warnings += findings.warnings
        relations = findings.relations
        calls += findings.calls
    except _PROVIDER_ERRORS as error:
        calls += paid_in_vain(error)
        warnings.append(f"stored without metadata, to be tagged later: {error.message}")
    vector, problem = _settled(vector_job)
    if problem:
        warnings.append(f"stored without a vector, to be embedded later: {problem.message}")
    if vector is not None and app.embedder is not None:
        thought["embedding_model"] = app.embedder.model
    stored = database.call(
        "store_capture",
        {
            "thought": thought,
            "embedding": vector_text(vector),
            "relations": relations or None,
            "calls": calls or None,
        },
    )
    status = 200 if stored["status"] != "created" else 201 if stored["enrichment_status"] == "done" else 202
    facts = {"result": stored["status"], "enrichment": stored["enrichment_status"], "calls": len(calls)}
    return Reply(status, stored | {"redacted": redacted, "warnings": warnings}, facts)


def _vector(
    app: App, thought: dict[str, Any], known: dict[str, Any], calls: list[dict[str, Any]]
) -> list[float] | None:
    """Return the thought's vector, turned a little towards what was said before it in its session."""
    misfit = app.fits(known["embedding_dimensions"], known["embedding_model"])
    if misfit:
        raise misfit
    if app.embedder is None:
        return None
    weight = app.settings.context_weight
    previous = known["previous"] if weight > 0 else None
    texts = [embedding_text(thought)] + ([previous] if previous else [])
    vectors = MeteredEmbedder(app.embedder, calls).embed(texts)
    return blend(vectors[0], vectors[1], weight) if previous else vectors[0]


def _settled(job: Future[list[float] | None]) -> tuple[list[float] | None, CortexError | None]:
    try:
        return job.result(), None
    except _PROVIDER_ERRORS as error:
        return None, error


def _fill(thought: dict[str, Any], findings: Findings) -> None:
    """Add what was found where the caller said nothing."""
    for name, value in findings.fields.items():
        thought.setdefault(name, value)
    if findings.warnings:
        thought["metadata"] = thought.get("metadata", {}) | {"extraction_warnings": findings.warnings}
