"""Conversations in LoCoMo's format, and the share of a question's evidence among the first k hits."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_EVIDENCE = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")
_CATEGORIES = (1, 2, 3, 4)
_BETWEEN_TURNS = timedelta(seconds=30)


@dataclass(frozen=True)
class Turn:
    """One thing said: `id` is the data set's dia_id, `content` the words and what a shared picture shows."""

    id: str
    session: str
    speaker: str
    content: str
    said_at: datetime


@dataclass(frozen=True)
class Question:
    """A question and the turns that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """Two people over months; turns in the order they were said."""

    id: str
    turns: list[Turn]
    questions: list[Question]

    @property
    def ended_at(self) -> datetime:
        """When the last thing was said."""
        return max(turn.said_at for turn in self.turns)


def read_conversations(path: Path) -> list[Conversation]:
    """Read a LoCoMo file: a list of objects with sample_id, conversation and qa.

    Kept are questions of categories 1 to 4 with at least one evidence id that names a turn; category 5 is
    the adversarial one, which nothing answers.
    """
    return [_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def _conversation(sample: dict[str, Any]) -> Conversation:
    said = sample["conversation"]
    sessions = sorted(int(match[1]) for key in said if (match := _SESSION.fullmatch(key)))
    turns = [
        _turn(turn, number, _date(said[f"session_{number}_date_time"]) + place * _BETWEEN_TURNS)
        for number in sessions
        for place, turn in enumerate(said[f"session_{number}"])
    ]
    known = {turn.id for turn in turns}
    questions = [
        Question(str(qa["question"]), evidence)
        for qa in sample["qa"]
        if qa["category"] in _CATEGORIES
        and (evidence := frozenset(_EVIDENCE.findall(" ".join(map(str, qa["evidence"])))) & known)
    ]
    return Conversation(sample["sample_id"], turns, questions)


def _turn(turn: dict[str, Any], session: int, said_at: datetime) -> Turn:
    words = [turn["text"], turn.get("blip_caption")]
    content = "\n".join(word for word in words if word)
    return Turn(turn["dia_id"], f"session-{session}", turn["speaker"], content, said_at)


def _date(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


@dataclass(frozen=True)
class Outcome:
    """One question's ranks: for each evidence turn its place among the hits from 0, or None."""

    ranks: list[int | None]

    def found(self, k: int) -> int:
        """Return how many of the evidence turns are among the first k hits."""
        return sum(rank is not None and rank < k for rank in self.ranks)


def outcome(question: Question, hits: Sequence[str]) -> Outcome:
    """Place the question's evidence among the hits, given as turn ids, best first."""
    places = {turn: place for place, turn in reversed(list(enumerate(hits)))}
    return Outcome([places.get(turn) for turn in sorted(question.evidence)])


def question_recall(outcomes: Sequence[Outcome], k: int) -> float:
    """Mean over questions of the share of the question's evidence among its first k hits."""
    return sum(o.found(k) / len(o.ranks) for o in outcomes) / len(outcomes)


def pooled_recall(outcomes: Sequence[Outcome], k: int) -> float:
    """Share of all questions' evidence that is among the first k hits of its question."""
    return sum(o.found(k) for o in outcomes) / sum(len(o.ranks) for o in outcomes)
