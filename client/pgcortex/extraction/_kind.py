"""Which of the five thought types a thought is, its category and its store, from cues in its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pgcortex._types import Category, Store, ThoughtType

from ._actions import opens_with_action
from ._words import cues

_IDEA = cues("idea")
_DECISION = cues("decision")
_LESSON = cues("lesson")
_RULE = cues("rule")
_WORKFLOW = cues("workflow")
_GOAL = cues("goal")
_EVENT = cues("event")
_REFERENCE = cues("reference")
_TRAIT = (
    r"(?:is|was|has|had|prefers|likes|dislikes|loves|hates|wants|enjoys|lives|works|reports|leads|owns|manages"
    r"|moved|joined|speaks|knows|doesn't|isn't|can't|won't|never|always|usually|used to|grew up|studied|plays"
    r"|needs|feels|seems|struggles|drinks|eats|starts|started|retires|retired|teaches"
    r"|looks after|notices|answers|files|tries|helps|went to|comes from)"
)
_ROLE = cues("role")
_DESCRIBED = re.compile(
    rf"(?: from (?:the )?\w+(?: \w+)?)?(?: \w+)?(?:,[^,.]{{1,40}},|,)? {_TRAIT}\b"
    r"|'s (?:birthday|anniversary|wife|husband|kids?|son|daughter|favou?rite|phone|email|address|background"
    r"|hobby|role|title|promotion|strength)\b"
    r"| from [A-Z]"
)
_PRONOUN = re.compile(rf"\b(?:he|she) {_TRAIT}\b|\b(?:he|she)'s\b", re.IGNORECASE)
_REPORTING = re.compile(r"\b(?:said|says|told (?:me|us)|mentioned|heard|thinks)(?: that)?\s+$", re.IGNORECASE)
_HEDGE = cues("hedge")
_FIRM = cues("firm")


def thought_type(text: str, people: Sequence[str], actions: Sequence[str]) -> ThoughtType:
    """The type, by the first that fits: task, idea, person note, reference, else observation."""
    marked_idea = bool(re.match(r"\W*(?:idea|hypothesis|proposal)\b", text, re.IGNORECASE))
    if actions and not marked_idea and opens_with_action(text):
        return "task"
    if _IDEA.search(text) and not _DECISION.search(text):
        return "idea"
    if _about_a_person(text, people):
        return "person_note"
    if _REFERENCE.search(text) or _WORKFLOW.search(text):
        return "reference"
    return "observation"


def category(text: str, kind: ThoughtType) -> Category | None:
    """The category; an idea has none, a task is a goal, a person note a person."""
    if kind == "idea":
        return None
    if kind == "task":
        return "goal"
    if kind == "person_note":
        return "person"
    for name, pattern in _ORDER:
        if pattern.search(text):
            return name
    return "fact"


_ORDER: tuple[tuple[Category, re.Pattern[str]], ...] = (
    ("decision", _DECISION),
    ("lesson", _LESSON),
    ("workflow", _WORKFLOW),
    ("rule", _RULE),
    ("goal", _GOAL),
    ("event", _EVENT),
)


def store(kind: ThoughtType, about: Category | None, *, due: bool) -> Store:
    """Prospective for what is to be done, procedural for how, episodic for what happened, else semantic."""
    if kind == "task" or about == "goal" or due:
        return "prospective"
    if about in ("rule", "workflow"):
        return "procedural"
    return "episodic" if about == "event" else "semantic"


def confidence(text: str, kind: ThoughtType) -> float:
    """How certain the thought itself sounds: hedged 0.4, an idea 0.5, plain 0.7, firm (a figure) 0.85."""
    if _HEDGE.search(text):
        return 0.4
    if kind == "idea":
        return 0.5
    return 0.85 if _FIRM.search(text) else 0.7


def _about_a_person(text: str, people: Sequence[str]) -> bool:
    """Whether someone is described: "Ann prefers …", "said that Bo is …", "Cy's birthday", "… she is …"."""
    for name in people:
        start = text.find(name.split()[0])
        while start >= 0:
            end = start + len(name if text.startswith(name, start) else name.split()[0])
            if _DESCRIBED.match(text, end) and _is_subject(text[max(start - 60, 0) : start]):
                return True
            start = text.find(name.split()[0], end)
    return bool(people) and bool(_PRONOUN.search(text) or (_ROLE.search(text) and len(people) == 1))


def _is_subject(before: str) -> bool:
    """Whether a name after `before` begins a clause: a sentence, "said that", "and", "my manager"."""
    words = before.rstrip("*_ \t")
    if not words or words[-1] in ".!?\n;:-•,":
        return True
    return bool(
        _REPORTING.search(before) or _ROLE.search(words[-30:]) or words.endswith((" and", " but", " hire"))
    )
