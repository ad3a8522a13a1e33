"""Finding thoughts again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pgcortex._core import Core, vector_text
from pgcortex._errors import (
    DatabaseUnavailable,
    InvalidInput,
    ProviderRefused,
    ProviderUnavailable,
    QueryTimeout,
)
from pgcortex._gateway import Gateway
from pgcortex._models import Explanation, Hit, Hits
from pgcortex._operations._files import hits_from_files
from pgcortex._operations._text import masked, without_nul
from pgcortex._types import Category, Source, Store, ThoughtType


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a read may return. Lists match any entry; since is inclusive, until exclusive (occurred_at)."""

    thought_type: ThoughtType | None = None
    store: Store | None = None
    category: Category | None = None
    source: Source | None = None
    topics: Sequence[str] | None = None
    people: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    namespace: str | None = None
    session_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_confidence: float | None = None
    include_archived: bool = False
    include_superseded: bool = False

    def __post_init__(self) -> None:
        """Raise InvalidInput for a list that is one text: its letters would be looked for one by one."""
        for name in ("topics", "people", "tags"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise InvalidInput(name, "is one text, not a list", hint=f"write [{value!r}]")

    def arguments(self) -> dict[str, Any]:
        """As arguments of an RPC."""
        return {
            name: list(v) if isinstance(v, tuple) else v
            for name, v in asdict(self).items()
            if v not in (None, False)
        }


def search(
    core: Core,
    query: str,
    *,
    limit: int = 10,
    threshold: float | None = None,
    filters: Filters | None = None,
    weights: dict[str, float] | None = None,
    as_of: datetime | None = None,
) -> Hits:
    """Find thoughts by meaning and words, best first; changes nothing.

    threshold: cosine similarity below which a match by meaning is dropped; default calibrated per model.
    weights: of the composite score: relevance, strength, recency, access, each 0 to 1.
    as_of: the instant at which strength and recency are measured; default now.

    Raises InvalidInput, NotAuthorized, DatabaseUnavailable, EmbeddingMismatch.
    """
    return _find(core, "search_thoughts", query, limit, threshold, filters, weights, as_of, repeatable=True)


def recall(
    core: Core,
    query: str,
    *,
    limit: int = 10,
    threshold: float | None = None,
    filters: Filters | None = None,
    weights: dict[str, float] | None = None,
    as_of: datetime | None = None,
    reinforce: bool = True,
) -> Hits:
    """As `search`, and also what is linked to the strong hits; what comes back is reinforced.

    reinforce: False leaves strength and access counts as they are.
    """
    return _find(core, "recall", query, limit, threshold, filters, weights, as_of, reinforce=reinforce)


def explain(
    core: Core,
    query: str,
    *,
    limit: int = 10,
    threshold: float | None = None,
    filters: Filters | None = None,
) -> Explanation:
    """What `search` does with the same arguments: plan, candidates, words, what the threshold kept out."""
    arguments, _ = _query(core, query, limit, threshold, filters)
    return Explanation(**core.call("explain_search", repeatable=True, **arguments))


def _find(
    core: Core, function: str, query: str, limit: int, threshold: float | None, *how: Any, **more: Any
) -> Hits:
    """Ask the database, or the mirror's notes while it is away."""
    try:
        return _ask(core, function, query, limit, threshold, *how, **more)
    except QueryTimeout:
        raise
    except DatabaseUnavailable:
        if core.mirror is None:
            raise
        filters: Filters | None = how[0]
        return hits_from_files(core.mirror, query, limit, filters or Filters())


def _ask(
    core: Core,
    function: str,
    query: str,
    limit: int,
    threshold: float | None,
    filters: Filters | None,
    weights: dict[str, float] | None,
    as_of: datetime | None,
    repeatable: bool = False,
    **more: Any,
) -> Hits:
    away: str | None = None
    if core.gateway is not None:
        try:
            return _through_gateway(
                core.gateway, function, query, limit, threshold, filters, weights, as_of, **more
            )
        except ProviderUnavailable as error:
            away = f"the functions are away, so only words were compared: {error.message}"
    arguments, degraded = _query(core, query, limit, threshold, filters)
    degraded = away or degraded
    arguments |= {"weights": weights, "as_of": as_of} | more
    try:
        rows = core.call(function, many=True, repeatable=repeatable, **arguments)
    except QueryTimeout:
        if "query_embedding" not in arguments:
            raise
        del arguments["query_embedding"]
        degraded = "the search by meaning took too long, so only words were compared"
        rows = core.call(function, many=True, repeatable=repeatable, **arguments)
    hits = [Hit(**row) for row in rows]
    explanation = None
    if not hits:
        for name in ("weights", "as_of", *more):
            arguments.pop(name, None)
        explanation = Explanation(**core.call("explain_search", repeatable=True, **arguments))
    return Hits(hits=hits, degraded=degraded, explanation=explanation)


def _through_gateway(
    gateway: Gateway,
    function: str,
    query: str,
    limit: int,
    threshold: float | None,
    filters: Filters | None,
    weights: dict[str, float] | None,
    as_of: datetime | None,
    **more: Any,
) -> Hits:
    body = {"query": without_nul(query), "limit": limit, "threshold": threshold, "weights": weights}
    body |= (filters or Filters()).arguments() | {"as_of": as_of} | more
    body = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in body.items()
        if value is not None
    }
    return Hits(**gateway.call("recall" if function == "recall" else "search", body))


def _query(
    core: Core, query: str, limit: int, threshold: float | None, filters: Filters | None
) -> tuple[dict[str, Any], str | None]:
    """Arguments for the RPC, and why the vector is missing where it is."""
    query = without_nul(query)
    if not query.strip():
        raise InvalidInput("query", "is blank", hint="say what you are looking for")
    arguments, degraded = query_arguments(core, query, threshold)
    arguments |= {"query_text": query, "match_count": limit}
    return arguments | (filters or Filters()).arguments(), degraded


def query_arguments(core: Core, query: str, threshold: float | None) -> tuple[dict[str, Any], str | None]:
    """The arguments that stand for a query's meaning, and why there is no vector where there is none."""
    arguments: dict[str, Any] = {"match_threshold": threshold}
    if core.embedder is None:
        wanted = core.settings.embedder != "none"
        return arguments, "no embedder is installed, so only words were compared" if wanted else None
    if not query.strip():
        return arguments, None
    try:
        arguments["query_embedding"] = vector_text(core.embed([_sendable(core, query)])[0])
    except (ProviderUnavailable, ProviderRefused) as error:
        return arguments, f"the embedder is away, so only words were compared: {error.message}"
    arguments["embedding_model"] = core.embedder.model
    if threshold is None:
        arguments["match_threshold"] = core.embedder.match_threshold
    return arguments, None


def _sendable(core: Core, query: str) -> str:
    """A query as its embedder may read it: with secrets masked, unless that is the model of this machine."""
    from pgcortex.embedding._local import LocalEmbedder

    query = without_nul(query)
    if not core.settings.redact or isinstance(core.embedder, LocalEmbedder):
        return query
    clean, _ = masked({"content": query})
    return str(clean["content"])
