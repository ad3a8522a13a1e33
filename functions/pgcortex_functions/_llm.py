"""One call to a language model behind any OpenAI-compatible base URL, answered by a JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from pydantic import SecretStr

from pgcortex._errors import DependencyMissing, InvalidInput, ProviderRefused, ProviderUnavailable
from pgcortex._openai_errors import error_text, lacks_key, missing_key, translated
from pgcortex._retry import RetryPolicy, retrying

_WHAT = "the language model"
_MOST_OUTPUT_TOKENS = 4000
# What a server without structured outputs is asked for instead, in this order.
_FORMATS = ("json_schema", "json_object", None)
# Which of these a server refused before, by base URL and model.
_learnt: dict[tuple[str, str], dict[str, Any]] = {}


class ModelSettings(Protocol):
    """The settings a call reads; `FunctionSettings` has them."""

    @property
    def llm_model(self) -> str | None: ...
    @property
    def openai_base_url(self) -> str: ...
    @property
    def openai_api_key(self) -> SecretStr | None: ...
    @property
    def timeout(self) -> float: ...
    @property
    def provider_attempts(self) -> int: ...
    @property
    def provider_wait(self) -> float: ...


@dataclass(frozen=True)
class Usage:
    """The tokens a call was billed for, 0 if the server does not say; prices are in `cortex.model_prices`."""

    model: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Completion:
    """What the model wrote, and what it cost."""

    text: str
    usage: Usage


class UnreadableAnswer(ProviderUnavailable):
    """The model answered, and was paid for, but not with what was asked; another try may do better.

    Unlike an outage it counts as an attempt: a thought that always gets such an answer must not be asked
    about for ever. It is never "nothing found". `usage` is what the answer cost.
    """

    code = "unreadable_answer"

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


def complete(
    messages: Sequence[Mapping[str, str]], *, name: str, schema: Mapping[str, Any], settings: ModelSettings
) -> Completion:
    """Return the model's answer to `messages`, shaped by the JSON `schema` where the server can do that.

    Timeouts, 429 and 5xx are tried `provider_attempts` times. Raises `ProviderUnavailable` when that does not
    help, `ProviderRefused` for a missing or wrong key, model or request and when the model declines,
    `UnreadableAnswer` when the reply holds no text, and `InvalidInput` without a model.
    """
    if not settings.llm_model:
        raise InvalidInput("llm_model", "no language model is set", hint="set PGCORTEX_LLM_MODEL")
    policy = RetryPolicy(attempts=settings.provider_attempts, cap=settings.provider_wait)
    body = retrying(lambda: _send(messages, name, schema, settings), policy)
    return _read(body, settings.llm_model)


def _send(
    messages: Sequence[Mapping[str, str]], name: str, schema: Mapping[str, Any], settings: ModelSettings
) -> str:
    """One request; what an older server does not know is left out and remembered."""
    import openai

    model = str(settings.llm_model)
    client = _client(settings.openai_base_url, _key(settings), settings.timeout)
    options = _learnt.setdefault(
        (settings.openai_base_url, model),
        {"temperature": 0, "max_completion_tokens": _MOST_OUTPUT_TOKENS, "response_format": _FORMATS[0]},
    )
    while True:
        asked = {
            k: _format(v, name, schema) if k == "response_format" else v
            for k, v in options.items()
            if v is not None
        }
        try:
            # Sent and read as it is: the SDK's typed call walks every message and the schema each time.
            reply: str = client.post(
                "/chat/completions", cast_to=str, body={"model": model, "messages": messages, **asked}
            )
        except openai.BadRequestError as error:
            if not _learn(options, asked, error_text(error)):
                raise translated(error, _WHAT) from None
        except openai.OpenAIError as error:
            raise translated(error, _WHAT) from None
        else:
            return reply


def _format(kind: str, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


def _learn(options: dict[str, Any], asked: Mapping[str, Any], complaint: str) -> bool:
    """Whether a refusal names an option that can be done without; it is then not sent again."""
    if "response_format" in asked and re.search(r"response_format|json_schema|json_object", complaint):
        kind = asked["response_format"]["type"]
        options["response_format"] = _FORMATS[_FORMATS.index(kind) + 1]
        return True
    for option in ("temperature", "max_completion_tokens"):
        if option in asked and option in complaint:
            options[option] = None
            return True
    return False


def _read(body: str, model: str) -> Completion:
    try:
        reply = json.loads(body)
        usage = _usage(reply.get("usage"), model)
        choice = reply["choices"][0]
        message = choice["message"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise UnreadableAnswer(f"{_WHAT}'s reply is not a chat completion", Usage(model, 0, 0)) from None
    if isinstance(message, dict) and (
        message.get("refusal") or choice.get("finish_reason") == "content_filter"
    ):
        raise ProviderRefused(f"{_WHAT} declined to read this text")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not isinstance(content, str) or not content.strip():
        raise UnreadableAnswer(f"{_WHAT} answered with no text", usage)
    return Completion(content, usage)


def _usage(given: Any, model: str) -> Usage:
    counts = given if isinstance(given, dict) else {}
    tokens = [counts.get(name) for name in ("prompt_tokens", "completion_tokens")]
    sent, answered = (n if isinstance(n, int) and 0 <= n < 2**31 else 0 for n in tokens)
    return Usage(model, sent, answered)


def _key(settings: ModelSettings) -> str:
    if lacks_key(settings.openai_base_url, settings.openai_api_key):
        raise missing_key()
    # The SDK insists on one; servers of one's own often need none.
    return settings.openai_api_key.get_secret_value() if settings.openai_api_key is not None else "none"


@cache
def _client(base_url: str, key: str, timeout: float) -> Any:
    """One client, so one pool of connections, per server and key; safe to share between threads."""
    try:
        import openai
    except ImportError as error:
        raise DependencyMissing(
            "the openai package is not installed", hint="pip install 'pgcortex[openai]'"
        ) from error
    return openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=0)
