"""Listing and counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from pgcortex._core import Core
from pgcortex._errors import NotFound
from pgcortex._models import Stats, Thought
from pgcortex._operations._search import Filters


def list_thoughts(
    core: Core, *, limit: int = 20, cursor: str | None = None, filters: Filters | None = None
) -> list[Thought]:
    """Thoughts newest first, at most 1,000; pass the last one's `cursor` for those after it."""
    rows = core.call(
        "list_thoughts",
        many=True,
        repeatable=True,
        match_count=limit,
        cursor=cursor,
        **(filters or Filters()).arguments(),
    )
    return [Thought(**row) for row in rows]


def iterate(core: Core, *, filters: Filters | None = None, page: int = 500) -> Iterator[Thought]:
    """Every thought under the filters, newest first, fetched a page at a time."""
    cursor: str | None = None
    while True:
        rows = list_thoughts(core, limit=page, cursor=cursor, filters=filters)
        yield from rows
        if len(rows) < page:
            return
        cursor = rows[-1].cursor


def stats(core: Core) -> Stats:
    """Exact totals, top topics and people, date range, and the backlog."""
    return Stats(**core.call("thought_stats", repeatable=True))


def get(core: Core, id: UUID) -> Thought:
    """One memory, whole; archived and superseded ones too. Raises NotFound."""
    found = get_many(core, [id])
    if not found:
        raise NotFound(f"no memory {id}", hint="take the id from a search or a list")
    return found[0]


def get_many(core: Core, ids: Sequence[UUID]) -> list[Thought]:
    """Memories by their ids, whole and in that order; those that are not there are left out."""
    rows = core.call("get_thoughts", many=True, repeatable=True, ids=list(ids))
    return [Thought(**row) for row in rows]
