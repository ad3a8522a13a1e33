"""A summary made of the sources' own sentences, which loses no number, date or person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ._due import date_words
from ._metadata import clean_text, clip
from ._people import people
from ._stopwords import STOPWORDS
from ._text import sentences

# 29, 1,200, 2.4, 12:30, 2026-05-06: what is written around the digits ("€29", "v2.4", "12%") may change.
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]{3,}")
_ALSO_CONTEXT = 160


def extractive_summary(texts: Sequence[str], *, max_chars: int = 600) -> str:
    """One paragraph from `texts` (oldest first): the most central sentences, then whatever facts they lack.

    Every number, date and person of the sources is in the result, so it may be longer than `max_chars` where
    the facts are; a sentence that repeats another is left out.
    """
    every = _distinct(sentence for text in texts for sentence in sentences(clean_lines(text)))
    chosen = _central(every, max_chars)
    kept = " ".join(_ended(sentence) for sentence in chosen)
    for sentence in every:
        if sentence not in chosen and missing_facts([sentence], kept):
            kept = f"{kept} {_ended(_around_facts(sentence, kept))}".strip()
    return with_missing_facts(texts, kept)


def facts(text: str) -> list[str]:
    """Dates, numbers and people of `text` as written, in that order, without repeats."""
    line = clean_text(text)
    found = [line[start:end] for start, end in date_words(line)]
    found += _NUMBER.findall(line)
    found += people(text)
    return list(dict.fromkeys(fact for fact in found if fact))


def missing_facts(texts: Iterable[str], summary: str) -> list[str]:
    """The facts of `texts` that `summary` lacks: numbers by value, dates and people by their words."""
    return list(dict.fromkeys(f for text in texts for f in facts(text) if not _holds(summary, f)))


def with_missing_facts(texts: Sequence[str], summary: str) -> str:
    """`summary`, followed by "Also: …" with the words around every fact it lost."""
    lost: list[str] = []
    for text in texts:
        for fact in facts(text):
            if not _holds(" ".join([summary, *lost]), fact):
                lost.append(_around(text, fact))
    return f"{summary} Also: {'; '.join(lost)}.".strip() if lost else summary


def clean_lines(text: str) -> str:
    """`text` without characters Postgres cannot store; its lines stay lines."""
    return "\n".join(filter(None, (clean_text(line) for line in text.splitlines())))


def _holds(text: str, fact: str) -> bool:
    if _NUMBER.fullmatch(fact):
        return _value(fact) in map(_value, _NUMBER.findall(text))
    line, wanted = clean_text(text).casefold(), fact.casefold()
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", line) is not None


def _value(number: str) -> str:
    return _THOUSANDS.sub("", number)


def _around(text: str, fact: str) -> str:
    """The sentence of `text` that holds `fact`; of a long one the words nearby."""
    line = next((s for s in sentences(clean_lines(text)) if _holds(s, fact)), clean_text(text))
    if len(line) <= _ALSO_CONTEXT:
        return line.rstrip(" .;")
    at = _place(line, fact)
    start = line.rfind(" ", 0, max(at - _ALSO_CONTEXT // 2, 0)) + 1
    end = line.find(" ", max(start + _ALSO_CONTEXT, at + len(fact)))
    return line[start : end if end > 0 else len(line)].rstrip(" .;")


def _place(line: str, fact: str) -> int:
    if _NUMBER.fullmatch(fact):
        return next((m.start() for m in _NUMBER.finditer(line) if _value(m.group()) == _value(fact)), 0)
    found = re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", line, re.IGNORECASE)
    return found.start() if found else 0


def _around_facts(sentence: str, kept: str) -> str:
    if len(sentence) <= 2 * _ALSO_CONTEXT:
        return sentence
    lost = missing_facts([sentence], kept)
    return " … ".join(dict.fromkeys(_around(sentence, fact) for fact in lost))


def _central(every: Sequence[str], max_chars: int) -> list[str]:
    """Sentences by how many of the frequent words they hold, in their own order, within `max_chars`."""
    words = [Counter(w for w in map(str.casefold, _WORD.findall(s)) if w not in STOPWORDS) for s in every]
    common: Counter[str] = Counter()
    for counted in words:
        common.update(counted.keys())
    rank = sorted(
        range(len(every)),
        key=lambda i: (-sum(common[w] for w in words[i]) / (len(words[i]) + 3), i),
    )
    chosen: list[int] = []
    room = max_chars
    for index in rank:
        if len(every[index]) < room:
            chosen.append(index)
            room -= len(every[index]) + 1
    if not chosen and every:
        return [clip(every[rank[0]], max_chars)]
    return [every[i] for i in sorted(chosen)]


def _distinct(found: Iterable[str]) -> list[str]:
    kept: dict[str, str] = {}
    for sentence in found:
        kept.setdefault(" ".join(re.findall(r"\w+", sentence.casefold())), sentence)
    return list(kept.values())


def _ended(sentence: str) -> str:
    return sentence if sentence[-1:] in ".!?…" else f"{sentence}."
