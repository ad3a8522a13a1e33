"""Case C09: the threshold is calibrated, and this is the calibration.

Notes of one small team and questions as people type them, few words shared. The threshold must let the
answer of (nearly) every question through and keep out most of the notes that do not answer it.
"""

from __future__ import annotations

import numpy as np
import pytest

from pgcortex.embedding import match_threshold_for
from pgcortex.embedding._local import LocalEmbedder

NOTES_AND_QUESTIONS = [
    ("We are spending too much on API calls, 4,100 dollars in May", "budget concerns"),
    ("Dana prefers to be reached by text, she never opens her mail", "how do I contact Dana"),
    ("Decided to stay on Postgres instead of moving to DynamoDB", "database choice"),
    ("The nightly backup failed because the disk was full", "why are there no snapshots"),
    ("Rae works at Beta now and leads their platform group", "where is Rae employed"),
    ("Customers keep asking for a dark theme in the mobile app", "feature requests"),
    ("Flight to Lisbon leaves on the 14th at 7:40 from terminal 2", "travel plans"),
    ("Tom is allergic to peanuts and shellfish", "dietary restrictions"),
    ("The login page takes nine seconds on a slow phone", "performance problems"),
    ("Ship the invoice export before the end of the quarter", "upcoming deadlines"),
    ("Idea: let users record a voice note and transcribe it", "audio input"),
    ("Interview with Maria went well, strong on distributed systems", "hiring candidates"),
    ("The lease for the office runs out in October", "rent contract"),
    ("We agreed to write tests before fixing any reported bug", "quality process"),
    ("Kids' school play is on Thursday evening", "family events"),
    ("Rotate the signing keys every ninety days", "security policy"),
    ("The vendor raised their prices by twelve percent", "cost increase"),
    ("Sam felt overwhelmed after the reorganisation", "team morale"),
    ("Deploys are frozen from the 20th of December to the 3rd of January", "release freeze"),
    ("Read the paper on spreading activation by Collins and Loftus", "psychology research"),
    ("Standup moves to 9:30 from next week", "meeting schedule"),
    ("Users drop out at the payment step, half of them on Safari", "checkout conversion"),
    ("My passport has to be renewed by March", "identity documents"),
    ("Bought a standing desk, back pain is much better", "health"),
    ("The legal team wants a data processing agreement signed", "GDPR compliance"),
    ("Switched the search index to HNSW, queries are five times faster", "vector lookup speed"),
]


@pytest.fixture(scope="module")
def similarities() -> np.ndarray:
    """Cosine similarities, questions by notes."""
    embedder = LocalEmbedder()
    notes = np.array(embedder.embed([note for note, _ in NOTES_AND_QUESTIONS]))
    questions = np.array(embedder.embed([question for _, question in NOTES_AND_QUESTIONS]))
    cosines: np.ndarray = questions @ notes.T
    return cosines


def test_c09_the_answer_to_a_short_question_is_rarely_hidden(similarities: np.ndarray) -> None:
    answers = np.diag(similarities)
    assert (answers >= LocalEmbedder.match_threshold).mean() >= 0.85


def test_most_notes_that_do_not_answer_are_kept_out(similarities: np.ndarray) -> None:
    others = similarities[~np.eye(len(similarities), dtype=bool)]
    assert (others < LocalEmbedder.match_threshold).mean() >= 0.8


@pytest.mark.parametrize(
    "model", ["text-embedding-3-small@1536", "text-embedding-3-large@3072", "somebody/else@768"]
)
def test_c09_every_model_has_a_threshold_under_the_write_ups_half(model: str) -> None:
    assert 0 < match_threshold_for(model) < 0.46
