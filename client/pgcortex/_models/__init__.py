"""What the operations answer with."""

from pgcortex._models._life import (
    Brief,
    Changed,
    Decisions,
    Forgotten,
    Link,
    MemoryStats,
    Reason,
    Restored,
    Survey,
    Used,
)
from pgcortex._models._review import Resolved, Review, Superseded
from pgcortex._models._thoughts import (
    Backlog,
    Captured,
    Count,
    Explanation,
    Hit,
    Hits,
    Memory,
    Model,
    Stats,
    Thought,
)
from pgcortex._models._wake import Checkpoint, LastCheckpoint, Wake

__all__ = [
    "Backlog",
    "Brief",
    "Captured",
    "Changed",
    "Checkpoint",
    "Count",
    "Decisions",
    "Explanation",
    "Forgotten",
    "Hit",
    "Hits",
    "LastCheckpoint",
    "Link",
    "Memory",
    "MemoryStats",
    "Model",
    "Reason",
    "Resolved",
    "Restored",
    "Review",
    "Stats",
    "Superseded",
    "Survey",
    "Thought",
    "Used",
    "Wake",
]
