"""What a thought asks someone to do: checkboxes, TODO marks, "need to …", "X will …" and imperative lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ._due import mentions_date
from ._metadata import MAX_ACTION_CHARS, MAX_ACTIONS, clean_text, clip
from ._people import AMBIGUOUS_NAMES, FIRST_NAMES, NOT_NAMES
from ._text import sentences
from ._words import word_list

_VERBS = word_list("actions", "verbs")
NOUN_VERBS = word_list("actions", "verbs that are nouns too")
# After these a word such as "review" or "email" is a noun: "Review with Tom", "Test results are in".
_NOUN_FOLLOWERS = word_list("actions", "noun followers")
_STATEMENT = re.compile(
    r"^[a-z]+ (?:\w+ ){0,2}(?:is|are|was|were|has|have|had|went|works?|failed)\b", re.IGNORECASE
)

_BOX = re.compile(r"^\s*(?:[-*+•]|\d+[.)])?\s*\[( |x|X)?\]\s+(.+)$")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(.+)$")
_MARK = re.compile(
    r"^(?:[-*+•#>\s]*)(?:todo|to-do|to do|fixme|action(?: item| point)?s?|next steps?|follow-?ups?|reminder)"
    r"\s*(?:\([^)]{1,30}\))?\s*[:\-–]\s*(.*)$",
    re.IGNORECASE,
)
_TODO = re.compile(r"\b(?:TODO|FIXME)\b\s*(?:\([^)]{1,30}\))?:?\s*(.+)$")
_NEED = re.compile(
    r"(?:^|[,;:] |\b(?:and|but|so|then|now|also|still) "
    r"|\b(?:i|we|you|someone|somebody|i'll|we'll|(?P<who>(?-i:[A-Z][a-z]+)))\s+)"
    r"(?:(?:still|also|really|just|will|urgently|now) )*"
    r"(?:need(?:s)? to|must|have to|has to|ha(?:ve|s) got to|'ve got to|gotta|ought to)\s+"
    r"(?!not\b|be\b|never\b|have\b)(?P<what>.+)$",
    re.IGNORECASE,
)
# "nobody has to …", "It must …" say what holds, not what someone is to do.
_NOBODY = re.compile(r"\b(?:nobody|no one|not|n't|never|it|this|that|which|they|there)\b", re.IGNORECASE)
_REMEMBER = re.compile(
    r"(?:^|[,;:] )(?:@[\w-]+[,:]? )?(?:(?:please )?(?:remember|make sure|be sure|(?:don't|do not) forget)"
    r"(?: to|:)?|please|pls|let's(?! try| see| not| say)"
    r"|(?:can|could) (?:you|someone|somebody|anyone)(?: please)?|remind me to)[:,]?\s+(?!not\b)(?P<what>.+)$",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"^(?:(?:i|we) )?(?:should|better|ought to) (?:(?:probably|really|also|soon|now) )*"
    r"(?P<what>(?P<verb>[a-z]+) .+)$",
    re.IGNORECASE,
)
_OWED = re.compile(r"^(?:I owe|I promised|[A-Z][a-z]+ (?:owes|promised) (?:me|us)) .+$")
_WANTED = re.compile(
    r"^(?:the )?[A-Z]\w+\b.{0,60}? (?:needs?|wants?|expects?|asked for|waits? for|is waiting for)\b.*?"
    r"\b(?:by|before|until|no later than) (?P<when>.+)$"
)
_DUE = re.compile(r"^(?:the )?(?:deadline|due date|cut-?off) (?:for|of) (?P<what>.+?) is\b", re.IGNORECASE)
_WILL = re.compile(r"\b(?P<who>[A-Z][\w-]+(?: [A-Z][\w-]+)?|I|we|We)(?:'ll| will| to) (?P<verb>[a-z]+) ")
_CLAUSE = re.compile(
    r"[,;]\s+(?:so |please |then )?(?P<what>(?P<verb>ask|remind|email|call|tell|send|ping) .+)$", re.I
)
_HANDLE_START = re.compile(r"^(?:@[\w-]+[,:]?\s+)+(?:please\s+|pls\s+)?", re.IGNORECASE)
# "Jonas finishes the endpoint": what someone does once is a task of theirs; what they do always is not.
_ASSIGNED = re.compile(r"^(?P<who>[A-Z]\w+(?: [A-Z]\w+)?) (?P<verb>[a-z]+s) (?P<next>\w+)")
_HABITS = frozenset(
    ("run", "read", "write", "look", "organise", "organize", "learn", "speak", "talk", "share", "design")
)
_OBJECTS = frozenset(
    (
        "the",
        "a",
        "an",
        "our",
        "his",
        "her",
        "their",
        "this",
        "up",
        "it",
        "them",
        "two",
        "everyone",
        "me",
        "us",
    )
)
_TRAILING = " .;,!?"


def actions(text: str) -> list[str]:
    """Action items in order, without their marks ("TODO:", "need to"), each at most 300 characters."""
    kept: dict[str, str] = {}
    for found in _found(text):
        action = clip(clean_text(found).rstrip(_TRAILING), MAX_ACTION_CHARS)
        if len(action) > 2:
            kept.setdefault(action.casefold(), action)
        if len(kept) >= MAX_ACTIONS:
            break
    return list(kept.values())


def opens_with_action(text: str) -> bool:
    """Whether the thought itself is something to do, rather than a note that also asks for something."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return False
    first = lines[0]
    if _MARK.match(first) or _BOX.match(first):
        return True
    parts = sentences(first)
    return bool(parts) and _in_sentence(_unbullet(parts[0]), opening=True) is not None


def _found(text: str) -> Iterator[str]:
    under_heading = False
    for line in text.splitlines():
        if not line.strip():
            continue
        if box := _BOX.match(line):
            if box.group(1) == " ":
                yield box.group(2)
            continue
        bullet = _BULLET.match(line)
        if mark := _MARK.match(line):
            under_heading = not mark.group(1).strip()
            if not under_heading:
                yield from _marked(mark.group(1))
            continue
        if bullet and under_heading:
            yield bullet.group(1)
            continue
        under_heading = False
        for sentence in sentences(bullet.group(1) if bullet else line):
            if (action := _in_sentence(sentence)) is not None:
                yield action


def _marked(rest: str) -> Sequence[str]:
    parts = sentences(rest)
    return [parts[0]] + [p for p in parts[1:] if _in_sentence(p) is not None] if parts else []


def _in_sentence(sentence: str, *, opening: bool = False) -> str | None:
    """The action a sentence states, or None; with `opening`, only when that is what the sentence is."""
    if todo := _TODO.search(sentence):
        return todo.group(1)
    asked = _HANDLE_START.sub("", sentence)
    if imperative(asked):
        return asked
    if (found := _ASSIGNED.match(sentence)) and _is_assigned(found, sentence):
        return sentence
    if found := _REMEMBER.search(sentence):
        return found.group("what")
    if (found := _SHOULD.match(sentence)) and _does(found.group("verb")) and found.group("verb") != "try":
        return found.group("what")
    wanted = _WANTED.match(sentence)
    if _OWED.match(sentence) or _DUE.match(sentence) or (wanted and mentions_date(wanted.group("when"))):
        return sentence
    found = _NEED.search(sentence)
    if found and not _NOBODY.search(sentence[: found.start("what")]):
        return found.group("what") if not opening or found.start() < 20 else None
    if opening:
        return None
    if (found := _WILL.search(sentence)) and _does(found.group("verb")):
        who = found.group("who")
        own = who in ("I", "we", "We")
        if " to " not in found.group() and (not own or mentions_date(sentence)):
            return sentence[found.start("verb") if own else found.start() :]
    if found := _CLAUSE.search(sentence):
        return found.group("what")
    return None


def imperative(sentence: str) -> bool:
    """Whether a sentence begins with a verb that tells someone to do something once."""
    words = sentence.split(maxsplit=2)
    if len(words) < 2 or sentence.rstrip().endswith("?"):
        return False
    verb, following = words[0].lower(), words[1].lower().rstrip(",:;.")
    if not _does(verb) or words[0].isupper() or words[0][-1] in ",:;." or words[1].endswith(":"):
        return False
    if verb in NOUN_VERBS and (following in _NOUN_FOLLOWERS or re.match(r"\w+(?: \w+){1,4}:", sentence)):
        return False
    return not _STATEMENT.match(sentence) or following in (
        "the",
        "a",
        "an",
        "our",
        "my",
        "this",
        "that",
        "whether",
    )


def _is_assigned(found: re.Match[str], sentence: str) -> bool:
    who, verb = found.group("who").split()[0].lower(), found.group("verb")
    base = next((b for b in _bases(verb) if _does(b) and b not in _HABITS), None)
    if base is None or who not in FIRST_NAMES or (who in AMBIGUOUS_NAMES and who in NOT_NAMES):
        return False
    return found.group("next").lower() in _OBJECTS or mentions_date(sentence)


def _bases(verb: str) -> tuple[str, ...]:
    """What a third-person form may come from: finishes, tries, sends."""
    return verb[:-1], verb[:-2], verb[:-3] + "y"


def _does(verb: str) -> bool:
    return verb in _VERBS or verb in NOUN_VERBS


def _unbullet(line: str) -> str:
    return match.group(1) if (match := _BULLET.match(line)) else line
