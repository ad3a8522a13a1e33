"""Metadata and ties to older memories from a language model: one call a thought."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any, Literal, cast, get_args

from pgcortex._types import CATEGORIES, STORES, THOUGHT_TYPES
from pgcortex.extraction import Metadata
from pgcortex_functions._json import parse_answer
from pgcortex_functions._llm import ModelSettings, UnreadableAnswer, Usage, complete
from pgcortex_functions._prompts import load_prompt, sendable

TieKind = Literal["duplicates", "supersedes", "contradicts", "relates"]

MOST_NEIGHBOURS = 8
_NEIGHBOUR_CHARS = 500
_PREFIX_CHARS = 24_000
_SUFFIX_CHARS = 8_000
_KINDS: tuple[str, ...] = get_args(TieKind)
_OTHER_WORDS = {
    "duplicate": "duplicates",
    "duplicated": "duplicates",
    "supersede": "supersedes",
    "updates": "supersedes",
    "contradict": "contradicts",
    "related": "relates",
    "relate": "relates",
}


@dataclass(frozen=True)
class Relation:
    """What a thought does to the older memory `id`."""

    id: str
    relation: TieKind


@dataclass(frozen=True)
class LlmExtraction:
    """What the model read from one thought; `relations` name only memories that were given."""

    metadata: Metadata
    relations: list[Relation]
    usage: Usage


def extract_llm(
    content: str, *, now: datetime, settings: ModelSettings, neighbours: Sequence[Mapping[str, Any]] = ()
) -> LlmExtraction:
    """Ask the model about `content`, said at `now`, and how it stands to older memories.

    `neighbours` are mappings with id, content and occurred_at; at most eight are sent, and of the content the
    first 24,000 and last 8,000 characters. The answer fills the schema of `Metadata` and nothing else; what
    is wrong in it costs that field and leaves a warning. Raises `ProviderUnavailable`, `ProviderRefused` and,
    for an answer without JSON, `UnreadableAnswer`.
    """
    moment = now if now.tzinfo is not None else now.replace(tzinfo=UTC)
    known = {f"m{number}": memory for number, memory in enumerate(neighbours[:MOST_NEIGHBOURS], start=1)}
    prompt = load_prompt("extract")
    items = [("now", f"{moment:%A} {moment.isoformat(timespec='minutes')}"), ("thought", _bounded(content))]
    items += [(f"memory {label}", _described(memory)) for label, memory in known.items()]
    done = complete(prompt.messages(items), name="thought", schema=SCHEMA, settings=settings)
    try:
        answer = parse_answer(done.text)
    except ValueError:
        raise UnreadableAnswer("the language model's answer holds no JSON", done.usage) from None
    return _result(
        answer, known, moment, done.usage, f"llm/{done.usage.model}/prompt-{prompt.version}", content
    )


def _result(
    answer: Any,
    known: Mapping[str, Mapping[str, Any]],
    now: datetime,
    usage: Usage,
    extractor: str,
    content: str,
) -> LlmExtraction:
    warnings: list[str] = []
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], dict):
        warnings.append("expected an object, got a list of one")
        answer = answer[0]
    given = dict(answer) if isinstance(answer, dict) else answer
    if len(content) > _PREFIX_CHARS + _SUFFIX_CHARS:
        warnings.append(
            f"{len(content) - _PREFIX_CHARS - _SUFFIX_CHARS} characters in the middle were not read"
        )
    relations: list[Relation] = []
    if isinstance(given, dict):
        relations = _relations(given.pop("relations", []), known, warnings)
        for name in ("due_at", "due_date", "due"):
            if name in given:
                given[name] = _due(given[name], now, warnings)
    metadata = Metadata.from_untrusted(given, extractor=extractor)
    return LlmExtraction(
        metadata.model_copy(update={"warnings": [*warnings, *metadata.warnings][:20]}), relations, usage
    )


def _relations(given: Any, known: Mapping[str, Mapping[str, Any]], warnings: list[str]) -> list[Relation]:
    """One tie a memory, the first given; only to memories that were shown, and only of a known kind."""
    found: dict[str, Relation] = {}
    dropped = 0
    for entry in given if isinstance(given, list) else []:
        label = entry.get("memory") if isinstance(entry, dict) else None
        kind = entry.get("relation") if isinstance(entry, dict) else None
        kind = _OTHER_WORDS.get(kind, kind) if isinstance(kind, str) else None
        if kind == "none":
            continue
        if isinstance(label, str) and label in known and kind in _KINDS:
            found.setdefault(label, Relation(str(known[label]["id"]), cast(TieKind, kind)))
        else:
            dropped += 1
    if dropped:
        warnings.append(f"relations: {dropped} unusable item(s) dropped")
    return list(found.values())


def _due(value: Any, now: datetime, warnings: list[str]) -> Any:
    """Days and times without offset are those of where `now` was said; an earlier day is not due."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value.strip())
        if re.fullmatch(r"\d{4}-?\d\d-?\d\d", value.strip()):
            moment = datetime.combine(moment, time(23, 59, 59))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
        if moment.astimezone(UTC) >= datetime.combine(now, time(0), tzinfo=now.tzinfo).astimezone(UTC):
            return moment.isoformat()
    except (ValueError, OverflowError):
        return value  # `Metadata.from_untrusted` says what is wrong with it
    warnings.append("due_at: in the past")
    return None


def _described(memory: Mapping[str, Any]) -> str:
    day = str(memory.get("occurred_at") or memory.get("date") or "")[:10]
    text = str(memory.get("content") or memory.get("text") or "")[:_NEIGHBOUR_CHARS]
    return f"{day}: {text}" if day else text


def _bounded(content: str) -> str:
    text = sendable(content)
    if len(text) <= _PREFIX_CHARS + _SUFFIX_CHARS:
        return text
    return f"{text[:_PREFIX_CHARS]}\n[…]\n{text[-_SUFFIX_CHARS:]}"


def _nullable(kind: str) -> dict[str, Any]:
    return {"type": [kind, "null"]}


def _strings() -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """A closed object with every field required, as strict structured outputs want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# The same for every call, so that a server compiles it once.
SCHEMA = _object(
    {
        "title": _nullable("string"),
        "thought_type": {"type": "string", "enum": list(THOUGHT_TYPES)},
        "topics": _strings(),
        "people": _strings(),
        "actions": _strings(),
        "store": {"type": "string", "enum": [name for name in STORES if name != "sensory"]},
        "category": {"type": ["string", "null"], "enum": [*CATEGORIES, None]},
        "valence": {"type": "number"},
        "arousal": {"type": "number"},
        "confidence": {"type": "number"},
        "due_at": _nullable("string"),
        "relations": {
            "type": "array",
            "items": _object(
                {
                    "memory": {"type": "string", "enum": [f"m{n}" for n in range(1, MOST_NEIGHBOURS + 1)]},
                    "relation": {"type": "string", "enum": [*_KINDS, "none"]},
                }
            ),
        },
    }
)
