"""Everything a brain holds, in files that outlive it."""

from __future__ import annotations

from ._jsonl import export_jsonl
from ._markdown import Exported, export_markdown

__all__ = ["Exported", "export_jsonl", "export_markdown"]
