"""What the entry points call: each takes the process's App, the caller, and a checked request."""

from __future__ import annotations

from pgcortex._errors import NotFound
from pgcortex_functions._app import App
from pgcortex_functions._capture import capture
from pgcortex_functions._consolidate import consolidate
from pgcortex_functions._enrich import enrich
from pgcortex_functions._health import health
from pgcortex_functions._http import Call, Reply
from pgcortex_functions._search import recall, search

__all__ = ["capture", "consolidate", "enrich", "health", "recall", "search", "unknown"]


def unknown(app: App, call: Call) -> Reply:
    """Refuse a path that is none of ours."""
    raise NotFound("there is no such function", hint="capture, search, recall, enrich, consolidate, health")
