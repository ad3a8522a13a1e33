"""Reading JSON as models write it: strictly first, and only if that fails with allowances."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeGuard

_MOST_CHARS = 50_000
_MOST_TRIES = 20
# `{x}` and `[1]` are prose, `{"a` and `[{` are meant as JSON.
_BEGINS_JSON = re.compile(r'\{\s*+"|\[\s*+[{\["]')
_BAD_ESCAPE = re.compile(r'\\(?:u(?![0-9a-fA-F]{4})|(?!["\\/bfnrtu]))')
# A string that never ends runs to the end of the text, so that it is read once only.
_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\Z)'
_BRACKET = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_STRING_OR_COMMA = re.compile(rf"{_STRING}|,\s*+(?=[}}\]])", re.DOTALL)


def parse_answer(text: str) -> Any:
    """The JSON value in a model's answer; raises ValueError when there is none.

    Tolerated around and in it: prose, code fences, trailing commas, invalid escapes, raw line breaks in
    strings. Of several objects the one with the most fields is taken. Fences are never cut out, so a string
    may hold one.
    """
    text = text[:_MOST_CHARS]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        found = list(_embedded(text))
    if not found:
        raise ValueError("no JSON in the answer")
    return max(found, key=lambda value: (isinstance(value, dict), len(value)))


def _embedded(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """The outermost objects, or lists of them, in `text`; never a part of one that is cut off or broken."""
    position = tries = 0
    while tries < _MOST_TRIES and (start := _next_opening(text, position)) >= 0:
        tries += 1
        end = _closing(text, start)
        value = _lenient(text[start:end]) if end else None
        if _has_object(value):
            yield value
        meant = value is not None or _BEGINS_JSON.match(text, start)
        if meant and not end:
            return
        position = end if meant else start + 1


def _has_object(value: Any) -> TypeGuard[dict[str, Any] | list[Any]]:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict) for v in value))


def _next_opening(text: str, position: int) -> int:
    found = re.compile(r"[{\[]").search(text, position)
    return found.start() if found else -1


def _closing(text: str, start: int) -> int:
    """Just after the bracket that closes the one at `start`, or 0; brackets inside strings do not count."""
    depth = 0
    for match in _BRACKET.finditer(text, start):
        if match.group() in ("{", "["):
            depth += 1
        elif match.group() in ("}", "]"):
            depth -= 1
            if depth == 0:
                return match.end()
    return 0


def _lenient(text: str) -> dict[str, Any] | list[Any] | None:
    for candidate in (text, _repaired(text)):
        try:
            value = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict | list) else None
    return None


def _repaired(text: str) -> str:
    """Without trailing commas, and with backslashes that escape nothing doubled; only strings keep theirs."""
    return _STRING_OR_COMMA.sub(
        lambda m: _BAD_ESCAPE.sub(_double, m.group()) if m.group()[0] == '"' else "", text
    )


def _double(match: re.Match[str]) -> str:
    return "\\" + match.group()
