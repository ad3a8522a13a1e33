"""From an HTTP request to an answer: what may come in, how errors look, what is logged."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flask import Request, Response
from pydantic import BaseModel, ValidationError

from pgcortex import _errors as errors
from pgcortex_functions._auth import Forbidden
from pgcortex_functions._settings import FunctionSettings, Misconfigured

# Far more than anybody means, far less than Python or Postgres can follow.
_MOST_LEVELS = 64
_REQUEST_ID = re.compile(r"[\w\-.]{1,64}")
_ALLOWED_HEADERS = "authorization, content-type, idempotency-key, x-request-id, apikey, x-client-info"

# The first that fits; anything else is 500.
_STATUS: list[tuple[type[errors.CortexError], int]] = [
    (errors.InvalidInput, 400),
    (Forbidden, 403),
    (errors.NotAuthorized, 401),
    (errors.NotFound, 404),
    (errors.Conflict, 409),
    (errors.QueryTimeout, 504),
    (errors.DatabaseUnavailable, 503),
    (errors.ProviderUnavailable, 503),
    (Misconfigured, 503),
    (errors.ProviderRefused, 502),
]

logger = logging.getLogger("pgcortex.functions")


class HttpError(errors.CortexError):
    """A request that is wrong as HTTP: its method, type or size."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}


@dataclass(frozen=True)
class Call:
    """A request that passed the checks."""

    body: dict[str, Any]
    authorization: str | None
    idempotency_key: str | None
    request_id: str


@dataclass(frozen=True)
class Reply:
    """A status and a JSON object; `facts` are numbers and flags for the log line."""

    status: int
    body: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)


def respond(
    request: Request,
    settings: FunctionSettings,
    route: str,
    endpoint: Callable[[Call], Reply],
    method: str = "POST",
) -> Response:
    """Answer one request: check it, call `endpoint`, turn every error into JSON, write one log line."""
    started = time.monotonic()
    request_id = _request_id(request)
    headers = {"x-request-id": request_id} | _cors(request, settings)
    facts: dict[str, Any] = {}
    if request.method == "OPTIONS":
        return Response(status=204, headers=headers | {"access-control-allow-methods": f"{method}, OPTIONS"})
    try:
        reply = endpoint(_read(request, settings, method, request_id))
        status, body, facts = reply.status, reply.body, reply.facts
    except Exception as error:
        status, body, more = _failure(error)
        headers |= more
        facts = {"error_code": body["error"]["code"], "error_type": type(error).__name__}
        if status == 500:
            facts["where"] = _where(error)
    _log(route, request.method, status, request_id, time.monotonic() - started, facts)
    return _json(status, body, headers)


def refuse(request: Request, route: str, error: errors.CortexError) -> Response:
    """Answer with `error` where there are no settings to `respond` by, and write one log line."""
    request_id = _request_id(request)
    status, body, headers = _failure(error)
    _log(route, request.method, status, request_id, 0.0, {"error_code": error.code, "why": str(error)})
    return _json(status, body, headers | {"x-request-id": request_id})


def parsed(model: type[BaseModel], body: dict[str, Any]) -> Any:
    """Return `body` as `model`, or refuse the first field that does not fit. The value is not quoted."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "body"
        raise errors.InvalidInput(name, first["msg"]) from None


def _read(request: Request, settings: FunctionSettings, method: str, request_id: str) -> Call:
    if request.method != method:
        raise HttpError(405, "method_not_allowed", f"use {method}", headers={"allow": f"{method}, OPTIONS"})
    body: Any = {}
    if method == "POST":
        if request.mimetype != "application/json":
            raise HttpError(415, "unsupported_media_type", "send application/json")
        limit = settings.max_body_bytes
        raw = request.stream.read(limit + 1) if (request.content_length or 0) <= limit else None
        if raw is None or len(raw) > limit:
            raise HttpError(413, "too_large", f"the body may hold {limit:,} bytes")
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            raise HttpError(400, "invalid_json", "the body is not JSON") from None
        except RecursionError:
            raise HttpError(
                400, "invalid_json", f"the body is nested more than {_MOST_LEVELS} levels deep"
            ) from None
        if not isinstance(body, dict):
            raise HttpError(400, "invalid_json", "the body must be a JSON object")
        for name, value in body.items():
            if _is_too_deep(value):
                raise errors.InvalidInput(name, f"is nested more than {_MOST_LEVELS} levels deep")
    return Call(
        body, request.headers.get("authorization"), request.headers.get("idempotency-key"), request_id
    )


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MOST_LEVELS + 1):
        inner = [
            item.values() if isinstance(item, dict) else item
            for item in level
            if isinstance(item, dict | list)
        ]
        level = [item for items in inner for item in items]
        if not level:
            return False
    return True


def _failure(error: Exception) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Return the status, body and headers for an error."""
    if not isinstance(error, errors.CortexError):
        unexpected = errors.CortexError(
            "something went wrong here", hint="the log has the details under the request id"
        )
        return 500, _error_body(unexpected), {}
    headers: dict[str, str] = {}
    if isinstance(error, HttpError):
        return error.status, _error_body(error), error.headers
    status = next((number for kind, number in _STATUS if isinstance(error, kind)), 500)
    if error.retryable:
        headers["retry-after"] = str(max(1, round(getattr(error, "retry_after", None) or 1)))
    return status, _error_body(error), headers


def _error_body(error: errors.CortexError) -> dict[str, Any]:
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "field": getattr(error, "field", None),
            "hint": error.hint,
        }
    }


def _request_id(request: Request) -> str:
    given = request.headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _json(status: int, body: dict[str, Any], headers: dict[str, str]) -> Response:
    return Response(
        json.dumps(body, default=str), status=status, headers=headers, content_type="application/json"
    )


def _cors(request: Request, settings: FunctionSettings) -> dict[str, str]:
    origin = request.headers.get("origin")
    if not origin or not ({"*", origin} & set(settings.cors_origins)):
        return {}
    return {
        "access-control-allow-origin": origin,
        "access-control-allow-headers": _ALLOWED_HEADERS,
        "access-control-expose-headers": "x-request-id, retry-after",
        "access-control-max-age": "3600",
        "vary": "origin",
    }


def _where(error: Exception) -> list[str]:
    """Return the lines of code an error came through; its message may hold content and stays out."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames[-6:]]


def _log(
    route: str, method: str, status: int, request_id: str, seconds: float, facts: dict[str, Any]
) -> None:
    severity = "ERROR" if status >= 500 else "WARNING" if status >= 400 else "INFO"
    line = {"severity": severity, "message": f"{method} {route} {status}", "route": route, "status": status}
    line |= {"request_id": request_id, "milliseconds": round(seconds * 1000, 1)} | facts
    logger.info(json.dumps(line, default=str))


def configure_logging() -> None:
    """Let the log lines out on stderr as they are, one JSON object each."""
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
