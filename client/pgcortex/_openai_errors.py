"""From the `openai` SDK's exceptions to ours: what may be retried, and nothing secret in a message.

A provider's own message is not passed on: it may echo the text that was sent or part of the key. Its
status and its machine-readable code are enough to act on.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import SecretStr

from pgcortex._errors import CortexError, ProviderRefused, ProviderUnavailable
from pgcortex._retry import retry_after_seconds

_CODE = re.compile(r"[A-Za-z0-9_.\-]{1,64}")
_RETRYABLE = frozenset({408, 409, 425, 429})

_HINTS = {
    401: "check PGCORTEX_OPENAI_API_KEY",
    403: "the key may not use this model",
    404: "check PGCORTEX_OPENAI_BASE_URL and the model's name",
}


class ProviderMisconfigured(ProviderRefused):
    """Refused whatever the text: the key, the model or the address is wrong."""


def lacks_key(base_url: str, key: SecretStr | None) -> bool:
    """Whether there is no key for OpenAI itself; servers of one's own often need none."""
    return key is None and base_url.startswith("https://api.openai.com")


def missing_key() -> ProviderMisconfigured:
    """Return the error of a call for which `lacks_key` holds."""
    return ProviderMisconfigured(
        "OpenAI needs a key: PGCORTEX_OPENAI_API_KEY is not set",
        hint="set it, or another PGCORTEX_OPENAI_BASE_URL",
    )


def translated(error: Exception, what: str) -> CortexError:
    """Return the error of ours for one of the SDK's; `what` names the call, as "the embedding model"."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return ProviderUnavailable(f"{what} did not answer in time")
    if isinstance(error, openai.APIStatusError):
        return _from_status(error, what)
    if isinstance(error, openai.APIConnectionError):
        return ProviderUnavailable(f"{what} could not be reached", hint="check PGCORTEX_OPENAI_BASE_URL")
    return ProviderRefused(f"{what} gave an answer that cannot be read ({type(error).__name__})")


def error_text(error: Exception) -> str:
    """Return what the provider said, for looking into, never for showing."""
    body = getattr(error, "body", None)
    return f"{_code(body) or ''} {body}" if body else str(error)


def _from_status(error: Any, what: str) -> CortexError:
    status = int(error.status_code)
    code = _code(error.body)
    named = f" ({code})" if code else ""
    message = f"{what} answered HTTP {status}{named}"
    if status in _RETRYABLE or status >= 500:
        if code == "insufficient_quota":
            return ProviderUnavailable(message, hint="the account's quota is used up", retry_after=3600.0)
        return ProviderUnavailable(message, retry_after=retry_after_seconds(error.response.headers))
    refused = ProviderMisconfigured if status in _HINTS else ProviderRefused
    return refused(message, hint=_HINTS.get(status))


def _code(body: Any) -> str | None:
    """Return the error's code or type where it looks like one."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(inner, dict):
        return None
    for key in ("code", "type"):
        value = inner.get(key)
        if isinstance(value, str) and _CODE.fullmatch(value):
            return value
    return None
