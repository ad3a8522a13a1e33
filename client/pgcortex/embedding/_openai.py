"""Any OpenAI-compatible embeddings endpoint, through the `openai` SDK."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from pydantic import SecretStr

from pgcortex._errors import DependencyMissing, InvalidInput, ProviderRefused
from pgcortex._openai_errors import error_text, lacks_key, translated
from pgcortex._retry import RetryPolicy, retrying
from pgcortex._settings import Settings
from pgcortex.embedding._chunking import estimate_tokens, text_windows
from pgcortex.embedding._protocol import require_text
from pgcortex.embedding._replies import read_reply
from pgcortex.embedding._thresholds import match_threshold_for
from pgcortex.embedding._vectors import averaged

# The context of the models people run, in tokens; the published names' prefixes. 512 is that of BERT and
# of most small models, so it is what an unknown one is given.
_CONTEXT = {
    "text-embedding-3": 8191,
    "text-embedding-ada-002": 8191,
    "bge-m3": 8192,
    "nomic-embed-text": 2048,
    "all-minilm": 256,
}
_UNKNOWN_CONTEXT = 512
_MARGIN = 0.9
_TEXTS_PER_CALL = 256
_TOKENS_PER_CALL = 100_000
_SMALLEST_WINDOW = 32
_TOO_LONG = re.compile(r"context.?(length|size|window)|too (long|large)|maximum.{0,40}(token|length)", re.I)


class OpenAIEmbedder:
    """One model behind an OpenAI-compatible base URL.

    `dimensions` is what every vector must have; it is asked for only of the models that can shorten their
    vectors (text-embedding-3). `policy` bounds the retries of each request.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: SecretStr | None,
        name: str,
        dimensions: int,
        timeout: float = 10.0,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = _client(base_url, api_key, timeout)
        self._name = name
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._window = int(_context(name) * _MARGIN)
        self.dimensions = dimensions
        self.model = f"{name}@{dimensions}"
        self.match_threshold = match_threshold_for(name)

    @classmethod
    def from_settings(cls, settings: Settings, *, policy: RetryPolicy | None = None) -> OpenAIEmbedder:
        """Return the embedder that the settings describe. Raises `InvalidInput` without a needed key."""
        if lacks_key(settings.openai_base_url, settings.openai_api_key):
            raise InvalidInput("openai_api_key", "OpenAI needs a key", hint="set PGCORTEX_OPENAI_API_KEY")
        return cls(
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            name=settings.embedding_model,
            dimensions=settings.embedding_dimensions,
            timeout=settings.timeout,
            policy=policy,
        )

    def __repr__(self) -> str:
        return f"OpenAIEmbedder(model={self.model!r})"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector per text, in order. See `Embedder.embed` for the errors."""
        return self.embed_counted(texts)[0]

    def embed_counted(self, texts: Sequence[str]) -> tuple[list[list[float]], int]:
        """Return what `embed` returns, and the tokens the provider billed for it."""
        clean = require_text(texts)
        window = self._window
        while True:
            try:
                found = self._embed_windowed(clean, window)
                self._window = window
                return found
            except _TooLongError as error:
                # The model's context is smaller than we know: cut finer rather than lose the text.
                if window // 2 < _SMALLEST_WINDOW:
                    raise ProviderRefused(
                        f"{self._name} finds even {window} tokens too long", hint="choose another model"
                    ) from error
                window //= 2

    def _embed_windowed(self, texts: list[str], window: int) -> tuple[list[list[float]], int]:
        pieces: list[str] = []
        owners: list[int] = []
        for position, text in enumerate(texts):
            parts = text_windows(text, window, window // 8)
            pieces.extend(parts)
            owners.extend([position] * len(parts))
        vectors: list[list[list[float]]] = [[] for _ in texts]
        tokens = done = 0
        for batch in _batches(pieces):
            replies, billed = retrying(partial(self._request, batch), self._policy, sleep=self._sleep)
            tokens += billed
            for owner, vector in zip(owners[done : done + len(batch)], replies, strict=True):
                vectors[owner].append(vector)
            done += len(batch)
        return [averaged(own) for own in vectors], tokens

    def _request(self, batch: list[str]) -> tuple[list[list[float]], int]:
        """Send one request and read its reply."""
        import openai

        wanted: dict[str, Any] = {"model": self._name, "input": batch, "encoding_format": "float"}
        if self._name.startswith("text-embedding-3"):
            wanted["dimensions"] = self.dimensions
        try:
            # Read as it is: `read_reply` trusts less than the SDK's model of a reply does.
            reply = self._client.post("/embeddings", cast_to=str, body=wanted)
        except openai.BadRequestError as error:
            if _TOO_LONG.search(error_text(error)):
                raise _TooLongError from error
            raise translated(error, "the embedding model") from None
        except openai.OpenAIError as error:
            raise translated(error, "the embedding model") from None
        return read_reply(reply, count=len(batch), dimensions=self.dimensions, model=self._name)


class _TooLongError(Exception):
    """The model found an input longer than its context."""


def _context(name: str) -> int:
    tail = name.rsplit("/", 1)[-1].lower()
    return next((size for prefix, size in _CONTEXT.items() if tail.startswith(prefix)), _UNKNOWN_CONTEXT)


def _batches(pieces: list[str]) -> Iterator[list[str]]:
    """Yield runs of pieces that stay within one request's limits on inputs and tokens."""
    batch: list[str] = []
    tokens = 0
    for piece in pieces:
        cost = estimate_tokens(piece)
        if batch and (len(batch) == _TEXTS_PER_CALL or tokens + cost > _TOKENS_PER_CALL):
            yield batch
            batch, tokens = [], 0
        batch.append(piece)
        tokens += cost
    if batch:
        yield batch


def _client(base_url: str, api_key: SecretStr | None, timeout: float) -> Any:
    try:
        import openai
    except ImportError as error:
        raise DependencyMissing(
            "this embedder needs the openai package", hint='pip install "pgcortex[openai]"'
        ) from error
    # Servers on one's own machine often take no key, but the SDK insists on some string.
    secret = api_key.get_secret_value() if api_key is not None else "none"
    return openai.OpenAI(base_url=base_url, api_key=secret, timeout=timeout, max_retries=0)
