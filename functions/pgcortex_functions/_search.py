"""Search and recall for one signed-in person, by the SDK's own operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from pgcortex._core import Core
from pgcortex._models import Hits
from pgcortex._operations import _search
from pgcortex._operations._search import Filters
from pgcortex._types import Category, Source, Store, ThoughtType
from pgcortex_functions._app import App
from pgcortex_functions._auth import User
from pgcortex_functions._calls import MeteredEmbedder
from pgcortex_functions._http import Call, Reply, parsed

Share = Annotated[float, Field(ge=0, le=1)]


class SearchBody(BaseModel):
    """What a search request may hold; the filters are those of the SDK."""

    model_config = ConfigDict(extra="forbid")

    query: str
    limit: Annotated[int, Field(ge=1, le=200)] = 10
    threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    weights: dict[str, Share] | None = None
    as_of: AwareDatetime | None = None

    thought_type: ThoughtType | None = None
    store: Store | None = None
    category: Category | None = None
    source: Source | None = None
    topics: list[str] | None = None
    people: list[str] | None = None
    tags: list[str] | None = None
    namespace: str | None = None
    session_id: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    min_confidence: Share | None = None
    include_archived: bool = False
    include_superseded: bool = False


class RecallBody(SearchBody):
    """As a search; `reinforce` false leaves what is found as it was."""

    reinforce: bool = True


def search(app: App, user: User, call: Call) -> Reply:
    """Find thoughts by meaning and words; changes nothing but the count of tokens."""
    body: SearchBody = parsed(SearchBody, call.body)
    return _find(app, user, body, _search.search, {})


def recall(app: App, user: User, call: Call) -> Reply:
    """As search, plus what is linked to strong hits; what comes back is reinforced."""
    body: RecallBody = parsed(RecallBody, call.body)
    return _find(app, user, body, _search.recall, {"reinforce": body.reinforce})


def _find(
    app: App, user: User, body: SearchBody, operation: Callable[..., Hits], more: dict[str, Any]
) -> Reply:
    calls: list[dict[str, Any]] = []
    database = app.for_user(user)
    core = Core(app.settings, database, MeteredEmbedder(app.embedder, calls) if app.embedder else None)
    # The brain's model is the same for everyone, so one look a process is enough.
    core._checked = app.brain_checked
    filters = Filters(**{field.name: getattr(body, field.name) for field in fields(Filters)})
    found = operation(
        core,
        body.query,
        limit=body.limit,
        threshold=body.threshold,
        filters=filters,
        weights=body.weights,
        as_of=body.as_of,
        **more,
    )
    app.brain_checked = core._checked
    if calls:
        database.call("record_model_calls", {"calls": calls})
    answer = found.model_dump(mode="json") | {"notice": found.notice}
    return Reply(200, answer, {"hits": len(found), "degraded": found.degraded is not None})
