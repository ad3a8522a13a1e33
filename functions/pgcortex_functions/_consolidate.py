"""Consolidation with a language model: groups of memories that are about to expire become one each."""

from __future__ import annotations

import time
from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from pgcortex._transports import Transport
from pgcortex_functions._app import App
from pgcortex_functions._calls import model_call
from pgcortex_functions._http import Call, Reply, parsed
from pgcortex_functions.consolidate_text import EXTRACTIVE, summarise

_BATCH = 5


class ConsolidateBody(BaseModel):
    """How many groups one call may do."""

    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=1000)] = 50


def consolidate(app: App, call: Call) -> Reply:
    """Claim groups of memories of one subject and write one memory for each, until none is left.

    The text comes from the language model where it keeps to its sources and the owner's budget lasts,
    otherwise from the sources themselves; the database adds every number that a text lost. The originals are
    kept, archived and linked.
    """
    body: ConsolidateBody = parsed(ConsolidateBody, call.body)
    database = app.for_worker()
    deadline = time.monotonic() + app.settings.worker_seconds
    counts: Counter[str] = Counter()
    while counts["claimed"] < body.limit and time.monotonic() < deadline:
        room = min(_BATCH, body.limit - counts["claimed"])
        groups = database.call("consolidation_candidates", {"match_count": room}, many=True)
        if not groups:
            break
        counts["claimed"] += len(groups)
        for outcome in app.enrichers.map(lambda group: _write(app, database, group), groups):
            counts[outcome] += 1
    answer = {name: counts[name] for name in ("claimed", "consolidated", "stale")}
    return Reply(200, answer, answer)


def _write(app: App, database: Transport, group: dict[str, Any]) -> str:
    """Summarise one group; return consolidated, or stale when its memories changed meanwhile."""
    summary = summarise(
        [memory["content"] for memory in group["memories"]],
        budget_spent=group["budget_spent"],
        settings=app.settings,
    )
    written = summary.writer != EXTRACTIVE
    answer = database.call(
        "apply_consolidation",
        {
            "owner_id": group["owner_id"],
            "memory_ids": group["memory_ids"],
            "content": summary.text if written else None,
            "title": summary.title if written else None,
            "extractor": summary.writer if written else None,
            "seen_at": group["seen_at"],
        },
    )
    if summary.usage is not None:
        usage = summary.usage
        calls = [model_call("consolidation", usage.model, usage.input_tokens, usage.output_tokens)]
        database.call(
            "record_worker_calls", {"owner_id": group["owner_id"], "memory_id": answer["id"], "calls": calls}
        )
    return str(answer["status"])
