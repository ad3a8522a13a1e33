"""When do two versions say the same, and what do three versions come to."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any, Literal

from pgcortex.notes import SET_BY_DATABASE, Note

_NOT_COMPARED = {"id", "created_at", "updated_at", "expires_at", "extractor", "extra", "warnings"}
COMPARED = tuple(name for name in Note.model_fields if name not in _NOT_COMPARED)
EDITABLE = tuple(name for name in COMPARED if name not in SET_BY_DATABASE)


def digest(note: Note) -> str:
    """A hash of what the note says: the same for two versions between which nothing was changed."""
    said = {name: comparable(note, name) for name in COMPARED}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def comparable(note: Note, name: str) -> Any:
    """A field's value with the differences removed that storing makes: Postgres keeps 4-byte floats."""
    value = getattr(note, name)
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, datetime):
        return value.isoformat()
    if name == "content":
        return value
    if name == "pinned":
        return bool(value)
    return value if value is None or isinstance(value, (str, bool, list, dict)) else str(value)


def merge(
    stored: Note, base: Note, edited: Note, *, prefer: Literal["edit", "stored"] = "edit"
) -> tuple[Note, list[str]]:
    """Apply to `stored` what `edited` changed since `base`, field by field.

    Returns the result and the fields that were changed on both sides, in which `prefer` wins. A field that
    `edited` does not name was not changed: somebody who deletes a line of front matter, or all of it, did not
    ask for data to be emptied.
    """
    result = stored.model_copy()
    contested = []
    for name in EDITABLE:
        new, old, now = (comparable(note, name) for note in (edited, base, stored))
        if name not in edited.model_fields_set or new in (old, now):
            continue
        if now != old:
            contested.append(name)
        if now == old or prefer == "edit":
            setattr(result, name, getattr(edited, name))
    return result, contested
