"""ChatGPT's export: each conversation is a tree of edits, of which `current_node` names the visible leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._chats import message_item, text_or_none
from ._items import Problem, Result
from ._values import mapping, when

_SPOKEN = ("text", "multimodal_text")


def read_chatgpt(conversation: dict[str, Any], origin: str) -> Iterator[Result]:
    """Yield what the two sides said on the visible path, oldest first.

    Abandoned edits, system and tool messages, hidden ones, code sent to tools and thinking are not memories.
    """
    nodes = conversation.get("mapping")
    if not isinstance(nodes, dict):
        yield Problem(origin, "the conversation has no messages")
        return
    talk = {
        "provider": "chatgpt",
        "id": text_or_none(conversation.get("conversation_id")) or text_or_none(conversation.get("id")),
        "title": text_or_none(conversation.get("title")),
        "time": conversation.get("create_time"),
    }
    for number, message in enumerate(_visible(nodes, conversation.get("current_node")), 1):
        place = f"{origin} message {number}"
        words = _words(message)
        if words:
            role = message["author"]["role"]
            yield message_item(place, words, said=message.get("create_time"), role=role, talk=talk)
        else:
            yield Problem(place, "no text in it (a picture or a file)", "content")


def _visible(nodes: dict[str, Any], leaf: Any) -> list[dict[str, Any]]:
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    at = leaf if isinstance(leaf, str) and leaf in nodes else _last_leaf(nodes)
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        node = mapping(nodes[at])
        if _is_spoken(node.get("message")):
            path.append(node["message"])
        at = node.get("parent")
    return path[::-1]


def _last_leaf(nodes: dict[str, Any]) -> str | None:
    """Without a pointer the newest message that nobody answered ends the visible path."""
    leaves = [key for key, node in nodes.items() if not mapping(node).get("children")]
    times = [_said(mapping(nodes[key]).get("message")) for key in leaves]
    return max(zip(times, range(len(leaves)), leaves, strict=True))[2] if leaves else None


def _said(message: Any) -> float:
    said = when(mapping(message).get("create_time"))
    return said.timestamp() if said else 0.0


def _is_spoken(message: Any) -> bool:
    if not isinstance(message, dict) or not isinstance(message.get("content"), dict):
        return False
    author, flags = mapping(message.get("author")), mapping(message.get("metadata"))
    return (
        author.get("role") in ("user", "assistant")
        and message["content"].get("content_type", "text") in _SPOKEN
        and message.get("recipient") in (None, "all")
        and not flags.get("is_visually_hidden_from_conversation")
        and message.get("weight") != 0
    )


def _words(message: dict[str, Any]) -> str:
    found = message["content"].get("parts")
    parts = found if isinstance(found, list) else []
    spoken = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n\n".join(part for part in spoken if isinstance(part, str) and part.strip())
