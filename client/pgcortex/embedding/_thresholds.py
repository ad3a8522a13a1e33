"""The cosine similarity below which a hit is noise, per model.

Cosine similarity has no scale of its own: two unrelated English sentences score about 0.03 with MiniLM, 0.1
with text-embedding-3, 0.7 with ada-002. One default for all of them either hides the right memory or lets
everything through. A threshold here is set low on purpose: a hit that is a little off costs a glance,
a memory that is hidden costs the answer.
"""

from __future__ import annotations

# MiniLM: measured on 26 short notes and two-word questions (tests/unit/test_embedding_threshold.py measures
# it again). Answers score 0.12–0.63, other notes 0.03 in the middle and 0.18 at the 95th percentile; at 0.12
# every answer passes and 15 % of the rest, at 0.20 one answer in four is hidden.
# text-embedding-3: OpenAI publishes no value; unrelated short texts score 0.05–0.2 and a short question
# against its answer 0.3–0.6. ada-002: nothing scores under about 0.68.
_BY_MODEL = {
    "all-MiniLM-L6-v2-int8": 0.12,
    "text-embedding-3-small": 0.25,
    "text-embedding-3-large": 0.25,
    "text-embedding-ada-002": 0.74,
}

# For a model nobody measured here: most of a model's unrelated pairs may pass, no right answer is hidden.
_UNKNOWN = 0.15


def match_threshold_for(model: str) -> float:
    """Return the threshold for a stored model id such as `text-embedding-3-small@1536`."""
    return _BY_MODEL.get(model.split("@", 1)[0], _UNKNOWN)
