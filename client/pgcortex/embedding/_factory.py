"""From settings to an embedder."""

from __future__ import annotations

from pgcortex._settings import Settings
from pgcortex.embedding._protocol import Embedder


def create_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that `settings` names, or None for `embedder="none"`.

    Raises `DependencyMissing` when the extra it needs is not installed, and `InvalidInput` when a
    setting it needs is missing.
    """
    if settings.embedder == "local":
        from pgcortex.embedding._local import LocalEmbedder

        return LocalEmbedder()
    if settings.embedder == "openai":
        from pgcortex.embedding._openai import OpenAIEmbedder

        return OpenAIEmbedder.from_settings(settings)
    return None
