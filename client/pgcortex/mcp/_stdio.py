"""Over standard input and output, where every line of output is protocol and nothing else (case C55)."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


class Wire:
    """Standard output, kept for the protocol: anything else that is printed goes to standard error.

    The SDK guards the descriptor while it serves. This guards the rest: libraries that print when they are
    imported, exit handlers, and text still buffered in `sys.stdout` when the server has ended.
    """

    def __init__(self) -> None:
        sys.stdout.flush()
        self._wire = os.dup(1)
        self._stdout = sys.stdout
        self.divert()

    def divert(self) -> None:
        """From here on both descriptor 1 and `sys.stdout` are standard error."""
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    @contextmanager
    def protocol(self) -> Iterator[None]:
        """Descriptor 1 is the wire inside, for the SDK to take over; diverted again afterwards."""
        os.dup2(self._wire, 1)
        sys.stdout = self._stdout
        try:
            yield
        finally:
            self.divert()


def serve_stdio() -> None:
    """Serve the brain of the settings until standard input ends."""
    wire = Wire()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # What makes the start slow is imported below, behind the guard. It makes a hundred thousand objects that
    # stay, and looking for garbage among them takes a tenth of the time.
    gc.disable()
    from pgcortex._settings import Settings, read_settings
    from pgcortex.mcp._background import Background
    from pgcortex.mcp._brains import OneBrain
    from pgcortex.mcp._server import build

    brain = OneBrain(read_settings(Settings))
    background = Background(brain)

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        # The SDK has taken the wire by now; a print must not wait in a buffer that leads there.
        sys.stdout = sys.stderr
        background.start()
        yield

    server = build(brain, lifespan=lifespan)
    gc.freeze()
    gc.enable()
    # A thread always waits for a line of standard input; an orderly end would wait for it, too.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        with wire.protocol():
            server.run("stdio")
    finally:
        if not background.stop():
            # It is inside a library (loading the model, say) that aborts when the interpreter goes away.
            sys.stderr.flush()
            os._exit(0)
        brain.close()
