"""Cutting text to a bounded size and into lines and sentences."""

from __future__ import annotations

import re

PREFIX_CHARS = 4000
SUFFIX_CHARS = 1500

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”)\]]*\s+(?=\S)|\s*\n\s*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|prof|no|approx|st)|\b[A-Z])\.$", re.IGNORECASE
)


def window(text: str, *, spare: int = 1) -> str:
    """The part of a long text that is analysed: its beginning and its end, cut at a space where one is near.

    `spare` times as much is kept, for a caller that shortens the text further.
    """
    prefix, suffix = PREFIX_CHARS * spare, SUFFIX_CHARS * spare
    if len(text) <= prefix + suffix:
        return text
    head = text[:prefix]
    tail = text[-suffix:]
    head = head[: head.rfind(" ", prefix - 200) if " " in head[-200:] else prefix]
    tail = tail[tail.find(" ", 0, 200) + 1 :]
    return f"{head}\n{tail}"


def sentences(text: str) -> list[str]:
    """Sentences and lines in order, trimmed, none empty. A line break always ends one."""
    parts: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        piece = text[start : match.start()]
        if "\n" not in match.group() and _ABBREVIATION.search(piece[-8:]):
            continue
        if piece.strip():
            parts.append(piece.strip())
        start = match.end()
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts
