"""Entry points of the cloud functions; `serve` answers all of them by path."""

from __future__ import annotations

from collections.abc import Callable

import functions_framework
from flask import Request, Response

from pgcortex_functions import Call, Reply, User, configure_logging, endpoints, get_app, respond

configure_logging()


def _as_user(request: Request, name: str, endpoint: Callable[..., Reply]) -> Response:
    app = get_app()

    def run(call: Call) -> Reply:
        user: User = app.verifier.user(call.authorization)
        return endpoint(app, user, call)

    return respond(request, app.settings, name, run)


def _as_worker(request: Request, name: str, endpoint: Callable[..., Reply]) -> Response:
    app = get_app()

    def run(call: Call) -> Reply:
        app.verifier.worker(call.authorization)
        return endpoint(app, call)

    return respond(request, app.settings, name, run)


@functions_framework.http
def capture(request: Request) -> Response:
    """Store one thought of the caller."""
    return _as_user(request, "capture", endpoints.capture)


@functions_framework.http
def search(request: Request) -> Response:
    """Find thoughts of the caller; read only."""
    return _as_user(request, "search", endpoints.search)


@functions_framework.http
def recall(request: Request) -> Response:
    """Find thoughts of the caller, follow links, reinforce what is found."""
    return _as_user(request, "recall", endpoints.recall)


@functions_framework.http
def enrich(request: Request) -> Response:
    """Embed and tag what captures left open. For the worker."""
    return _as_worker(request, "enrich", endpoints.enrich)


@functions_framework.http
def consolidate(request: Request) -> Response:
    """Summarise groups of old memories. For the worker."""
    return _as_worker(request, "consolidate", endpoints.consolidate)


@functions_framework.http
def health(request: Request) -> Response:
    """Say whether the deployment is well."""
    app = get_app()
    return respond(request, app.settings, "health", lambda call: endpoints.health(app, call), method="GET")


_ROUTES = {function.__name__: function for function in (capture, search, recall, enrich, consolidate, health)}


@functions_framework.http
def serve(request: Request) -> Response:
    """All of the above under one address: `/capture`, `/search`, …"""
    name = request.path.strip("/").rsplit("/", 1)[-1]
    if name not in _ROUTES:
        return respond(request, get_app().settings, "unknown", endpoints.unknown, method=request.method)
    answer: Response = _ROUTES[name](request)
    return answer
