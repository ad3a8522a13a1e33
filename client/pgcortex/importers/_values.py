"""Values as other programs write them: epoch seconds, ISO times, lists in JSON or in Postgres notation."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_DATE_IN_NAME = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")


def when(value: Any) -> datetime | None:
    """A time from epoch seconds or ISO 8601; `None` when there is none that can be told."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        if isinstance(value, (int, float)):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(str(value).strip())
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def strings(value: Any) -> list[str]:
    """A list of words from a list, one word, JSON text or a Postgres array literal; blanks dropped."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except ValueError:
                value = [text]
        elif text.startswith("{") and text.endswith("}"):
            found = re.findall(r'"((?:[^"\\]|\\.)*)"|([^,{}"]+)', text)
            value = [re.sub(r"\\(.)", r"\1", quoted) if quoted else bare for quoted, bare in found]
        else:
            value = [text]
    if not isinstance(value, list):
        return []
    return [str(item).strip() for item in value if isinstance(item, (str, int, float)) and str(item).strip()]


def mapping(value: Any) -> dict[str, Any]:
    """An object, or JSON text of one; anything else is an empty one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; an empty list when it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def date_of(path: Path) -> datetime | None:
    """When a file's words were written: the date in its name, else its last change."""
    for year, month, day in _DATE_IN_NAME.findall(path.name):
        try:
            return datetime(int(year), int(month), int(day), tzinfo=UTC)
        except ValueError:
            continue
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None
