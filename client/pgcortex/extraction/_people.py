"""Who a thought mentions: known first names, names the sentence treats as people, and @handles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ._metadata import MAX_NAME_CHARS, MAX_PEOPLE
from ._stopwords import STOPWORDS, VERBISH
from ._words import word_list

_WORD = re.compile(r"[^\W\d_][\w]*(?:[-'’][^\W\d_]\w*)*")
_HANDLE = re.compile(r"(?<![\w.@/\\`+-])@([A-Za-z][\w-]{1,38}(?:\.\w+)?)(?![\w/(@])")
FIRST_NAMES = word_list("people", "first names")
# Names that are also words, places or products: they count only when the sentence treats them as a person.
AMBIGUOUS_NAMES = word_list("people", "ambiguous")
NOT_NAMES = word_list("people", "not names")
_PARTICLES = word_list("people", "particles")
_TITLES = word_list("people", "titles")

# "told X": the word before makes whatever follows a person.
_BEFORE = word_list("people", "before")
# "with X": the word before suits a person, so a name that is also a word, or two capitalised words, count.
_NEAR = word_list("people", "near")
# "X said": the word after makes whatever precedes a person.
_AFTER = word_list("people", "after")
# "our intern X", "the new hire, X": a role makes what follows a person.
_ROLES = word_list("people", "roles")
_COMMON = STOPWORDS | VERBISH | _BEFORE
_ALSO_AFTER = word_list("people", "also after")


def people(text: str) -> list[str]:
    """The people named in `text`, in order, each once; the longer form of a name wins over the shorter."""
    found = [name for _, name in sorted([*_handles(text), *_names(text)])]
    return _merge(found)[:MAX_PEOPLE]


def _handles(text: str) -> Iterator[tuple[int, str]]:
    if "@" in text:
        for match in _HANDLE.finditer(text):
            yield match.start(), match.group(1)


def _names(text: str) -> list[tuple[int, str]]:
    words = list(_WORD.finditer(text))
    if not any(word.group()[0].isupper() or word.group() in FIRST_NAMES for word in words):
        return []
    found: list[tuple[int, str]] = []
    listed = False  # the previous item of "A, B and C" was a person
    index = 0
    while index < len(words):
        start, size, name = _name_at(text, words, index, listed)
        if name:
            found.append((start, name))
            index += size
            listed = _list_goes_on(text, words, index)
            if listed and _plain(words[index].group()) == "and":
                index += 1
            continue
        listed = False
        index += 1
    return found or _by_pronoun(text, words)


def _by_pronoun(text: str, words: list[re.Match[str]]) -> list[tuple[int, str]]:
    """The one unknown capitalised name of a text that goes on about "he" or "she"."""
    if not re.search(r"\b(?:he|she|him|her|his)\b", text):
        return []
    unknown = [
        (match, _length(text, words, index))
        for index, match in enumerate(words)
        if match.group()[0].isupper()
        and len(match.group()) > 3
        and not _no_name(text, match)
        and not (_starts_sentence(text, match.start()) and match.group().lower() in _COMMON)
    ]
    if len({match.group() for match, _ in unknown}) != 1:
        return []
    return [(unknown[0][0].start(), _plain(unknown[0][0].group()).capitalize())]


def _before_known(text: str, words: list[re.Match[str]], index: int) -> bool:
    """Whether " and " and a known first name follow at word `index`."""
    if index + 1 >= len(words) or words[index].group() != "and" or not words[index + 1].group()[0].isupper():
        return False
    known = _plain(words[index + 1].group())
    return known in FIRST_NAMES and (known not in AMBIGUOUS_NAMES or known not in NOT_NAMES)


def _list_goes_on(text: str, words: list[re.Match[str]], index: int) -> bool:
    if index >= len(words):
        return False
    gap = text[words[index - 1].end() : words[index].start()]
    if _plain(words[index].group()) == "and":
        return gap.strip() in ("", ",")
    return gap in (", ", " & ", "/", ",")


def _name_at(text: str, words: list[re.Match[str]], index: int, listed: bool) -> tuple[int, int, str]:
    """(position, words used, the name or "") for a name that begins with word `index`."""
    match = words[index]
    word = _plain(match.group())
    before = _before(text, words, index)
    if not match.group()[0].isupper():
        known = word in FIRST_NAMES and word not in AMBIGUOUS_NAMES
        if known and (before in _BEFORE or before == "with") and match.group().islower():
            return match.start(), 1, word.capitalize()
        return match.start(), 1, ""
    if _no_name(text, match):
        return match.start(), 1, ""
    size = _length(text, words, index)
    if word not in _COMMON:
        listed = listed or _before_known(text, words, index + size)
    after_index = index + size
    after = ""
    if after_index < len(words) and _touching(text, words, after_index - 1):
        after = words[after_index].group().lower()
    if not _is_person(word, size, before, after, listed, _starts_sentence(text, match.start())):
        return match.start(), 1, ""
    name = text[match.start() : words[after_index - 1].end()]
    return match.start(), size, re.sub(r"['’]s$", "", name)[:MAX_NAME_CHARS]


def _is_person(word: str, size: int, before: str, after: str, listed: bool, first: bool) -> bool:
    if word in FIRST_NAMES and word not in AMBIGUOUS_NAMES:
        return True
    sure = (
        before in _BEFORE
        or before in _TITLES
        or before in _ROLES
        or (after in _AFTER and not (first and after == "and"))
    )
    if word in AMBIGUOUS_NAMES and word not in NOT_NAMES:
        likely = (
            before in _NEAR
            or (size > 1 and not first)
            or (after in _ALSO_AFTER and (not first or after == "from"))
        )
        return sure or likely or listed
    return sure or (listed and word not in NOT_NAMES)


def _before(text: str, words: list[re.Match[str]], index: int) -> str:
    """The word just before, or the role an apposition names: "the intern, X"."""
    if not index:
        return ""
    previous = _plain(words[index - 1].group())
    gap = text[words[index - 1].end() : words[index].start()]
    return previous if _touching(text, words, index - 1) or (gap == ", " and previous in _ROLES) else ""


def _no_name(text: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word is no name: known words, ACRONYMS, camelCase, parts of a path or an id."""
    raw = match.group()
    word = _plain(raw)
    if (word in NOT_NAMES and word not in AMBIGUOUS_NAMES) or len(word) < 2:
        return True
    core = re.sub(r"['’]s$", "", raw)
    if core.isupper() or any(c.isdigit() for c in core):
        return True
    if any(c.isupper() for c in core[1:]) and not re.match(r"(?:Mc|Mac|O['’]|De|.+[-'’])[A-Z]", core):
        return True
    around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
    return any(c in "/\\_#=<>`@+~$%" for c in around) or text[match.end() : match.end() + 3] == "://"


def _length(text: str, words: list[re.Match[str]], index: int) -> int:
    """How many words the name takes: the first name, then particles and surnames, four at most."""
    size = 1
    while size < 4 and index + size < len(words):
        here = words[index + size]
        gap = text[words[index + size - 1].end() : here.start()]
        raw = here.group()
        if gap != " " or re.search(r"['’]s$", words[index + size - 1].group()):
            break
        if (
            raw in _PARTICLES
            and index + size + 1 < len(words)
            and words[index + size + 1].group()[0].isupper()
        ):
            size += 2
            continue
        if not raw[0].isupper() or _no_name(text, here) or _plain(raw) in AMBIGUOUS_NAMES | {"will"}:
            break
        size += 1
    return min(size, 4)


def _touching(text: str, words: list[re.Match[str]], index: int) -> bool:
    """Whether only a space (or the dot of a title) stands between word `index` and the next."""
    gap = text[words[index].end() : words[index + 1].start()]
    return gap == " " or (gap == ". " and _plain(words[index].group()) in _TITLES)


def _starts_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip(" \t*_\"'“(-•>#")
    return not before or before[-1] in ".!?:\n"


def _plain(word: str) -> str:
    return re.sub(r"['’]s$", "", word.lower())


def _merge(names: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for name in names:
        parts = name.casefold().split()
        same = next((k for k in kept if _same_person(k.casefold().split(), parts)), None)
        if same is None:
            kept.append(name)
        elif len(name) > len(same):
            kept[kept.index(same)] = name
    return kept


def _same_person(one: list[str], two: list[str]) -> bool:
    return one == two or (min(len(one), len(two)) == 1 and (one[0] == two[0] or one[-1:] == two))
