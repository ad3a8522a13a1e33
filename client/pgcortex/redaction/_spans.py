"""Where a secret stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MASKED = re.compile(r"\[redacted:\w+\]")
_MASK = re.compile(r"\W*\[redacted:\w+\]\W*")


class Span(NamedTuple):
    """A secret from `start` to `end`; of two that overlap the one with the lower `rank` names the kind."""

    start: int
    end: int
    kind: str
    rank: int


def is_masked(value: str) -> bool:
    """Whether a value already is a mask of ours."""
    return _MASK.fullmatch(value) is not None


def outside_masks(spans: Sequence[Span], text: str) -> Iterator[Span]:
    """The spans that touch no mask of an earlier pass; of a private key the parts around one."""
    masks = [match.span() for match in _MASKED.finditer(text)] if spans and "[redacted:" in text else []
    for span in spans:
        inside = [(start, end) for start, end in masks if start < span.end and span.start < end]
        if not inside:
            yield span
        elif span.kind == "private_key":
            edges = [span.start, *(edge for mask in inside for edge in mask), span.end]
            for start, end in zip(edges[::2], edges[1::2], strict=True):
                if text[start:end].strip():
                    yield Span(start, end, span.kind, span.rank)
