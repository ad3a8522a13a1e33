"""The database half of a twin for tests: a real client, without models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from pgcortex._core import Core
from pgcortex._settings import Settings
from pgcortex._transports._postgres import PostgresTransport
from pgcortex.mirror import BrainSource

NOWHERE = "host=/nonexistent dbname=none"


@contextmanager
def brain_source(dsn: str, owner_id: UUID, *, timeout: float = 10.0) -> Iterator[BrainSource]:
    """A source signed in as one owner; its connections are given back at the end."""
    transport = PostgresTransport(dsn, owner_id, timeout=timeout, pool_size=2)
    settings = Settings(embedder="none", extractor="none", redact=False)
    try:
        yield BrainSource(Core(settings, transport))
    finally:
        transport.close()
