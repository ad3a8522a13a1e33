"""What stands in for an OpenAI embedder without its key: nothing is embedded, and nothing else is held up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from pgcortex._openai_errors import missing_key
from pgcortex.embedding._thresholds import match_threshold_for
from pgcortex_functions._settings import FunctionSettings


class KeylessEmbedder:
    """Has the model and size that the settings name, so that they can be compared with the brain's."""

    def __init__(self, settings: FunctionSettings) -> None:
        self.dimensions = settings.embedding_dimensions
        self.model = f"{settings.embedding_model}@{self.dimensions}"
        self.match_threshold = match_threshold_for(settings.embedding_model)

    def embed(self, texts: Sequence[str]) -> NoReturn:
        """Raise `ProviderMisconfigured`, which names the setting."""
        raise missing_key()
