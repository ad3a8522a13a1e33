"""Surveys, decisions and briefings as a model reads them; the same fence as in `_render`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pgcortex._models import Brief, Count, Decisions, Review, Survey, Wake
from pgcortex.mcp import _render as render

SHOWN = 600
"""Characters of each memory in a briefing."""


def survey(found: Survey) -> str:
    """How much is known about a topic; an empty answer says so."""
    return render.document(
        note=render.NOTE if found.top else None,
        topic=found.topic,
        memories_on_topic=found.count,
        by_store=found.by_store,
        by_category=found.by_category,
        by_type=found.by_type,
        people=_counts(found.people),
        related_topics=_counts(found.related_topics),
        first=found.first,
        last=found.last,
        best=_briefs(found.top, render.per_memory(len(found.top))),
        notice=_partly(found.degraded)
        or (None if found.count or found.top else "Nothing is remembered about this."),
    )


def decisions(found: Decisions) -> str:
    """Decisions, their story in time order, and what else was found."""
    everything = len(found.decisions) + len(found.chain) + len(found.context)
    room = render.per_memory(everything)
    return render.document(
        note=render.NOTE if everything else None,
        question=found.question,
        decisions=_briefs(found.decisions, room),
        chain=[
            {"relation": one.relation, "decision": str(one.decision), **brief(one, room)}
            for one in found.chain
        ],
        context=_briefs(found.context, room),
        notice=_partly(found.degraded)
        or (None if found.decisions else "No decision about this is remembered."),
    )


def briefing(found: Wake) -> str:
    """The morning briefing, and what to do when there is nothing in it."""
    last = found.checkpoint
    return render.document(
        note=render.NOTE,
        now=found.at,
        last_checkpoint=last
        and {"id": str(last.id), "saved": last.saved_at, "session": last.session_id, "state": last.state},
        overdue={"count": found.overdue.count, "tasks": _briefs(found.overdue.tasks, SHOWN)}
        if found.overdue.count
        else None,
        due_soon={"count": found.due.count, "tasks": _briefs(found.due.tasks, SHOWN)}
        if found.due.count
        else None,
        recent_decisions=_briefs(found.decisions, SHOWN),
        to_review={"count": found.review.count, "pairs": [pair(one) for one in found.review.pairs]}
        if found.review.count
        else None,
        stale=[{"last_used": one.last_used_at, **brief(one, SHOWN)} for one in found.stale],
        fading_soon={
            "count": found.fading.count,
            "memories": [{"fades": one.fades_at, **brief(one, SHOWN)} for one in found.fading.memories],
        }
        if found.fading.count
        else None,
        size=found.size,
        late_jobs=found.late_jobs,
        notice=None
        if found.size.memories or last
        else "The memory is empty. Ask what the user works on, and capture it.",
    )


def brief(one: Brief, room: int) -> dict[str, Any]:
    """One memory with its labels, cut at `room` characters."""
    fields = {
        "id": str(one.id),
        "date": one.occurred_at,
        "type": one.thought_type,
        "store": one.store,
        "category": one.category,
        "title": one.title,
        "people": one.people,
        "due": one.due_at,
        "replaced": one.valid_to,
        "superseded_by": one.superseded_by and str(one.superseded_by),
        "archived": one.archive_reason,
        "score": one.score and round(one.score, 3),
        "text": render.cut(one.content, room),
    }
    return {name: value for name, value in fields.items() if value not in (None, [], "")}


def pair(one: Review) -> dict[str, Any]:
    """Two memories that cannot both hold, or need not both be there."""
    return {
        "kind": one.kind,
        "similarity": round(one.similarity, 3),
        "one": {
            "id": str(one.from_id),
            "date": one.from_occurred_at,
            "text": render.cut(one.from_content, SHOWN),
        },
        "other": {
            "id": str(one.to_id),
            "date": one.to_occurred_at,
            "text": render.cut(one.to_content, SHOWN),
        },
    }


def _briefs(many: Sequence[Brief], room: int) -> list[dict[str, Any]]:
    return [brief(one, room) for one in many]


def _counts(entries: Sequence[Count]) -> dict[str, int]:
    return {entry.name: entry.count for entry in entries}


def _partly(degraded: str | None) -> str | None:
    return degraded and f"Only part of the search was done: {degraded}."
