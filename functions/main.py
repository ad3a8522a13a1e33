"""Entry points of the cloud functions; `serve` answers all of them by path."""

from __future__ import annotations

from collections.abc import Callable

import functions_framework
from flask import Request, Response

from pgcortex_functions import (
    App,
    Call,
    Misconfigured,
    Reply,
    User,
    configure_logging,
    endpoints,
    get_app,
    refuse,
    respond,
)

configure_logging()


def _as_anyone(
    request: Request, name: str, endpoint: Callable[[App, Call], Reply], method: str = "POST"
) -> Response:
    try:
        app = get_app()
    except Misconfigured as error:
        return refuse(request, name, error)
    return respond(request, app.settings, name, lambda call: endpoint(app, call), method)


def _as_user(request: Request, name: str, endpoint: Callable[..., Reply]) -> Response:
    def run(app: App, call: Call) -> Reply:
        user: User = app.verifier.user(call.authorization)
        return endpoint(app, user, call)

    return _as_anyone(request, name, run)


def _as_worker(request: Request, name: str, endpoint: Callable[..., Reply]) -> Response:
    def run(app: App, call: Call) -> Reply:
        app.verifier.worker(call.authorization)
        return endpoint(app, call)

    return _as_anyone(request, name, run)


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
    return _as_anyone(request, "health", endpoints.health, method="GET")


_ROUTES = {function.__name__: function for function in (capture, search, recall, enrich, consolidate, health)}


@functions_framework.http
def serve(request: Request) -> Response:
    """All of the above under one address: `/capture`, `/search`, …"""
    name = request.path.strip("/").rsplit("/", 1)[-1]
    if name not in _ROUTES:
        return _as_anyone(request, "unknown", endpoints.unknown, method=request.method)
    answer: Response = _ROUTES[name](request)
    return answer
