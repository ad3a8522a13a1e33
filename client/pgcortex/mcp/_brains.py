"""Whose brain a call is about: one for a whole stdio server, the bearer's over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from pgcortex._settings import Settings

if TYPE_CHECKING:
    from pgcortex._client import Cortex

Brains = Callable[[], "Cortex"]
"""Gives the brain of the call that is being answered; what it raises is told to the caller."""


class OneBrain:
    """The brain of the settings, opened when first needed, by whichever thread comes first.

    A brain that could not be opened is tried again at the next call: what was wrong may have been mended.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._brain: Cortex | None = None

    def __call__(self) -> Cortex:
        with self._lock:
            if self._brain is None:
                from pgcortex._client import Cortex

                self._brain = Cortex(self.settings)
            return self._brain

    def close(self) -> None:
        """Give connections back."""
        with self._lock:
            if self._brain is not None:
                self._brain.close()
                self._brain = None
