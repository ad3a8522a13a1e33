"""Cloud functions between any client and the RPCs: they hold the provider keys, clients never do."""

from __future__ import annotations

from pgcortex_functions._app import App, get_app
from pgcortex_functions._auth import User
from pgcortex_functions._http import Call, Reply, configure_logging, refuse, respond
from pgcortex_functions._settings import FunctionSettings, Misconfigured

__all__ = [
    "App",
    "Call",
    "FunctionSettings",
    "Misconfigured",
    "Reply",
    "User",
    "configure_logging",
    "get_app",
    "refuse",
    "respond",
]
