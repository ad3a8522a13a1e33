"""What a thought is about, read from its words: one schema, filled by rules here or by a model elsewhere."""

from __future__ import annotations

from ._metadata import Metadata
from ._rules import EXTRACTOR, extract
from .summary import extractive_summary

__all__ = ["EXTRACTOR", "Metadata", "extract", "extractive_summary"]
