"""English words that cannot carry a topic; the lists themselves are in `words/topics.txt`."""

from __future__ import annotations

from ._words import word_list


def _forms(verb: str) -> tuple[str, ...]:
    """The regular forms of a verb: try, tries, tried, trying."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d", verb[:-1] + "ing"
    third = verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "z", "o")) else "s")
    return verb, third, verb + "ed", verb + "ing", verb + verb[-1] + "ed", verb + verb[-1] + "ing"


STOPWORDS = word_list("topics", "stopwords")
NOT_A_TOPIC = word_list("topics", "too general")
VERBISH = (
    frozenset(form for verb in word_list("topics", "verbs") for form in _forms(verb))
    | word_list("topics", "irregular")
    | word_list("topics", "loose adjectives")
)
