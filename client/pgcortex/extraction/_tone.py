"""How a thought sounds: valence from VADER's lexicon (Hutto & Gilbert 2014), arousal from its intensity."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ._text import sentences

_MAX_SENTENCES = 24
_MAX_SENTENCE_CHARS = 300
_SHOUT = re.compile(r"\b[A-Z]{4,}\b")
_INTENSE = re.compile(
    r"\b(?:urgent(?:ly)?|asap|immediately|critical(?:ly)?|emergency|outage|panic\w*|furious|thrilled|terrified|"
    r"extremely|incredibly|absolutely|really|very|so|amazing|awful|terrible|disaster\w*|catastroph\w*|worst|best|"
    r"shocked|devastated|ecstatic|exhausted|love|hate)\b",
    re.IGNORECASE,
)


def tone(text: str) -> tuple[float, float]:
    """(valence −1 to 1, arousal 0 to 1). Text without charged English words is (0, about 0.1)."""
    scored = [_analyzer().polarity_scores(s[:_MAX_SENTENCE_CHARS])["compound"] for s in _sample(text)]
    charged = [score for score in scored if score]
    valence = sum(charged) / len(charged) if charged else 0.0
    intensity = min(text.count("!"), 3) * 0.12
    intensity += min(len(_INTENSE.findall(text)), 3) * 0.12
    intensity += min(len(_SHOUT.findall(text)), 2) * 0.05
    arousal = 0.1 + 0.5 * max((abs(score) for score in charged), default=0.0) + intensity
    return round(valence, 3), round(min(arousal, 1.0), 3)


def _sample(text: str) -> list[str]:
    parts = sentences(text)
    return (
        parts
        if len(parts) <= _MAX_SENTENCES
        else parts[: _MAX_SENTENCES // 2] + parts[-_MAX_SENTENCES // 2 :]
    )


@cache
def _analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
