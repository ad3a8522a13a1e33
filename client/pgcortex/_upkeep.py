"""What a hosted brain's cron and functions do, done here for a local one: due jobs, and the backlog."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pgcortex._core import Core, vector_text
from pgcortex._errors import CortexError, DependencyMissing, ProviderRefused, ProviderUnavailable
from pgcortex._operations._capture import blend, embedding_text
from pgcortex._transports._postgres import PostgresTransport

BATCH = 50
"""Memories embedded at a time."""


@dataclass(frozen=True)
class Upkeep:
    """What one round did. `jobs` is as cortex.run_due_jobs tells it."""

    jobs: list[Any]
    enriched: int = 0
    postponed: int = 0


def is_local(core: Core) -> bool:
    """Whether the brain is the one on this machine, which nobody else looks after."""
    return core.settings.database_url is None and core.settings.supabase_url is None


def keep_up(core: Core) -> Upkeep:
    """Run the jobs that are due and embed what waits; a hosted brain is left to its own.

    Raises CortexError when the brain cannot be used, EmbeddingMismatch when the embedder does not fit it;
    providers that are away are no error.
    """
    if not is_local(core):
        return Upkeep([])
    import psycopg

    from pgcortex import local

    brain = local.up(core.settings.data_dir, dimensions=None)
    with psycopg.connect(brain.dsn, autocommit=True) as conn:
        jobs = [row[0] for row in conn.execute("select to_jsonb(j) from cortex.run_due_jobs(now()) j")]
    service = PostgresTransport(brain.dsn, brain.owner_id, timeout=core.settings.timeout, role="service_role")
    try:
        enriched, postponed = _work_off(core, service)
    finally:
        service.close()
    return Upkeep(jobs, enriched, postponed)


def _work_off(core: Core, service: PostgresTransport) -> tuple[int, int]:
    """Embed what waits: how many were, and how many wait on.

    The embedder is tried first: an attempt that it cannot make is none of the memory's eight.
    """
    waiting = core.call("thought_stats", repeatable=True)["backlog"]["pending"]
    if not waiting or core.embedder is None:
        return 0, waiting
    try:
        core.embed(["Is anybody there?"])
    except (ProviderUnavailable, ProviderRefused):
        return 0, waiting
    enriched = postponed = 0
    while claims := service.call("claim_enrichment", {"batch": BATCH}, many=True):
        done = _enrich(core, service, claims)
        enriched += done
        postponed += len(claims) - done
        if done < len(claims):
            break
    return enriched, postponed


def _enrich(core: Core, service: PostgresTransport, claims: list[dict[str, Any]]) -> int:
    """Finish claimed memories; how many. The rest is put back for later."""
    try:
        vectors = _vectors(core, claims)
    except (ProviderUnavailable, ProviderRefused) as error:
        for claim in claims:
            _put_back(service, claim, str(error))
        return 0
    done = 0
    for claim in claims:
        vector = vectors.get(claim["id"])
        try:
            service.call(
                "complete_enrichment",
                {
                    "owner_id": claim["owner_id"],
                    "id": claim["id"],
                    "content_hash": claim["content_hash"],
                    "metadata": _metadata(claim) if claim["needs_metadata"] else None,
                    "embedding": vector_text(vector),
                    "embedding_model": core.embedder.model if core.embedder and vector else None,
                },
            )
        except CortexError as error:
            _put_back(service, claim, str(error))
        else:
            done += vector is not None or not claim["needs_embedding"]
    return done


def _vectors(core: Core, claims: list[dict[str, Any]]) -> dict[UUID, list[float]]:
    waiting = [claim for claim in claims if claim["needs_embedding"]]
    if core.embedder is None or not waiting:
        return {}
    said = [embedding_text(claim) for claim in waiting]
    before = [claim["previous"] if core.settings.context_weight else None for claim in waiting]
    texts = list(dict.fromkeys(said + [text for text in before if text]))
    known = dict(zip(texts, core.embed(texts), strict=True))
    return {
        claim["id"]: blend(known[text], known[context], core.settings.context_weight)
        if context
        else known[text]
        for claim, text, context in zip(waiting, said, before, strict=True)
    }


def _metadata(claim: dict[str, Any]) -> dict[str, Any] | None:
    try:
        from pgcortex.extraction import extract
    except (DependencyMissing, ImportError):
        return None
    found: dict[str, Any] = extract(
        claim["content"], now=claim["occurred_at"] or datetime.now(UTC)
    ).model_dump(mode="json")
    return found


def _put_back(service: PostgresTransport, claim: dict[str, Any], problem: str) -> None:
    service.call("fail_enrichment", {"owner_id": claim["owner_id"], "id": claim["id"], "error": problem})
