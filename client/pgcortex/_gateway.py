"""Capture, search and recall through the cloud functions, for clients without an embedder of their own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from pgcortex import _errors as errors

if TYPE_CHECKING:
    import httpx

CAPTURED = frozenset(
    [
        "content",
        "title",
        "thought_type",
        "topics",
        "people",
        "actions",
        "store",
        "category",
        "tags",
        "source",
        "confidence",
        "valence",
        "arousal",
        "pinned",
        "metadata",
        "occurred_at",
        "due_at",
        "session_id",
        "namespace",
        "idempotency_key",
    ]
)
"""What the capture function takes; a thought with more (an import's id or vector) goes to the database."""

_KNOWN: dict[str, type[errors.CortexError]] = {
    kind.code: kind
    for kind in (
        errors.NotAuthorized,
        errors.NotFound,
        errors.Conflict,
        errors.SchemaOutOfDate,
        errors.EmbeddingMismatch,
        errors.DatabaseUnavailable,
        errors.QueryTimeout,
        errors.ProviderUnavailable,
        errors.ProviderRefused,
    )
}


class Gateway:
    """The functions at `url`, called as the user whose access token is sent."""

    def __init__(self, url: str, access_token: SecretStr | None, *, timeout: float = 30.0) -> None:
        self._url = url.rstrip("/")
        self._access_token = access_token
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"Gateway({self._url!r})"

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx  # a tenth of the package's import time, for those who have functions only

        token = self._access_token
        headers = {"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}
        return httpx.Client(headers=headers, timeout=self._timeout)

    def call(self, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Call one function with a JSON object; its JSON answer.

        Raises the errors of `pgcortex._errors`; ProviderUnavailable when the functions do not answer.
        """
        import httpx

        try:
            answer = self._client.post(f"{self._url}/{name}", json=dict(body))
        except httpx.HTTPError as error:
            raise errors.ProviderUnavailable(
                f"the functions cannot be reached ({type(error).__name__})",
                hint="check PGCORTEX_FUNCTIONS_URL",
            ) from None
        try:
            content = answer.json()
        except ValueError:
            content = None
        if answer.is_success and isinstance(content, dict):
            return content
        raise failure(answer.status_code, content)

    def close(self) -> None:
        """Give connections back."""
        if "_client" in self.__dict__:
            self._client.close()


def failure(status: int, content: Any) -> errors.CortexError:
    """The error that a function's answer stands for: `{"error": {code, message, field, hint}}`."""
    told = content.get("error") if isinstance(content, dict) else None
    if not isinstance(told, dict):
        if status in (401, 403):
            return errors.NotAuthorized("the functions refused the access token", hint="sign in again")
        return errors.ProviderUnavailable(f"the functions answered {status}", hint="try again in a moment")
    code, message = str(told.get("code")), str(told.get("message"))
    hint = told.get("hint")
    if code == errors.InvalidInput.code:
        field = str(told.get("field") or "arguments")
        return errors.InvalidInput(field, message.removeprefix(f"{field}: "), hint=hint)
    kind = errors.NotAuthorized if status in (401, 403) else _KNOWN.get(code)
    if kind is None:
        kind = errors.ProviderUnavailable if status >= 500 or status == 429 else errors.CortexError
    return kind(message, hint=hint)
