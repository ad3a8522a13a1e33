"""Rows of other memory stores and of our own export: one object is one memory.

Ours           every field of a note; what `pgcortex export` writes comes back as it was
simple         {"content": "…"}, or `text`, with any of our field names
Open Brain     a row of `thoughts`: type, topics, people and action items in `metadata`; the vector is ignored
mem0           {"memory": "…", "categories": […], "user_id": …}, in a list or under `results` or `memories`
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from pgcortex._types import MAX_CONTENT_BYTES
from pgcortex.notes import Note

from ._items import Problem, Result, make_item
from ._stream import Element, json_values, open_text
from ._values import mapping, strings, when

_LISTS = ("people", "topics", "tags", "actions")
_OURS = set(Note.model_fields) - {"extra", "warnings", "content"}
_WRAPPERS = ("results", "memories", "thoughts", "data")
_LONGEST_FIELD = 4 * MAX_CONTENT_BYTES
_NOT_KEPT = {
    *("owner_id", "embedding", "embedding_model", "fts", "content_hash", "content_fingerprint"),
    *(
        "similarity",
        "enrichment_status",
        "enrichment_attempts",
        "enrichment_next_at",
        "enrichment_error",
        "cursor",
    ),
}
"""What a database derives anew, so that it is no part of the memory."""


def read_rows(
    path: Path, name: str, to_fields: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[Result]:
    """Yield one memory per row of a JSON array, a JSON Lines file or a CSV table with a heading line."""
    for element in _rows_of(path):
        origin = f"{name} {element.place}"
        if element.error is not None:
            yield Problem(origin, element.error)
        elif isinstance(element.value, dict):
            yield make_item(origin, to_fields(element.value))
        else:
            yield Problem(origin, "not an object")


def _rows_of(path: Path) -> Iterator[Element]:
    with open_text(path) as file:
        if path.suffix.lower() == ".csv":
            yield from (Element(f"row {number}", row) for number, row in enumerate(table(file), 1))
        else:
            for element in json_values(path, file):
                yield from _unwrapped(element)


def table(file: IO[str]) -> csv.DictReader[str]:
    """The rows of an open CSV file by their headings in lower case, parted by what parts the headings."""
    csv.field_size_limit(_LONGEST_FIELD)
    delimiter = max(",;\t", key=file.readline().count)
    file.seek(0)
    rows = csv.DictReader(file, delimiter=delimiter, restkey="without heading")
    rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or []]
    return rows


def _unwrapped(element: Element) -> Iterator[Element]:
    if isinstance(element.value, dict):
        for key in _WRAPPERS:
            if isinstance(element.value.get(key), list):
                yield from (Element(f"{key} {n}", row) for n, row in enumerate(element.value[key], 1))
                return
    yield element


def our_fields(row: dict[str, Any]) -> dict[str, Any]:
    """A row with our own names; keys that are not ours are kept in `metadata`."""
    fields = {key: row[key] for key in _OURS & row.keys()}
    fields["content"] = row.get("content", row.get("text"))
    for key in _LISTS:
        if key in fields and not isinstance(fields[key], list):
            fields[key] = strings(fields[key])
    fields["metadata"] = mapping(row.get("metadata"))
    foreign = row.keys() - _OURS - _NOT_KEPT - {"content", "text"}
    others = {key: row[key] for key in sorted(foreign) if row[key] is not None}
    fields["metadata"] = {**others, **fields["metadata"]}
    fields["occurred_at"] = row.get("occurred_at") or row.get("created_at")
    return fields


def open_brain_fields(row: dict[str, Any]) -> dict[str, Any]:
    """A row of an Open Brain `thoughts` table, in the shape of either public write-up."""
    known = mapping(row.get("metadata"))
    return {
        "content": row.get("content"),
        "thought_type": row.get("thought_type") or known.pop("type", None),
        "topics": strings(row.get("topics")) or strings(known.pop("topics", None)),
        "people": strings(row.get("people")) or strings(known.pop("people", None)),
        "actions": strings(row.get("actions")) or strings(known.pop("action_items", None)),
        "occurred_at": when(row.get("created_at")),
        "metadata": known,
    }


def mem0_fields(row: dict[str, Any]) -> dict[str, Any]:
    """A memory of mem0, hosted or self-hosted; who it belonged to there is kept in `metadata`."""
    scopes = {key: row[key] for key in ("user_id", "agent_id", "app_id") if row.get(key)}
    identity = {"mem0_id": row["id"]} if row.get("id") else {}
    return {
        "content": row.get("memory") or row.get("text"),
        "topics": strings(row.get("categories")),
        "occurred_at": when(row.get("created_at")),
        "session_id": row.get("run_id"),
        "source": "conversation",
        "metadata": {**mapping(row.get("metadata")), **scopes, **identity},
    }
