"""The word lists and cues in `words/*.txt`: sections headed `[name]`, each with a comment after `#`."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources


def word_list(file: str, section: str) -> frozenset[str]:
    """The words of one section of `words/{file}.txt`."""
    return frozenset(_sections(file)[section].split())


def cues(section: str) -> re.Pattern[str]:
    """One pattern of all lines in a section of `words/kinds.txt`; `{past}` means the verbs listed there."""
    past = "|".join(sorted(word_list("kinds", "past verbs"))).replace("_", " ")
    lines = _sections("kinds")[section].replace("{past}", f"(?:{past})").split("\n")
    return re.compile("|".join(f"(?:{line})" for line in lines if line), re.IGNORECASE)


@cache
def _sections(file: str) -> dict[str, str]:
    text = resources.files(__package__).joinpath("words", f"{file}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[([a-z ]+)\]  #.*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
