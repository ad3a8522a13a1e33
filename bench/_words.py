"""Pseudo-words, and the search vectors Postgres would make of them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench._brain import Connection

_CONSONANTS = "bdfgklmnprtvz"
_VOWELS = "aiou"
_WEIGHT_A = 3 << 14

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Vocabulary:
    """Words with the lexeme the brain's text search makes of each; word 0 is the most frequent."""

    words: list[str]
    lexemes: list[bytes]

    def text(self, ids: Sequence[int]) -> str:
        """Return the words of one memory as its content."""
        return " ".join(self.words[i] for i in ids)

    def tsvector(self, ids: Sequence[int]) -> bytes:
        """Return the words' search vector in Postgres' binary format, every lexeme at weight A.

        Format (tsvectorsend in src/backend/utils/adt/tsvector.c): the number of lexemes, and for each its
        text, a zero byte, the number of positions, and positions with the weight in the upper two bits.
        """
        places: dict[int, list[int]] = {}
        for position, i in enumerate(ids, start=1):
            places.setdefault(i, []).append(_WEIGHT_A | position)
        parts = [struct.pack(">i", len(places))]
        for i, positions in places.items():
            parts += (self.lexemes[i], b"\0", struct.pack(f">H{len(positions)}H", len(positions), *positions))
        return b"".join(parts)


def make_vocabulary(conn: Connection, size: int) -> Vocabulary:
    """Return `size` words that stay one lexeme each, and are all different ones."""
    syllables = [c + v for c in _CONSONANTS for v in _VOWELS]
    words = [a + b + c for a in syllables[::3] for b in syllables for c in syllables[::2]]
    rows = conn.execute(
        "select w, tsvector_to_array(cortex.search_vector('english', w)) from unnest(%s::text[]) w", [words]
    ).fetchall()
    lexemes: dict[str, str] = {}
    for word, found in rows:
        if isinstance(found, list) and len(found) == 1:
            lexemes.setdefault(found[0], str(word))
    if len(lexemes) < size:
        raise ValueError(f"only {len(lexemes)} words, {size} were asked for")
    # Not in alphabetical order: a frequent word must not sit beside the next frequent one in the index.
    order = np.random.default_rng(0).permutation(len(lexemes))[:size]
    items = list(lexemes.items())
    return Vocabulary([items[i][1] for i in order], [items[i][0].encode() for i in order])


def zipf(rng: np.random.Generator, size: int, shape: tuple[int, ...]) -> Ints:
    """Draw word numbers below `size`, the n-th with a probability in proportion to 1/(n + 3)."""
    cumulative = np.cumsum(1 / (np.arange(size) + 3))
    return np.searchsorted(cumulative / cumulative[-1], rng.random(shape)).astype(np.int64)
