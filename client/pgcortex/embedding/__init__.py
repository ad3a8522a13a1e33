"""Text in, vectors out: one `Embedder` protocol, a local model and any OpenAI-compatible provider.

    embedder = create_embedder(Settings())
    [vector] = embedder.embed(["we decided to stay on Postgres"])

Nothing heavy is imported until an embedder is made.
"""

from __future__ import annotations

from pgcortex.embedding._check import check_brain
from pgcortex.embedding._factory import create_embedder
from pgcortex.embedding._protocol import Embedder, require_text
from pgcortex.embedding._thresholds import match_threshold_for

__all__ = ["Embedder", "check_brain", "create_embedder", "match_threshold_for", "require_text"]
