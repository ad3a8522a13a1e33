"""One table from what the database or PostgREST says to the error a caller gets."""

from __future__ import annotations

import json

from pgcortex._errors import (
    Conflict,
    CortexError,
    DatabaseUnavailable,
    InvalidInput,
    NotAuthorized,
    NotFound,
    QueryTimeout,
    SchemaOutOfDate,
)

_NOT_AUTHORIZED = {"PT401", "PT403", "42501", "PGRST301", "PGRST302", "PGRST303", "401", "403"}
_SCHEMA = {"PGRST202", "PGRST203", "PGRST204", "PGRST205", "42883", "42P01", "42703", "3F000"}
_INVALID = {"22P02", "22P05", "22021", "22023", "22000", "22007", "22008", "22003", "23514", "23502", "400"}
_CALLED = {"match_count": "limit", "match_threshold": "threshold", "query_text": "query"}
"""What callers know under another name than the database."""
_UPDATE_HINT = (
    "bring the database up to date with `supabase db push` (hosted) or `pgcortex up` (local), "
    "or update pgcortex"
)


def failure_from(
    code: str | None, message: str, hint: str | None = None, details: str | None = None
) -> CortexError:
    """The error for an SQLSTATE, a PostgREST code or an HTTP status.

    The field of a refused value is in `details` as {"field": …}. Row contents that the server may quote
    there are never passed on.
    """
    code = code or ""
    if code == "PT400" or code in _INVALID:
        field = _field(details) or "arguments"
        return InvalidInput(_CALLED.get(field, field), message.removeprefix(f"{field}: "), hint=hint)
    if code in _NOT_AUTHORIZED:
        return NotAuthorized(message, hint=hint or "sign in again and send the user's access token")
    if code in {"PT404", "PT410", "404", "410"}:
        return NotFound(message, hint=hint)
    if code in {"PT409", "23505", "23503"}:
        return Conflict(message, hint=hint)
    if code in _SCHEMA:
        return SchemaOutOfDate(f"the database does not know this call: {message}", hint=_UPDATE_HINT)
    if code == "57014":
        return QueryTimeout(
            "the database ended the query at its time limit", hint="try again, or narrow the search"
        )
    if (
        code[:2] in {"08", "53"}
        or code[:3] == "57P"
        or (code[:1] == "5" and code.isdigit())
        or code.startswith("PGRST00")
    ):
        return DatabaseUnavailable(message, hint=hint or "try again in a moment")
    return CortexError(message, hint=hint)


def _field(details: str | None) -> str | None:
    try:
        found = json.loads(details or "")
    except ValueError:
        return None
    return found.get("field") if isinstance(found, dict) else None
