"""Conversation exports of ChatGPT and Claude: one message is one thought.

Both services send a ZIP archive whose `conversations.json` is a list of conversations. A message keeps its
words as they are; who spoke is in `metadata.role`, the conversation is the session, so neighbours are linked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ._items import Problem, Result, make_item
from ._stream import elements, open_text
from ._values import when

ReadOne = Callable[[dict[str, Any], str], Iterator[Result]]


def read_conversations(path: Path, name: str, members: list[str], read_one: ReadOne) -> Iterator[Result]:
    """Yield every message of every conversation in the file, or in those members of the archive."""
    for member in members or [None]:  # type: ignore[list-item]
        with open_text(path, member) as file:
            for element in elements(file):
                origin = f"{name} {element.place}"
                if element.error is not None:
                    yield Problem(origin, element.error)
                elif isinstance(element.value, dict):
                    yield from read_one(element.value, origin)
                else:
                    yield Problem(origin, "not a conversation")


def message_item(origin: str, words: str, *, said: Any, role: str, talk: dict[str, Any]) -> Result:
    """One message as a memory; `talk` has the conversation's provider, id, title and time."""
    return make_item(
        origin,
        {
            "content": words,
            "title": talk["title"],
            "occurred_at": when(said) or when(talk["time"]),
            "session_id": talk["id"],
            "source": "conversation",
            "store": "episodic",
            "metadata": {"provider": talk["provider"], "role": role},
        },
    )


def text_or_none(value: Any) -> str | None:
    """The value if it is text with something in it."""
    return value if isinstance(value, str) and value.strip() else None
