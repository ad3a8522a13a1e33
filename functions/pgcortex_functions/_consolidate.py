"""Consolidation with a language model: groups of fading memories become one each."""

from __future__ import annotations

from pgcortex_functions._app import App
from pgcortex_functions._http import Call, Reply


def consolidate(app: App, call: Call) -> Reply:
    """Summarise groups of memories that are about to expire."""
    return Reply(200, {})
