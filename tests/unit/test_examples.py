"""The example notes are a believable month, and its six questions cannot be answered by matching words."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from pgcortex._settings import Settings
from pgcortex.embedding import Embedder, create_embedder
from pgcortex.importers import ImportItem, walk

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))
NOTES = [result for result in walk([EXAMPLES / "notes"]) if isinstance(result, ImportItem)]
FUNCTION_WORDS = {"who", "us", "with", "against"}


def stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z0-9]+", text.lower())}


def test_every_note_is_read_without_a_complaint() -> None:
    results = list(walk([EXAMPLES / "notes"]))
    assert len(results) == len(NOTES) >= 70
    assert [item.warnings for item in NOTES if item.warnings] == []
    assert all(item.occurred_at and item.occurred_at.strftime("%Y-%m") == "2026-06" for item in NOTES)
    assert {item.thought_type for item in NOTES} == {
        "observation",
        "task",
        "idea",
        "reference",
        "person_note",
    }
    assert all(item.due_at for item in NOTES if item.thought_type == "task")


def test_a_reversed_decision_and_the_decision_it_reverses_are_both_there() -> None:
    decisions = [item for item in NOTES if item.category == "decision" and "storage" in item.topics]
    assert [item.title for item in decisions] == [
        "Job cards go into MongoDB",
        "Job cards move back to Postgres",
    ]


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
def test_no_note_shares_a_content_word_with_a_question(row: dict[str, str]) -> None:
    asked = {word[:5] for word in row["question"].lower().split() if word not in FUNCTION_WORDS}
    assert (EXAMPLES / row["expected"]).is_file()
    for item in NOTES:
        words = f"{item.title} {item.content} {' '.join(item.topics)}"
        assert not asked & stems(words), item.title


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    found = create_embedder(Settings(embedder="local"))
    assert found is not None
    return found


@pytest.mark.parametrize("with_title", [False, True], ids=["content", "title and content"])
def test_the_local_model_answers_every_question_first_and_by_a_margin(
    embedder: Embedder, with_title: bool
) -> None:
    """Cosine similarity to the expected note is at least 0.03 above that to any other note."""
    texts = [f"{item.title}\n{item.content}" if with_title else item.content for item in NOTES]
    vectors = embedder.embed(texts)
    for row, asked in zip(QUESTIONS, embedder.embed([row["question"] for row in QUESTIONS]), strict=True):
        scores = {
            item.metadata["path"]: math.fsum(a * b for a, b in zip(asked, vector, strict=True))
            for item, vector in zip(NOTES, vectors, strict=True)
        }
        expected = scores.pop(Path(row["expected"]).name)
        assert expected >= embedder.match_threshold
        assert expected - max(scores.values()) >= 0.03, row["question"]
