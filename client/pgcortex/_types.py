"""The closed vocabularies of a memory, in the order the write-ups give them."""

from __future__ import annotations

from typing import Literal, get_args

ThoughtType = Literal["observation", "task", "idea", "reference", "person_note"]
Store = Literal["sensory", "episodic", "semantic", "procedural", "prospective"]
Category = Literal["decision", "lesson", "person", "rule", "event", "fact", "goal", "workflow"]
Source = Literal["conversation", "cron", "observation", "inference", "external"]
LinkType = Literal["related", "caused", "contradicts", "supersedes", "part_of", "follows"]
EnrichmentStatus = Literal["pending", "done", "failed"]

THOUGHT_TYPES: tuple[str, ...] = get_args(ThoughtType)
STORES: tuple[str, ...] = get_args(Store)
CATEGORIES: tuple[str, ...] = get_args(Category)
SOURCES: tuple[str, ...] = get_args(Source)
LINK_TYPES: tuple[str, ...] = get_args(LinkType)

MAX_CONTENT_BYTES = 1_000_000
"""The largest content a memory may hold, in UTF-8 bytes; the table has the same CHECK."""
