"""What a reader yields: a thought to store, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from pgcortex._types import MAX_CONTENT_BYTES
from pgcortex.notes import Note, json_safe

from ._clean import clean, is_utf8


class ImportItem(Note):
    """A memory to capture; `origin` says which file and place it came from, for messages only.

    `id` is set when the file is one of ours. `warnings` names every field that was changed on the way.
    """

    origin: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One item that was not taken, or a file that could not be read."""

    origin: str
    reason: str
    field: str | None = None

    def __str__(self) -> str:
        return f"{self.origin}: {self.reason}"


Result = ImportItem | Problem


class Importer(Protocol):
    """Reads one file of one format lazily. `name` is what messages call the file."""

    def __call__(self, path: Path, name: str) -> Iterator[Result]: ...


def make_item(origin: str, fields: dict[str, Any]) -> Result:
    """Check and clean one thought's fields; whatever cannot be stored becomes a `Problem`.

    An item with bytes that were not UTF-8 is refused, because nobody can tell what they were meant to say.
    NUL characters and halves of surrogate pairs, which Postgres refuses, are removed and named by field.
    """
    present = {key: value for key, value in fields.items() if value is not None}
    try:
        if not is_utf8(present):
            return Problem(origin, "not UTF-8 text")
        cleaned, changed = clean(present)
        cleaned["metadata"] = json_safe(cleaned.get("metadata", {}))
    except RecursionError:
        return Problem(origin, "nested too deeply")
    content = cleaned.get("content")
    if not isinstance(content, str):
        return Problem(origin, "content is not text", "content")
    if not content.strip():
        return Problem(origin, "blank", "content")
    if len(content.encode()) > MAX_CONTENT_BYTES:
        return Problem(origin, f"larger than {MAX_CONTENT_BYTES:,} bytes", "content")
    notes = [f"{field}: removed characters that cannot be stored" for field in changed]
    cleaned["warnings"] = [*cleaned.get("warnings", []), *notes]
    return _validated(origin, cleaned)


def _validated(origin: str, fields: dict[str, Any]) -> Result:
    """Move what does not fit its field to `metadata`, with a warning: a bad tag must not cost a memory."""
    try:
        return ImportItem(origin=origin, **fields)
    except ValidationError as error:
        bad = {
            str(detail["loc"][0]): detail["msg"].removeprefix("Value error, ") for detail in error.errors()
        }
    if "content" in bad:
        return Problem(origin, bad["content"], "content")
    kept = {key: value for key, value in fields.items() if key not in bad}
    kept["metadata"] = {**{field: json_safe(fields[field]) for field in bad}, **kept.get("metadata", {})}
    moved = [f"{field}: {message}; kept in metadata" for field, message in bad.items()]
    kept["warnings"] = [*fields["warnings"], *moved]
    return ImportItem(origin=origin, **kept)
