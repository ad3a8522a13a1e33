"""Metadata for one thought, from the language model or, without one, from the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pgcortex._errors import CortexError
from pgcortex.extraction import Metadata, extract
from pgcortex_functions._calls import model_call
from pgcortex_functions._settings import FunctionSettings


@dataclass(frozen=True)
class Findings:
    """What an extractor found: columns of a memory, ties to older ones, what to tell, what it cost."""

    fields: dict[str, Any]
    relations: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)


def find_metadata(
    content: str,
    *,
    occurred_at: datetime | None,
    neighbours: Sequence[dict[str, Any]],
    budget_spent: bool,
    settings: FunctionSettings,
) -> Findings:
    """Return the metadata of `content`. `neighbours` are the memories it may repeat, replace or contradict.

    Raises `ProviderUnavailable` and `ProviderRefused`, of the language model only.
    """
    now = occurred_at or datetime.now(UTC)
    if settings.llm_model is None:
        return _from_metadata(extract(content, now=now))
    if budget_spent:
        spent = "the monthly budget is spent, so the metadata comes from rules"
        return _from_metadata(extract(content, now=now), spent)
    from pgcortex_functions.extract import extract_llm

    found = extract_llm(content, now=now, neighbours=neighbours, settings=settings)
    plain = _from_metadata(found.metadata)
    usage = found.usage
    return Findings(
        plain.fields,
        [{"id": str(tie.id), "relation": tie.relation} for tie in found.relations],
        plain.warnings,
        [model_call("extraction", usage.model, usage.input_tokens, usage.output_tokens)],
    )


def paid_in_vain(error: CortexError) -> list[dict[str, Any]]:
    """Return the call behind an answer that could not be read: it was paid for all the same."""
    usage = getattr(error, "usage", None)
    if usage is None:
        return []
    return [model_call("extraction", usage.model, usage.input_tokens, usage.output_tokens)]


def _from_metadata(metadata: Metadata, *warnings: str) -> Findings:
    fields = {
        name: value
        for name, value in metadata.model_dump(mode="json", exclude={"warnings"}).items()
        if value not in (None, [], "")
    }
    # A sensory memory expires in a day; that is the caller's decision, never an extractor's.
    if fields.get("store") == "sensory":
        del fields["store"]
    return Findings(fields, warnings=[*metadata.warnings, *warnings])
