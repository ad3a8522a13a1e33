"""Whose format a file is, by its ending and, for JSON, by the first element that tells."""

from __future__ import annotations

import re
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

from ._chatgpt import read_chatgpt
from ._chats import read_conversations
from ._claude import read_claude
from ._items import Importer
from ._markdown import read_markdown
from ._rows import mem0_fields, open_brain_fields, our_fields, read_rows, table
from ._stream import json_values, open_text
from ._text import read_text

_CHATS = {"chatgpt": read_chatgpt, "claude": read_claude}
_ROWS = {"jsonl": our_fields, "open-brain": open_brain_fields, "mem0": mem0_fields}
_ENCRYPTED = 0x1
_CONVERSATIONS = re.compile(r"(?:^|/)conversations[^/]*\.json$")

FORMATS = ("markdown", "text", *_ROWS, *_CHATS)
"""The names that `detect` gives and `read_file` takes."""


def detect(path: Path) -> str | None:
    """Name the file's format; `None` for one without memories. Raises `OSError` if it cannot be read."""
    suffix = path.suffix.lower()
    if suffix in (".md", ".markdown"):
        return "markdown"
    if suffix in (".txt", ".text"):
        return "text"
    if suffix == ".csv":
        return _of_table(path)
    if suffix == ".zip":
        members = chat_members(path)
        return _of_json(path, members[0]) if members else None
    if suffix not in (".json", ".jsonl", ".ndjson"):
        return None
    return _of_json(path) or ("jsonl" if suffix != ".json" or _is_broken(path) else None)


def reader(path: Path, kind: str) -> Importer:
    """The reader for a format; raises `KeyError` for a name that is not in `FORMATS`."""
    if kind in _CHATS:
        members = chat_members(path) if path.suffix.lower() == ".zip" else []
        return partial(read_conversations, members=members, read_one=_CHATS[kind])
    if kind in _ROWS:
        return partial(read_rows, to_fields=_ROWS[kind])
    return {"markdown": read_markdown, "text": read_text}[kind]


def chat_members(path: Path) -> list[str]:
    """The readable conversation files of a ZIP archive, in order; none when it is not a good archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            plain = [entry.filename for entry in archive.infolist() if not entry.flag_bits & _ENCRYPTED]
            return sorted(name for name in plain if _CONVERSATIONS.search(name))
    except zipfile.BadZipFile:
        return []


def _of_table(path: Path) -> str | None:
    with open_text(path) as file:
        return _of_value(dict.fromkeys(table(file).fieldnames or []))


def _of_json(path: Path, member: str | None = None) -> str | None:
    with open_text(path, member) as file:
        kinds = (_of_value(element.value) for element in json_values(path, file))
        return next(filter(None, kinds), None)


def _is_broken(path: Path) -> bool:
    """Whether a reader of rows would have an error to tell."""
    with open_text(path) as file:
        return any(element.error is not None for element in json_values(path, file))


def _of_value(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    for wrapper in ("results", "memories", "thoughts", "data"):
        inner = value.get(wrapper)
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            return _of_value(inner[0])
    if "mapping" in value:
        return "chatgpt"
    if "chat_messages" in value:
        return "claude"
    if isinstance(value.get("memory"), str):
        return "mem0"
    if "content" in value and _is_open_brain(value):
        return "open-brain"
    return "jsonl" if "content" in value or "text" in value else None


def _is_open_brain(row: dict[str, Any]) -> bool:
    """A row of `thoughts`: its facts are in `metadata`, and it knows nothing of stores."""
    known = row.get("metadata")
    hints = {"type", "action_items", "dates_mentioned"}
    has_hint = isinstance(known, dict) and bool(hints & known.keys())
    return "store" not in row and (has_hint or bool({"embedding", "content_fingerprint"} & row.keys()))
