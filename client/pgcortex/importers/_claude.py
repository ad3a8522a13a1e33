"""Claude's export: each conversation is a list of `chat_messages`, each a list of content blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._chats import message_item, text_or_none
from ._items import Problem, Result, make_item
from ._values import dicts, when

_ROLES = {"human": "user", "assistant": "assistant"}


def read_claude(conversation: dict[str, Any], origin: str) -> Iterator[Result]:
    """Yield what the two sides said and the text of what was attached, not tool calls or thinking."""
    messages = conversation.get("chat_messages")
    if not isinstance(messages, list):
        yield Problem(origin, "the conversation has no messages")
        return
    talk = {
        "provider": "claude",
        "id": text_or_none(conversation.get("uuid")),
        "title": text_or_none(conversation.get("name")),
        "time": conversation.get("created_at"),
    }
    for number, message in enumerate(messages, 1):
        place = f"{origin} message {number}"
        role = _ROLES.get(str(message.get("sender"))) if isinstance(message, dict) else None
        if role is None:
            yield Problem(place, "not a message of either side")
            continue
        said = message.get("created_at")
        attached = dicts(message.get("attachments"))
        words = _words(message)
        if words:
            yield message_item(place, words, said=said, role=role, talk=talk)
        elif not any(text_or_none(entry.get("extracted_content")) for entry in attached):
            yield Problem(place, "no text in it (a tool call, a picture or a file)", "content")
        for entry in attached:
            yield from _attachment(entry, place, said, talk)


def _words(message: dict[str, Any]) -> str:
    """The text blocks; the older `text` field holds placeholders where a block is not text."""
    blocks = message.get("content")
    if isinstance(blocks, list) and blocks:
        texts = [block.get("text") for block in dicts(blocks) if block.get("type") == "text"]
        return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())
    return text_or_none(message.get("text")) or ""


def _attachment(entry: dict[str, Any], place: str, said: Any, talk: dict[str, Any]) -> Iterator[Result]:
    if not text_or_none(entry.get("extracted_content")):
        return
    name = text_or_none(entry.get("file_name"))
    yield make_item(
        f"{place} attachment",
        {
            "content": entry["extracted_content"],
            "title": name or talk["title"],
            "occurred_at": when(said) or when(talk["time"]),
            "session_id": talk["id"],
            "source": "external",
            "store": "semantic",
            "metadata": {"provider": talk["provider"], "attachment": name or "pasted text"},
        },
    )
