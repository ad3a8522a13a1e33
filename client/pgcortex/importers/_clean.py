"""Text that Postgres can hold: no NUL, no half of a surrogate pair, at any depth (case C17)."""

from __future__ import annotations

import re
from typing import Any

_NUL = re.compile("\0")
_BYTE = re.compile("[\udc80-\udcff]")
_HALF = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Remove NUL and put U+FFFD for a lone surrogate, which JSON can spell and UTF-8 cannot."""
    return _HALF.sub("\ufffd", _NUL.sub("", text))


def is_utf8(value: Any) -> bool:
    """Whether no text in the value has a byte that was not UTF-8 where it was read."""
    if isinstance(value, str):
        return not _BYTE.search(value)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return not isinstance(value, list) or all(map(is_utf8, value))


def clean(fields: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Clean every string in `fields`, keys of nested objects too; return them and the names that changed."""
    cleaned = {key: _deep(value) for key, value in fields.items()}
    return cleaned, [key for key, value in cleaned.items() if value != fields[key]]


def _deep(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_deep(item) for item in value]
    if isinstance(value, dict):
        return {_deep(key): _deep(item) for key, item in value.items()}
    return value
