"""What every embedder promises, and the check on its input that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pgcortex._errors import InvalidInput


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of one size by one model.

    `model` is the id stored beside every vector; vectors of different ids are never compared.
    `match_threshold` is the cosine similarity below which a hit is noise for this model.
    """

    @property
    def model(self) -> str:
        """The id stored beside each vector, such as `text-embedding-3-small@1536`."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def match_threshold(self) -> float:
        """Cosine similarity in 0–1, calibrated for this model."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one L2-normalised vector per text, in order, whatever the texts' lengths.

        Raises `InvalidInput` for a blank text (before any work), `ProviderUnavailable` when a retry
        later may help, `ProviderRefused` and `EmbeddingMismatch` when it will not.
        """
        ...


def require_text(texts: Sequence[str]) -> list[str]:
    """Return `texts` with lone surrogates replaced, or refuse the first blank one by its position.

    A blank string has no meaning to embed, and strict providers reject the whole batch for one.
    """
    if isinstance(texts, str):
        raise InvalidInput("texts", "a list of texts is expected, not one string")
    for position, text in enumerate(texts):
        if not text.strip():
            raise InvalidInput(f"texts[{position}]", "the text is blank, so there is nothing to embed")
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
