"""Search over the notes alone, for when the database is away.

Okapi BM25 (Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75) over title, words, people, topics and tags. It
knows words, not meanings: a hit shares a word with the question.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pgcortex._errors import InvalidInput
from pgcortex.notes import Note, decode, read_note, resolve_inside

_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?\n)(?:---|\.\.\.)\s*\n", re.DOTALL)
_KEY = re.compile(r"^[a-z_]+:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileHit:
    """A note that shares words with the query; `score` is BM25, comparable within one answer only."""

    note: Note
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class FileHits:
    """Hits from the files, best first. `degraded` is always true: neither meaning nor strength was asked."""

    hits: list[FileHit]
    searched: int
    unreadable: list[str]
    reason: str
    degraded: bool = True

    def __iter__(self) -> Iterator[FileHit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


def search_files(
    root: Path,
    query: str,
    *,
    limit: int = 10,
    where: Callable[[Note], bool] | None = None,
    reason: str = "the database is away",
) -> FileHits:
    """Find notes by their words. `where` filters on the parsed note; superseded ones are left out.

    An empty query gives the newest notes. Raises `OSError` when the folder cannot be read.
    """
    texts, unreadable = _read_all(root)
    scores = _bm25(query, texts) if query.strip() else _newest(root, texts)
    order = heapq.nsmallest(len(scores), scores, key=lambda name: (-scores[name], name))
    hits: list[FileHit] = []
    for name in order:
        if len(hits) >= limit:
            break
        note = read_note(texts[name].encode())
        if note.valid_to is None and (where is None or where(note)):
            hits.append(FileHit(note, name, scores[name]))
    return FileHits(hits, len(texts), unreadable, reason)


def _read_all(root: Path) -> tuple[dict[str, str], list[str]]:
    texts: dict[str, str] = {}
    unreadable: list[str] = []
    for path in sorted(root.glob("*.md")):
        try:
            texts[path.name] = decode(resolve_inside(root, path.name).read_bytes())
        except (InvalidInput, OSError):
            unreadable.append(path.name)
    return texts, unreadable


def _bm25(query: str, texts: dict[str, str]) -> dict[str, float]:
    documents = {name: Counter(_terms(_searched(text))) for name, text in texts.items()}
    mean_length = sum(map(Counter.total, documents.values())) / max(len(documents), 1) or 1.0
    scores: Counter[str] = Counter()
    for term in set(_terms(query)):
        having = {name: counts[term] for name, counts in documents.items() if term in counts}
        idf = math.log(1 + (len(documents) - len(having) + 0.5) / (len(having) + 0.5))
        for name, frequency in having.items():
            length = documents[name].total() / mean_length
            scores[name] += idf * frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * length))  # type: ignore[assignment]
    return dict(scores)


def _newest(root: Path, texts: dict[str, str]) -> dict[str, float]:
    return {name: (root / name).stat().st_mtime for name in texts}


def _searched(text: str) -> str:
    """The text without the names of the front matter's keys, which every note shares."""
    found = _FRONT_MATTER.match(text)
    return _KEY.sub(" ", found[1]) + text[found.end() :] if found else text


def _terms(text: str) -> list[str]:
    """Lower-case words; Chinese, Japanese and Korean as overlapping pairs, for they have no spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(_CJK.sub(" ", folded))
    for run in _CJK.findall(folded):
        words += [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
    return words
