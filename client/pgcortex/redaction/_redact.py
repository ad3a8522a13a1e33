"""Masking: every secret becomes `[redacted:kind]`, everything else stays as it was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ._spans import Span, is_masked, outside_masks
from ._tokens import token_spans
from ._values import names_a_secret, value_spans

# Text without any of these holds nothing we would mask; most notes end here.
_WORTH_A_LOOK = re.compile(
    r"pass(?:w|code|phrase|[ _:=])|contrase|pwd|\bpw\b|\bpin\b|secret|token|key|credential|bearer|basic "
    r"|code(?: is| was|:|=)|://[^\s/]*@|-----BEGIN|[\w+/=.:-]{20}|(?:\d[ -]?){13}",
    re.IGNORECASE,
)


_MOST_PASSES = 8


@dataclass(frozen=True)
class Finding:
    """How many secrets of one kind were masked."""

    kind: str
    count: int


@dataclass(frozen=True)
class Redacted:
    """The masked text and what was found in it, most frequent first; `found` is empty if nothing changed."""

    text: str
    found: list[Finding] = field(default_factory=list)


def redact(text: str) -> Redacted:
    """Mask the secrets in `text`. A second pass changes nothing; text that only talks about keys stays.

    Found are vendor tokens (by detect-secrets and our own shapes), private key blocks, JWTs, bearer tokens,
    passwords in connection strings, values assigned to a secret name ("password is …", "api_key=…") and card
    numbers. Runs in memory, in time linear in the length of the text.
    """
    if not _WORTH_A_LOOK.search(text):
        return Redacted(text)
    kinds: list[str] = []
    for _ in range(_MOST_PASSES):  # a mask may uncover the next secret: "password password=…"
        spans = _without_overlaps(outside_masks([*token_spans(text), *value_spans(text)], text))
        if not spans:
            break
        text = _masked(text, spans)
        kinds += [span.kind for span in spans]
    return Redacted(text, _findings(kinds))


def redact_value(value: Any) -> tuple[Any, list[Finding]]:
    """`value` with every text in it masked, lists and dicts included, and the findings of all of them.

    In a dict a text under a secret's name (`{"password": "…"}`) is masked whatever it looks like.
    """
    kinds: list[str] = []
    return _walk(value, kinds), _findings(kinds)


def _walk(value: Any, kinds: list[str]) -> Any:
    if isinstance(value, str):
        done = redact(value)
        kinds += [finding.kind for finding in done.found for _ in range(finding.count)]
        return done.text
    if isinstance(value, dict):
        masked: dict[Any, Any] = {}
        for key, inner in value.items():
            name = _walk(key, kinds) if isinstance(key, str) else key
            while name in masked:  # two keys that were secrets themselves
                name = f"{name}'"
            masked[name] = _walk_named(name, inner, kinds)
        return masked
    if isinstance(value, list | tuple):
        return [_walk(item, kinds) for item in value]
    return value


def _walk_named(name: Any, value: Any, kinds: list[str]) -> Any:
    kind = names_a_secret(name) if isinstance(name, str) and isinstance(value, str) else None
    if kind is None or not value.strip() or is_masked(value):
        return _walk(value, kinds)
    kinds.append(kind)
    return f"[redacted:{kind}]"


def _masked(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += [text[end : span.start], f"[redacted:{span.kind}]"]
        end = span.end
    return "".join([*parts, text[end:]])


def _without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; where two overlap they become one, of the kind that says more."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.rank)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = min(last, span, key=lambda s: s.rank)
            merged[-1] = Span(last.start, max(last.end, span.end), kind.kind, kind.rank)
        else:
            merged.append(span)
    return merged


def _findings(kinds: Iterable[str]) -> list[Finding]:
    return [Finding(kind, count) for kind, count in Counter(kinds).most_common()]
