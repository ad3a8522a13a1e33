"""Is this brain well? Each finding says what is so and what to do."""

from pgcortex.doctor._examine import examine
from pgcortex.doctor._finding import Finding, State

__all__ = ["Finding", "State", "examine"]
