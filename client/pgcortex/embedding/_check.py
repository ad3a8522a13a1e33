"""The start-up check: does this embedder fit the brain?"""

from __future__ import annotations

from pgcortex._errors import EmbeddingMismatch
from pgcortex.embedding._protocol import Embedder


def check_brain(embedder: Embedder, dimensions: int, model: str | None = None) -> None:
    """Raise `EmbeddingMismatch` unless `embedder` makes the vectors the brain stores.

    `dimensions` is the width of the brain's vector column; `model` the id beside its vectors, or None
    while it has none. The error names both numbers (or both models) and the way out.
    """
    if embedder.dimensions != dimensions:
        raise EmbeddingMismatch(
            f"the brain stores vectors of {dimensions} dimensions, "
            f"but {embedder.model} makes {embedder.dimensions}",
            hint=(
                f"choose an embedder of {dimensions} dimensions with PGCORTEX_EMBEDDER, "
                f"PGCORTEX_EMBEDDING_MODEL and PGCORTEX_EMBEDDING_DIMENSIONS, or change the brain with "
                f"`pgcortex reembed --to {embedder.model}`"
            ),
        )
    if model is not None and model != embedder.model:
        raise EmbeddingMismatch(
            f"the brain's vectors were made by {model}, but this embedder is {embedder.model}",
            hint=(
                f"vectors of two models cannot be compared: set the embedder back to {model}, "
                f"or run `pgcortex reembed --to {embedder.model}`"
            ),
        )
