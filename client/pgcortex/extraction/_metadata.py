"""The one schema that the rules and a language model both fill, and the lenient way into it.

A model's answer is never trusted: whatever is wrong with a field costs that field and leaves a warning.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pgcortex._types import CATEGORIES, STORES, THOUGHT_TYPES, Category, Store, ThoughtType

MAX_TITLE = 200
MAX_TOPICS = 8
MAX_PEOPLE = 20
MAX_ACTIONS = 20
MAX_TOPIC_CHARS = 60
MAX_NAME_CHARS = 80
MAX_ACTION_CHARS = 300
MAX_WARNINGS = 20

# NUL is refused by Postgres, lone surrogates by UTF-8; other control characters are never meant.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_SPACES = re.compile(r"\s+")

# Names other than ours that models like to answer with.
_ALIASES = {"type": "thought_type", "action_items": "actions", "due_date": "due_at", "due": "due_at"}


class Metadata(BaseModel):
    """What was read from one thought. Every field has a default, so an empty thought is valid.

    `valence` −1 (bad) to 1 (good) and `arousal` 0 (calm) to 1 (excited) describe the tone; `confidence` 0–1
    says how certain the thought itself sounds; `due_at` is in UTC. `extractor` names what made the result
    ("rules/1", "llm/gpt-4o-mini/prompt-1"), and `warnings` list what was dropped or defaulted.
    """

    model_config = ConfigDict(extra="forbid")

    title: str | None = Field(default=None, max_length=MAX_TITLE)
    thought_type: ThoughtType = "observation"
    topics: list[str] = Field(default_factory=list, max_length=MAX_TOPICS)
    people: list[str] = Field(default_factory=list, max_length=MAX_PEOPLE)
    actions: list[str] = Field(default_factory=list, max_length=MAX_ACTIONS)
    store: Store | None = None
    category: Category | None = None
    valence: float = Field(default=0.0, ge=-1, le=1)
    arousal: float = Field(default=0.0, ge=0, le=1)
    confidence: float = Field(default=0.5, ge=0, le=1)
    due_at: datetime | None = None
    extractor: str = "none"
    warnings: list[str] = Field(default_factory=list, max_length=MAX_WARNINGS)

    @field_validator("due_at")
    @classmethod
    def _in_utc(cls, value: datetime | None) -> datetime | None:
        return None if value is None else _to_utc(value)

    @classmethod
    def from_untrusted(cls, data: object, *, extractor: str) -> Metadata:
        """Build from anything a model answered: never raises, a bad field falls back to its default.

        Enum values are matched without regard to case, spaces or hyphens. Lists lose nulls, non-strings,
        blanks and repeats, and are cut to length. Numbers outside their range are moved to its edge.
        """
        warnings: list[str] = []
        if isinstance(data, list) and len(data) == 1 and isinstance(data[0], Mapping):
            warnings.append("expected an object, got a list of one")
            data = data[0]
        if not isinstance(data, Mapping):
            return cls(extractor=extractor, warnings=[f"expected an object, got {type(data).__name__}"])
        fields = _known_fields(data, warnings)
        if not fields:
            warnings.append("none of the fields was given")
        return cls(
            title=_text(fields.get("title"), "title", MAX_TITLE, warnings),
            thought_type=cast(
                ThoughtType, _choice(fields, "thought_type", THOUGHT_TYPES, warnings) or "observation"
            ),
            topics=[t.lower() for t in _strings(fields, "topics", MAX_TOPICS, MAX_TOPIC_CHARS, warnings)],
            people=_strings(fields, "people", MAX_PEOPLE, MAX_NAME_CHARS, warnings),
            actions=_strings(fields, "actions", MAX_ACTIONS, MAX_ACTION_CHARS, warnings),
            store=cast("Store | None", _choice(fields, "store", STORES, warnings)),
            category=cast("Category | None", _choice(fields, "category", CATEGORIES, warnings)),
            valence=_number(fields, "valence", -1.0, 1.0, 0.0, warnings),
            arousal=_number(fields, "arousal", 0.0, 1.0, 0.0, warnings),
            confidence=_number(fields, "confidence", 0.0, 1.0, 0.5, warnings),
            due_at=_moment(fields.get("due_at"), warnings),
            extractor=extractor,
            warnings=warnings[:MAX_WARNINGS],
        )


def clean_text(text: str) -> str:
    """`text` without characters Postgres cannot store, on one line."""
    return _SPACES.sub(" ", _UNSTORABLE.sub("", text)).strip()


def clip(text: str, limit: int) -> str:
    """`text` cut to at most `limit` characters, at a word where one is near."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut).rstrip(" ,;:-") + "…"


def _known_fields(data: Mapping[Any, Any], warnings: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    unknown = 0
    for key, value in data.items():
        name = _ALIASES.get(key, key) if isinstance(key, str) else ""
        if name in Metadata.model_fields and name not in ("extractor", "warnings"):
            if name == key or name not in data:
                fields[name] = value
        else:
            unknown += 1
    if unknown:
        warnings.append(f"{unknown} unknown field(s) ignored")
    return fields


def _text(value: object, field: str, limit: int, warnings: list[str]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        warnings.append(f"{field}: expected text, got {type(value).__name__}")
        return None
    return clip(clean_text(value), limit) or None


def _choice(
    fields: Mapping[str, Any], field: str, allowed: tuple[str, ...], warnings: list[str]
) -> str | None:
    value = fields.get(field)
    if value is None:
        return None
    if isinstance(value, str):
        name = re.sub(r"[\s-]+", "_", value.strip().lower())
        if name in allowed:
            return name
    shown = clip(clean_text(value), 40) if isinstance(value, str) else type(value).__name__
    warnings.append(f"{field}: unknown value {shown!r}")
    return None


def _strings(
    fields: Mapping[str, Any], field: str, most: int, longest: int, warnings: list[str]
) -> list[str]:
    value = fields.get(field)
    if value is None:
        return []
    if isinstance(value, str):
        warnings.append(f"{field}: expected a list, got one text")
        value = [value]
    if not isinstance(value, list | tuple):
        warnings.append(f"{field}: expected a list, got {type(value).__name__}")
        return []
    kept: dict[str, str] = {}
    dropped = 0
    for item in value:
        text = clip(clean_text(item), longest) if isinstance(item, str) else ""
        if text:
            kept.setdefault(text.casefold(), text)
        else:
            dropped += 1
    if dropped:
        warnings.append(f"{field}: {dropped} unusable item(s) dropped")
    if len(kept) > most:
        warnings.append(f"{field}: cut from {len(kept)} to {most} items")
    return list(kept.values())[:most]


def _number(
    fields: Mapping[str, Any], field: str, low: float, high: float, default: float, warnings: list[str]
) -> float:
    value = fields.get(field)
    if value is None:
        return default
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        warnings.append(f"{field}: not a number")
        return default
    if not low <= number <= high:
        warnings.append(f"{field}: outside {low:g} to {high:g}")
    return min(max(number, low), high)


def _moment(value: object, warnings: list[str]) -> datetime | None:
    """An ISO 8601 instant in UTC; a date alone means the end of that day."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, datetime):
            return _to_utc(value)
        if isinstance(value, str):
            text = value.strip()
            moment = datetime.fromisoformat(text)
            if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text):
                moment = datetime.combine(moment, time(23, 59, 59))
            return _to_utc(moment)
    except (ValueError, OverflowError):
        pass
    warnings.append("due_at: not an ISO 8601 date")
    return None


def _to_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
