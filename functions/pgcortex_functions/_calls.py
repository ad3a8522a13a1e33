"""Keeping count of what the providers were asked: one entry a call, for the cost table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pgcortex._errors import DependencyMissing
from pgcortex._openai_errors import ProviderMisconfigured
from pgcortex.embedding import Embedder


def model_call(purpose: str, model: str, input_tokens: int, output_tokens: int = 0) -> dict[str, Any]:
    """Return one row for the cost table; the price is looked up by the model's bare name."""
    return {
        "purpose": purpose,
        "model": model.split("@", 1)[0],
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
    }


class MeteredEmbedder:
    """An embedder that notes its calls in `calls`; the local model costs nothing and is not noted.

    A package that it lacks is a fault of the deployment, as a wrong key is: no thought is lost by it.
    """

    def __init__(self, embedder: Embedder, calls: list[dict[str, Any]]) -> None:
        self._embedder = embedder
        self._calls = calls
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.match_threshold = embedder.match_threshold

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `Embedder.embed`; raises `ProviderMisconfigured` for `DependencyMissing`."""
        counted = getattr(self._embedder, "embed_counted", None)
        if counted is None:
            try:
                return self._embedder.embed(texts)
            except DependencyMissing as error:
                raise ProviderMisconfigured(error.message, hint=error.hint) from error
        vectors, tokens = counted(texts)
        self._calls.append(model_call("embedding", self.model, tokens))
        found: list[list[float]] = vectors
        return found
