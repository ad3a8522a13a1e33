"""The worker: finishes what captures left open, a bounded batch at a time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from pgcortex._core import vector_text
from pgcortex._errors import CortexError, EmbeddingMismatch, ProviderRefused, ProviderUnavailable
from pgcortex._openai_errors import ProviderMisconfigured
from pgcortex._operations._capture import blend, embedding_text
from pgcortex._transports import Transport
from pgcortex_functions._app import App
from pgcortex_functions._calls import MeteredEmbedder
from pgcortex_functions._http import Call, Reply, parsed
from pgcortex_functions._llm import UnreadableAnswer
from pgcortex_functions._metadata import Findings, find_metadata, paid_in_vain

# How long a memory waits after an outage that names no time itself.
_OUTAGE_SECONDS = 30.0
_MISCONFIGURED_SECONDS = 300.0
_WITHOUT_EMBEDDER = {"error": "no embedder is set", "retry_after": 86_400.0, "counted": False}
# A title that arrives after the vector changes the words: the memory asks for a new vector at once.
_AGAIN = {"counted": False}


class EnrichBody(BaseModel):
    """How much one call may do."""

    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=10_000)] = 1000


@dataclass
class _Item:
    """One claimed memory and what became of it."""

    claim: dict[str, Any]
    vector: list[float] | None = None
    findings: Findings | None = None
    problems: list[CortexError] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def content(self) -> str:
        return str(self.claim["content"])


def enrich(app: App, call: Call) -> Reply:
    """Claim pending memories and complete them until none is due, the limit or the time is reached.

    Stops early when a provider is away for everyone; what was claimed goes back without a lost attempt.
    """
    body: EnrichBody = parsed(EnrichBody, call.body)
    database = app.for_worker()
    deadline = time.monotonic() + app.settings.worker_seconds
    counts: Counter[str] = Counter()
    stopped = "drained"
    while True:
        if time.monotonic() >= deadline:
            stopped = "time"
            break
        room = min(app.settings.worker_batch, body.limit - counts["claimed"])
        if room <= 0:
            stopped = "limit"
            break
        claims = database.call("claim_enrichment", {"batch": room}, many=True)
        if not claims:
            break
        counts["claimed"] += len(claims)
        outage = _work(app, database, [_Item(claim) for claim in claims], counts)
        if outage:
            stopped = f"provider: {outage.message}"
            break
    answer = {name: counts[name] for name in ("claimed", "done", "pending", "failed", "changed")}
    return Reply(200, answer | {"stopped": stopped}, answer)


def _work(app: App, database: Transport, items: list[_Item], counts: Counter[str]) -> CortexError | None:
    """Enrich one batch; return the error that hit all of it, if one did."""
    to_tag = [item for item in items if item.claim["needs_metadata"]]
    jobs = [(item, app.enrichers.submit(_tag, app, item)) for item in to_tag]
    to_embed = [item for item in items if item.claim["needs_embedding"]]
    if app.embedder is not None:
        _embed(app, to_embed)
    for item, job in jobs:
        try:
            item.findings = job.result()
            item.calls += item.findings.calls
        except (ProviderUnavailable, ProviderRefused) as error:
            item.calls += paid_in_vain(error)
            item.problems.append(error)
    outage = _outage(items)
    for item in items:
        counts[_write(app, database, item, outage)] += 1
    return outage


def _tag(app: App, item: _Item) -> Findings:
    occurred_at = item.claim["occurred_at"]
    return find_metadata(
        item.content,
        occurred_at=datetime.fromisoformat(occurred_at) if isinstance(occurred_at, str) else occurred_at,
        neighbours=item.claim["neighbours"] or [],
        budget_spent=item.claim["budget_spent"],
        settings=app.settings,
    )


def _embed(app: App, items: list[_Item]) -> None:
    """Embed the batch in one call, or one by one when it is refused: one text must not hold up the rest."""
    if not items:
        return
    try:
        _embed_together(app, items)
    except (ProviderRefused, EmbeddingMismatch) as error:
        if len(items) == 1 or isinstance(error, ProviderMisconfigured | EmbeddingMismatch):
            for item in items:
                item.problems.append(error)
            return
        for item in items:
            _embed(app, [item])
    except ProviderUnavailable as error:
        for item in items:
            item.problems.append(error)


def _embed_together(app: App, items: list[_Item]) -> None:
    assert app.embedder is not None
    weight = app.settings.context_weight
    texts = [embedding_text(item.claim) for item in items]
    previous = [item.claim["previous"] for item in items if weight > 0 and item.claim["previous"]]
    calls: list[dict[str, Any]] = []
    vectors = MeteredEmbedder(app.embedder, calls).embed(texts + previous)
    contexts = iter(vectors[len(items) :])
    for item, vector in zip(items, vectors, strict=False):
        blended = weight > 0 and item.claim["previous"]
        item.vector = blend(vector, next(contexts), weight) if blended else vector
    # One call for many: its tokens are shared out by the length of the texts.
    total = sum(map(len, texts)) or 1
    for item, text in zip(items, texts, strict=True):
        for entry in calls:
            share = round(entry["input_tokens"] * len(text) / total)
            item.calls.append(entry | {"input_tokens": share})


def _outage(items: list[_Item]) -> CortexError | None:
    """Return the problem that every memory of the batch met: then it is not any memory's fault."""
    for item in items:
        for problem in item.problems:
            if isinstance(problem, ProviderMisconfigured | EmbeddingMismatch):
                return problem
    if len(items) > 1 and all(any(_is_away(problem) for problem in item.problems) for item in items):
        return items[0].problems[0]
    return None


def _is_away(problem: CortexError) -> bool:
    """Whether the provider did not answer at all; an answer without sense is the memory's own trouble."""
    return isinstance(problem, ProviderUnavailable) and not isinstance(problem, UnreadableAnswer)


def _write(app: App, database: Transport, item: _Item, outage: CortexError | None) -> str:
    """Store what was found and put the rest back; return done, pending, failed or changed."""
    who = {"owner_id": str(item.claim["owner_id"]), "id": str(item.claim["id"])}
    status = "pending"
    if item.vector is not None or item.findings is not None or item.calls:
        found = item.findings
        answer = database.call(
            "complete_enrichment",
            who
            | {
                "content_hash": item.claim["content_hash"],
                "metadata": found.fields | {"warnings": found.warnings} if found else None,
                "embedding": vector_text(item.vector),
                "embedding_model": app.embedder.model if item.vector is not None and app.embedder else None,
                "relations": (found.relations or None) if found else None,
                "calls": item.calls or None,
            },
        )
        if answer["status"] == "changed":
            return "changed"
        status = answer["enrichment_status"]
    if status == "pending":
        lacking = _WITHOUT_EMBEDDER if app.embedder is None else _AGAIN
        verdict = _verdict(item.problems[0], outage) if item.problems else lacking
        answer = database.call("fail_enrichment", who | verdict)
        status = answer["enrichment_status"] or "changed"
    return str(status)


def _verdict(problem: CortexError, outage: CortexError | None) -> dict[str, Any]:
    """Return how a failure counts: an outage costs no attempt, a refused text is not tried again."""
    wait = getattr(problem, "retry_after", None)
    if outage is not None:
        least = _OUTAGE_SECONDS if isinstance(outage, ProviderUnavailable) else _MISCONFIGURED_SECONDS
        return {"error": outage.message, "retry_after": max(wait or 0.0, least), "counted": False}
    return {
        "error": problem.message,
        "retry_after": wait,
        "permanent": isinstance(problem, ProviderRefused),
    }
