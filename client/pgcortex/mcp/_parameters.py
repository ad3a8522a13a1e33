"""Parameters as hosts send them: one plain JSON type each, read with patience.

Hosts send lists as JSON strings, a lone word for a list, numbers as strings, and null for what was left
open. Text is never decoded: content that happens to be JSON is content.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator

from pgcortex._errors import InvalidInput


def _text(value: Any) -> Any:
    return "" if value is None else value


def _texts(value: Any) -> Any:
    """A list of texts from a list, a JSON list in a string, a lone text, or nothing."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        value = _from_json(value)
    if isinstance(value, list):
        return [str(item) if isinstance(item, int | float) else item for item in value if item is not None]
    return [str(value)] if isinstance(value, str | int | float) else value


def _from_json(text: str) -> Any:
    if not text.lstrip().startswith("["):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _number(value: Any) -> Any:
    """A number from a number, its digits, or nothing (0: the default of every number here)."""
    if value is None or value == "":
        return 0
    return value.strip() if isinstance(value, str) else value


def _flag(value: Any) -> Any:
    return False if value is None or value == "" else value


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Flag = Annotated[bool, BeforeValidator(_flag)]

number = BeforeValidator(_number)
"""Goes behind the limits of a number, `Annotated[int, Field(ge=0), number]`: the schema then shows them."""

NONE_GIVEN: list[str] = []
"""The default of a list; the argument model copies it."""


def chosen(field: str, value: str, vocabulary: tuple[str, ...]) -> Any:
    """One word of a closed vocabulary, however it was spelled; None when left empty. Raises InvalidInput."""
    word = value.strip().lower().replace(" ", "_").replace("-", "_")
    if not word:
        return None
    if word not in vocabulary:
        raise InvalidInput(field, f"{value!r} is not known", hint=f"use one of {', '.join(vocabulary)}")
    return word


def moment(field: str, value: str) -> datetime | None:
    """An ISO 8601 date or time, UTC where no zone is given; None when left empty. Raises InvalidInput."""
    if not value.strip():
        return None
    try:
        parsed = datetime.fromisoformat(value.strip())
    except ValueError:
        raise InvalidInput(
            field, f"{value!r} is not a date", hint="write it as 2026-06-01 or 2026-06-01T09:30:00Z"
        ) from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def identifier(field: str, value: str) -> UUID:
    """The id of a memory. Raises InvalidInput."""
    try:
        return UUID(value.strip())
    except ValueError:
        raise InvalidInput(
            field, f"{value!r} is not an id", hint="use the id that a search or a list gave"
        ) from None
