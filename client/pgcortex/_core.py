"""What every operation works with: a transport, and the local helpers that prepare text for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pgcortex._errors import DependencyMissing
from pgcortex._settings import Settings
from pgcortex._transports import Transport

if TYPE_CHECKING:
    from pgcortex._gateway import Gateway
    from pgcortex.embedding import Embedder
    from pgcortex.mirror import Mirror


@dataclass
class Core:
    """The parts of one client. Heavy ones (the embedder) are made when first needed."""

    settings: Settings
    transport: Transport
    embedder_override: Embedder | None = None
    _checked: bool = field(default=False, repr=False)
    _mirrored: Core | None = field(default=None, repr=False)
    """The client whose mirror this one writes for; it has the embedder of both."""

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedder of the settings; None when they say so or its extra is not installed."""
        if self.embedder_override is not None:
            return self.embedder_override
        if self._mirrored is not None:
            return self._mirrored.embedder
        from pgcortex.embedding import create_embedder

        try:
            return create_embedder(self.settings)
        except DependencyMissing:
            return None

    @cached_property
    def gateway(self) -> Gateway | None:
        """The cloud functions, where this client has no embedder and the settings name them."""
        if self.settings.functions_url is None or self.embedder is not None:
            return None
        from pgcortex._gateway import Gateway

        # A capture waits there for a language model, so it is given more time than a query.
        timeout = max(30.0, self.settings.timeout)
        return Gateway(self.settings.functions_url, self.settings.access_token, timeout=timeout)

    @cached_property
    def mirror(self) -> Mirror | None:
        """The markdown twin, where the settings name its folder."""
        if self.settings.mirror_dir is None or self._mirrored is not None:
            return None
        from pgcortex.mirror import BrainSource, Mirror

        return Mirror(self.settings.mirror_dir.expanduser(), BrainSource(self))

    def without_mirror(self) -> Core:
        """The same client for the mirror's own writes, which are not mirrored once more."""
        if self.settings.mirror_dir is None or self._mirrored is not None:
            return self
        return replace(self, _mirrored=self)

    def close(self) -> None:
        """Give connections back."""
        self.transport.close()
        if self.__dict__.get("gateway") is not None:
            self.__dict__["gateway"].close()

    def call(self, function: str, *, many: bool = False, repeatable: bool = False, **arguments: Any) -> Any:
        """One RPC; see `Transport.call`."""
        return self.transport.call(function, arguments, many=many, repeatable=repeatable)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of the texts, after one check that this brain holds vectors of the embedder's model.

        Raises EmbeddingMismatch, ProviderUnavailable, ProviderRefused.
        """
        assert self.embedder is not None
        if not self._checked:
            from pgcortex.embedding import check_brain

            stored = self.call("thought_stats", repeatable=True)
            check_brain(self.embedder, stored["embedding_dimensions"], stored["embedding_model"])
            self._checked = True
        return self.embedder.embed(texts)


def vector_text(vector: Sequence[float] | None) -> str | None:
    """A vector as pgvector's text form, which every PostgREST-compatible server takes."""
    if vector is None:
        return None
    return "[" + ",".join(["%.6g"] * len(vector)) % tuple(vector) + "]"
