"""What a thought is about: short key phrases.

YAKE (Campos et al. 2020) ranks the phrases of longer text. Its statistics say nothing about two sentences and
cost 5 ms, so a short note is ranked here: noun-like runs of words, earlier, longer and named ones first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from ._actions import NOUN_VERBS
from ._due import date_words
from ._stopwords import NOT_A_TOPIC, STOPWORDS, VERBISH
from ._words import word_list

MAX_TOPICS = 5
SHORT_CHARS = 700
_YAKE_CHARS = 2000

_TOKEN = re.compile(r"[^\W_](?:[\w+#]|[-.'’/](?=\w))*|[^\w\s]")
_BLANKED = re.compile(r"https?://\S+|www\.\S+|\S+@\S+\.\w+|(?<!\w)@[\w-]+|\[redacted:\w+\]|`[^`\n]{30,}`")
_KEEP_S = word_list("topics", "keep s")


def topics(text: str, people: Sequence[str], languages: Sequence[str] | None = None) -> list[str]:
    """At most five lower-case key phrases, best first: no people, no dates, the last word in the singular."""
    clean = _blank(text)
    names = {part.casefold() for name in people for part in re.split(r"[\s.-]+", name)}
    language = (languages or ("en",))[0][:2].lower()
    ranked = _short(clean, names) if len(clean) <= SHORT_CHARS else _long(clean, names, language)
    return _distinct(ranked)


def _blank(text: str) -> str:
    """`text` with links, addresses, handles and dates replaced by a full stop, which no phrase crosses."""
    if "://" in text or "@" in text or "www." in text or "`" in text or "[redacted:" in text:
        text = _BLANKED.sub(" . ", text)
    for start, end in reversed(list(date_words(text))):
        text = f"{text[:start]} . {text[end:]}"
    return text


def _short(text: str, names: Collection[str]) -> list[str]:
    scores: dict[str, float] = {}
    for run, before, position in _runs(text, names):
        phrase = phrase_of(run)
        if phrase:
            score = {1: 0.8, 2: 1.8, 3: 1.6}[len(run)] - 0.02 * position
            score += 0.6 if before in _DETERMINERS else 0
            score += 0.5 if any(w[0].isupper() or any(c.isdigit() for c in w) for w in run) else 0
            score -= 0.8 if len(run) == 1 and _LOOSE.search(phrase) else 0
            scores[phrase] = max(scores.get(phrase, 0) + 0.5, score)
    ranked = sorted(scores, key=lambda p: -scores[p])
    strong = [phrase for phrase in ranked if scores[phrase] >= 0.6]
    return strong or ranked[:2]


# A lone word that is more often an adverb, a participle or an adjective than a noun.
_LOOSE = re.compile(r"^[a-z]+(?:ly|ed|ful|able|ible|ive|ous|ish|ing)$")


_DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "our",
        "my",
        "your",
        "their",
        "his",
        "her",
        "this",
        "that",
        "new",
        "on",
        "about",
        "for",
        "of",
        "into",
        "from",
        "with",
        "every",
        "all",
        "no",
        "any",
    ]
)


def _runs(text: str, names: Collection[str]) -> list[tuple[list[str], str, int]]:
    """Runs of at most three content words, with the word before and their place."""
    found: list[tuple[list[str], str, int]] = []
    run: list[str] = []
    before = previous = ""
    opening = True
    for position, match in enumerate(_TOKEN.finditer(text)):
        word = match.group()
        low = re.sub(r"['’]s$", "", word.casefold())
        content = word[0].isalnum() and low not in STOPWORDS and low not in names and not low.isdigit()
        if content and low in NOUN_VERBS and not run and (opening or previous in ("to", "will", "please")):
            content = False  # "book the flight"
        if (
            content
            and (low in VERBISH or (opening and low.endswith("ing")))
            and not (run and low in _DETERMINERS)
        ):
            content = before in ("the", "a", "an", "our", "my", "this") and not run and previous == before
        if content:
            if not run:
                before = previous
            run.append(word)
        elif run:
            found.append((run[-3:], before, position - len(run)))
            run = []
        previous = low
        if not run:
            before = low
        opening = not word[0].isalnum() and word in ".!?:"
    if run:
        found.append((run[-3:], before, len(found)))
    return found


def _long(text: str, names: Collection[str], language: str) -> list[str]:
    found = []
    for phrase, _ in _yake(language).extract_keywords(_bounded(text)):
        words = [w for w in re.split(r"[\s]+", phrase) if w]
        low = [re.sub(r"['’]s$", "", w.casefold()) for w in words]
        if (
            any(w in names or w in STOPWORDS or w in NOT_A_TOPIC for w in low)
            or low[0] in VERBISH
            or low[-1] in VERBISH
        ):
            continue
        found.append(phrase_of(words))
    return [p for p in found if p]


def _bounded(text: str) -> str:
    """What YAKE reads; its time grows faster than the text."""
    return (
        text if len(text) <= _YAKE_CHARS else f"{text[: _YAKE_CHARS * 3 // 4]}\n{text[-_YAKE_CHARS // 4 :]}"
    )


@lru_cache(maxsize=4)
def _yake(language: str) -> Any:
    import yake

    return yake.KeywordExtractor(lan=language, n=2, top=16)


def phrase_of(words: Sequence[str]) -> str:
    """The phrase in lower case with its last word in the singular, or "" if it cannot be a topic."""
    low = [re.sub(r"['’]s$", "", w.casefold()).strip("-'’./") for w in words]
    if words and not words[-1].isupper():
        low[-1] = singular(low[-1])
    phrase = " ".join(w for w in low if w)
    if len(phrase) < 3 and not (words and words[0].isupper() and len(phrase) > 1):
        return ""
    if len(low) == 1 and phrase[:1].isdigit():
        return ""
    if len(phrase) > 40 or not re.search(r"[^\W\d_]{2}", phrase) or phrase in NOT_A_TOPIC:
        return ""
    return phrase


def singular(word: str) -> str:
    """The singular of a regular English plural; anything doubtful stays as it is."""
    if len(word) < 4 or not word.endswith("s") or word in _KEEP_S or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "oes", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def _distinct(phrases: Sequence[str]) -> list[str]:
    """The first five that add a word: "api" goes when "api call" is there."""
    kept: list[str] = []
    for phrase in phrases:
        words = set(phrase.split())
        if not any(words <= set(k.split()) or set(k.split()) <= words for k in kept):
            kept.append(phrase)
        if len(kept) == MAX_TOPICS:
            break
    return kept
