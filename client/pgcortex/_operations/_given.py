"""The values of a thought that no database has to see to refuse them."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

from pgcortex._errors import InvalidInput

_TIMES = ("occurred_at", "due_at", "created_at")
_NUMBERS = ("confidence", "valence", "arousal")
_LISTS = ("topics", "people", "actions", "tags")


def checked_values(thought: dict[str, Any]) -> dict[str, Any]:
    """The thought with its times as such; text in ISO 8601 is taken, and without a zone it is UTC.

    Raises InvalidInput that names the field.
    """
    for name in _LISTS:
        if isinstance(thought.get(name), str):
            raise InvalidInput(name, "is one text, not a list", hint=f"write [{thought[name]!r}]")
    for name in _NUMBERS:
        if name in thought and not _is_number(thought[name]):
            raise InvalidInput(name, f"is {thought[name]!r}, not a number")
    try:
        json.dumps(thought.get("metadata"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("metadata", f"cannot be written as JSON: {error}") from error
    return thought | {name: _moment(name, thought[name]) for name in _TIMES if name in thought}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _moment(name: str, value: Any) -> datetime:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
        if not isinstance(found, datetime):
            raise TypeError
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        found.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            name, f"{value!r} is not a time", hint="give a datetime, or text such as 2026-06-01T09:30:00Z"
        ) from None
    return found
