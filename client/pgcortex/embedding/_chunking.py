"""Cutting a text that is longer than the model takes: windows that overlap and leave nothing out.

Two cutters share one idea. Where the model's tokenizer is at hand, `token_windows` cuts a list of tokens.
Where it is not (a hosted model, whose vocabulary we would have to download), `text_windows` cuts the text
by a token count that errs on the high side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

# Runs of lower-case letters are what byte-pair vocabularies compress; every other character stands alone.
_ATOM = re.compile(r"[a-z]{1,16}|[\s\S]")
_BREAK_SEARCH = 0.25


def token_windows(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the `(start, stop)` windows of at most `size` tokens that cover `length` tokens.

    Neighbours share at least `overlap` tokens. The starts are spread evenly, so that all windows are full
    and the last one, which holds the text's end, weighs as much as the others in their average.
    """
    if size <= 0 or not 0 <= overlap < size:
        raise ValueError(f"overlap {overlap} does not fit a window of {size}")
    if length <= size:
        return [(0, length)] if length > 0 else []
    count = math.ceil((length - overlap) / (size - overlap))
    slack = length - size
    return [(start, start + size) for start in (slack * i // (count - 1) for i in range(count))]


def estimate_tokens(text: str) -> int:
    """Return a count of tokens that the usual vocabularies stay under.

    Byte-pair and WordPiece vocabularies hold the syllables of words, so a run of n lower-case letters counts
    ceil(n / 2), or n where it has too few vowels to be one. A single space joins the next word and counts
    nothing. Any other ASCII character counts one, and anything else its UTF-8 bytes: no byte-level tokenizer
    makes more tokens than bytes.
    """
    return sum(cost for _, cost in _atoms(text))


def text_windows(text: str, size: int, overlap: int) -> list[str]:
    """Return pieces of `text` of at most `size` estimated tokens each, which together hold all of it.

    Neighbours share up to `overlap` tokens; where there is white space in the last quarter of a window the
    cut is made there. Pieces of white space alone carry nothing to embed and are left out.
    """
    pieces = (text[start:stop] for start, stop in text_spans(text, size, overlap))
    return [piece for piece in pieces if piece.strip()]


def text_spans(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the `(start, stop)` of each window of `text`, in characters, without a gap between them."""
    if size < 8 or not 0 <= overlap <= size // 2:
        raise ValueError(f"overlap {overlap} does not fit a window of {size}")
    ends: list[int] = []
    costs: list[int] = []
    for end, cost in _atoms(text):
        ends.append(end)
        costs.append(cost)
    return [
        (ends[first - 1] if first else 0, ends[last - 1])
        for first, last in _spans(text, ends, costs, size, overlap)
    ]


def _atoms(text: str) -> Iterator[tuple[int, int]]:
    """Yield `(end, cost)` for each indivisible piece of `text`."""
    after_space = True
    for match in _ATOM.finditer(text):
        atom = match.group()
        if atom[0] == " " and not after_space:
            after_space, cost = True, 0
        else:
            after_space = atom == " "
            cost = _cost(atom)
        yield match.end(), cost


def _cost(atom: str) -> int:
    if not "a" <= atom[0] <= "z":
        return len(atom.encode("utf-8", "replace"))
    vowels = sum(map(atom.count, "aeiouy"))
    return (len(atom) + 1) // 2 if vowels * 4 >= len(atom) else len(atom)


def _spans(
    text: str, ends: list[int], costs: list[int], size: int, overlap: int
) -> Iterator[tuple[int, int]]:
    """Yield `(first, last)` atom ranges, last exclusive."""
    first, total = 0, len(ends)
    while first < total:
        last, used = first, 0
        while last < total and used + costs[last] <= size:
            used += costs[last]
            last += 1
        if last >= total:
            yield first, total
            return
        last = _last_break(text, ends, first, last)
        yield first, last
        back, shared = last, 0
        while back > first + 1 and shared + costs[back - 1] <= overlap:
            back -= 1
            shared += costs[back]
        first = max(back, first + 1)


def _last_break(text: str, ends: list[int], first: int, last: int) -> int:
    """Return the last cut after white space in the window's final quarter, or `last`."""
    earliest = last - max(1, int((last - first) * _BREAK_SEARCH))
    for cut in range(last, max(earliest, first + 1), -1):
        if text[ends[cut - 1] - 1].isspace():
            return cut
    return last
