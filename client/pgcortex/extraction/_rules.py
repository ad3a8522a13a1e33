"""Metadata without a language model: rules over the words of the thought, all in memory, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from ._actions import actions as find_actions
from ._due import due_at
from ._kind import category, confidence, store, thought_type
from ._metadata import MAX_WARNINGS, Metadata, clean_text, clip
from ._people import people as find_people
from ._text import PREFIX_CHARS, SUFFIX_CHARS, sentences, window
from ._tone import tone
from ._topics import topics as find_topics

EXTRACTOR = "rules/1"
TITLE_CHARS = 80

_MARKUP = re.compile(r"^(?:[#>*\-+•\s]|\d+[.)]\s|\[[ xX]?\]\s?)+")
_GAPS = re.compile(r"\s{3,}")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def extract(content: str, *, now: datetime, languages: Sequence[str] | None = None) -> Metadata:
    """Read metadata from `content`; never raises, whatever the text.

    `now` is when the thought was had: "Friday" is the first Friday after it, in its time zone (UTC if naive).
    `languages` are ISO codes, English by default; other languages get topics, names, ISO dates and deadlines,
    but no task, idea or tone cues. Text beyond the first 4,000 and last 1,500 characters is not read, and the
    result says so in `warnings`.
    """
    moment = now if now.tzinfo is not None else now.replace(tzinfo=UTC)
    text = window(_GAPS.sub(_narrow, _CONTROL.sub("", window(content, spare=2)).replace("’", "'")))
    people = find_people(text)
    actions = find_actions(text)
    kind = thought_type(text, people, actions)
    about = category(text, kind)
    due = due_at(actions, text, now=moment, languages=languages)
    valence, arousal = tone(text)
    return Metadata(
        title=_title(text),
        thought_type=kind,
        topics=find_topics(text, people, languages),
        people=people,
        actions=actions,
        store=store(kind, about, due=due is not None),
        category=about,
        valence=valence,
        arousal=arousal,
        confidence=confidence(text, kind),
        due_at=due,
        extractor=EXTRACTOR,
        warnings=_warnings(content)[:MAX_WARNINGS],
    )


def _narrow(gap: re.Match[str]) -> str:
    return "\n\n" if "\n" in gap.group() else "  "


def _title(text: str) -> str | None:
    """The first line's first sentence, without list and heading marks."""
    for line in text.splitlines():
        if words := _MARKUP.sub("", line).strip():
            return clip(clean_text(sentences(words)[0]).rstrip(". "), TITLE_CHARS) or None
    return None


def _warnings(content: str) -> list[str]:
    unread = len(content) - PREFIX_CHARS - SUFFIX_CHARS
    return [f"{unread} characters in the middle were not read"] if unread > 0 else []
