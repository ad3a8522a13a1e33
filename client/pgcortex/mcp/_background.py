"""Beside the protocol: open the brain before it is asked for, and look after a local one every hour."""

from __future__ import annotations

import logging
import threading

from pgcortex._errors import CortexError
from pgcortex.mcp._brains import OneBrain

EVERY = 3600.0
"""Seconds between two rounds of upkeep."""

HEAD_START = 1.0
"""Seconds that the host's first requests get before this thread takes its share of the processor."""

log = logging.getLogger("pgcortex.mcp")


class Background:
    """A daemon thread; a failure is logged to standard error and tried again at the next round."""

    def __init__(self, brain: OneBrain, every: float = EVERY) -> None:
        self._brain = brain
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pgcortex upkeep", daemon=True)

    def start(self) -> None:
        """Begin, once."""
        if not self._thread.is_alive() and not self._ended.is_set():
            self._thread.start()

    def stop(self) -> bool:
        """End after the step in hand, waiting for it at most two seconds; whether it has ended."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(2)
        return not self._thread.is_alive()

    def _run(self) -> None:
        self._ended.wait(HEAD_START)
        while not self._ended.is_set():
            try:
                self._round()
            except CortexError as error:
                log.warning("upkeep: %s", error)
            except Exception:
                log.exception("upkeep failed")
            self._ended.wait(self._every)

    def _round(self) -> None:
        core = self._brain().core
        if core.embedder is not None and not self._ended.is_set():
            core.embed(["warm"])
        if not self._ended.is_set():
            from pgcortex._upkeep import keep_up

            done = keep_up(core)
            log.info("upkeep: %d jobs, %d enriched", len(done.jobs), done.enriched)
