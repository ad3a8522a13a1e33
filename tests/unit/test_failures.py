"""What databases, APIs and functions say, and the error that a caller gets for it."""

from __future__ import annotations

from typing import Any

import pytest

from pgcortex import _errors as errors
from pgcortex._gateway import failure
from pgcortex._transports import failure_from


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        ("PGRST202", errors.SchemaOutOfDate, "supabase db push"),
        ("PGRST203", errors.SchemaOutOfDate, "supabase db push"),
        ("42883", errors.SchemaOutOfDate, "pgcortex up"),
        ("PGRST301", errors.NotAuthorized, "sign in again"),
        ("42501", errors.NotAuthorized, "sign in again"),
        ("PT404", errors.NotFound, ""),
        ("PT410", errors.NotFound, ""),
        ("PT409", errors.Conflict, ""),
        ("57014", errors.QueryTimeout, "narrow the search"),
        ("08006", errors.DatabaseUnavailable, "try again"),
        ("53300", errors.DatabaseUnavailable, "try again"),
        ("503", errors.DatabaseUnavailable, "try again"),
        ("PGRST000", errors.DatabaseUnavailable, "try again"),
        ("22P02", errors.InvalidInput, ""),
        ("XX000", errors.CortexError, ""),
        (None, errors.CortexError, ""),
    ],
)
def test_a_code_becomes_the_right_error_with_advice(
    code: str | None, kind: type[errors.CortexError], advice: str
) -> None:
    """Cases C03 and C05: the code of a library is not what a person has to understand."""
    error = failure_from(code, "what the server said")
    assert type(error) is kind
    assert advice in (error.hint or "")
    assert "what the server said" in str(error) or kind is errors.QueryTimeout


def test_a_refused_value_names_its_field_and_keeps_the_hint() -> None:
    error = failure_from("PT400", "content: is blank", "send words", '{"field": "content"}')
    assert isinstance(error, errors.InvalidInput)
    assert (error.field, error.message, error.hint) == ("content", "content: is blank", "send words")


def test_details_that_quote_a_row_are_not_passed_on() -> None:
    error = failure_from("23505", "duplicate key", None, "Key (content)=(my secret) already exists.")
    assert isinstance(error, errors.Conflict)
    assert "my secret" not in str(error)


@pytest.mark.parametrize(
    ("status", "told", "kind"),
    [
        (
            400,
            {"code": "invalid_input", "message": "content: is blank", "field": "content"},
            errors.InvalidInput,
        ),
        (401, {"code": "not_authorized", "message": "expired"}, errors.NotAuthorized),
        (403, {"code": "forbidden", "message": "not a user"}, errors.NotAuthorized),
        (404, {"code": "not_found", "message": "nothing there"}, errors.NotFound),
        (503, {"code": "database_unavailable", "message": "away"}, errors.DatabaseUnavailable),
        (502, {"code": "provider_refused", "message": "bad key"}, errors.ProviderRefused),
        (500, {"code": "internal", "message": "oops"}, errors.ProviderUnavailable),
        (413, {"code": "too_large", "message": "too large"}, errors.CortexError),
        (502, None, errors.ProviderUnavailable),
        (401, None, errors.NotAuthorized),
    ],
)
def test_an_answer_of_the_functions_becomes_the_same_errors(
    status: int, told: dict[str, Any] | None, kind: type[errors.CortexError]
) -> None:
    error = failure(status, {"error": told} if told else "<html>")
    assert type(error) is kind
    if isinstance(error, errors.InvalidInput):
        assert (error.field, error.message) == ("content", "content: is blank")
