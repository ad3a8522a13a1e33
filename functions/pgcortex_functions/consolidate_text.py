"""The text of a memory that stands for several: written by a model, checked against its sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pgcortex._errors import ProviderRefused, ProviderUnavailable
from pgcortex.extraction.summary import extractive_summary, with_missing_facts
from pgcortex_functions._json import parse_answer
from pgcortex_functions._llm import ModelSettings, UnreadableAnswer, Usage, complete
from pgcortex_functions._prompts import load_prompt

EXTRACTIVE = "extractive/1"
_SOURCE_CHARS = 4_000
_MOST_CHARS = 48_000
_SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "summary": {"type": "string"}},
    "required": ["title", "summary"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Summary:
    """The text, who wrote it ("llm/gpt-4o-mini/prompt-1" or "extractive/1"), and what it cost, if known."""

    text: str
    writer: str
    title: str | None = None
    usage: Usage | None = None
    warnings: list[str] = field(default_factory=list)


def summarise(texts: Sequence[str], *, settings: ModelSettings, budget_spent: bool = False) -> Summary:
    """Write one paragraph for `texts`, oldest first; never raises for what a model does.

    Every number, date and person of the sources is in the result: what the model left out follows as
    "Also: …". Without a model, once the budget is spent, when the model is away or invents a number, the
    sources' own sentences are used, and `warnings` say why.
    """
    texts = [text for text in texts if text.strip()]
    if not settings.llm_model or not texts:
        return Summary(extractive_summary(texts), EXTRACTIVE)
    if budget_spent:
        return _extractive(texts, "the monthly budget is spent", None)
    if any(len(t) > _SOURCE_CHARS for t in texts) or sum(map(len, texts)) > _MOST_CHARS:
        return _extractive(texts, "the sources are too long for one call", None)
    prompt = load_prompt("consolidate")
    items = [(f"memory {number}", text) for number, text in enumerate(texts, start=1)]
    try:
        done = complete(prompt.messages(items), name="summary", schema=_SCHEMA, settings=settings)
    except UnreadableAnswer as error:
        return _extractive(texts, error.message, error.usage)
    except (ProviderUnavailable, ProviderRefused) as error:
        return _extractive(texts, error.message, None)
    title, text = _read(done.text)
    if text is None:
        return _extractive(texts, "the language model's answer holds no summary", done.usage)
    if invented := _invented(f"{title or ''} {text}", texts):
        return _extractive(texts, f"the language model invented {', '.join(invented[:3])}", done.usage)
    writer = f"llm/{done.usage.model}/prompt-{prompt.version}"
    return Summary(with_missing_facts(texts, text), writer, title, done.usage)


def _extractive(texts: Sequence[str], why: str, usage: Usage | None) -> Summary:
    return Summary(extractive_summary(texts), EXTRACTIVE, usage=usage, warnings=[why])


def _read(answer: str) -> tuple[str | None, str | None]:
    try:
        found = parse_answer(answer)
    except ValueError:
        return None, None
    if not isinstance(found, dict):
        return None, None
    title, text = (
        " ".join(value.replace("\0", "").split()) if isinstance(value := found.get(name), str) else None
        for name in ("title", "summary")
    )
    return title or None, text or None


def _invented(summary: str, texts: Sequence[str]) -> list[str]:
    """Numbers of two digits or more that no source holds; a single digit may count the sources."""
    known = {digits for text in texts for digits in re.findall(r"\d+", text.replace(",", ""))}
    return [n for n in re.findall(r"\d{2,}", summary.replace(",", "")) if n not in known]
