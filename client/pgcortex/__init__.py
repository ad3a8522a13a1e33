"""Memory for AI agents that lives in your own Postgres."""

from pgcortex._client import AsyncCortex, Cortex
from pgcortex._errors import (
    Conflict,
    CortexError,
    DatabaseUnavailable,
    DependencyMissing,
    EmbeddingMismatch,
    InvalidInput,
    LocalBrainError,
    NotAuthorized,
    NotFound,
    ProviderRefused,
    ProviderUnavailable,
    QueryTimeout,
    SchemaOutOfDate,
)
from pgcortex._models import Backlog, Captured, Count, Explanation, Hit, Hits, Memory, Stats, Thought
from pgcortex._operations._search import Filters
from pgcortex._settings import Settings

__all__ = [
    "AsyncCortex",
    "Backlog",
    "Captured",
    "Conflict",
    "Cortex",
    "CortexError",
    "Count",
    "DatabaseUnavailable",
    "DependencyMissing",
    "EmbeddingMismatch",
    "Explanation",
    "Filters",
    "Hit",
    "Hits",
    "InvalidInput",
    "LocalBrainError",
    "Memory",
    "NotAuthorized",
    "NotFound",
    "ProviderRefused",
    "ProviderUnavailable",
    "QueryTimeout",
    "SchemaOutOfDate",
    "Settings",
    "Stats",
    "Thought",
]
