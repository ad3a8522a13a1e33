"""The command line: `pgcortex capture`, `search`, `list` and the rest; `--json` everywhere."""

from __future__ import annotations

import sys


def main() -> None:
    """Run one command; errors of the product are printed as one sentence with advice, exit code 1."""
    from pgcortex._errors import CortexError

    try:
        if sys.argv[1:] == ["mcp"]:
            # A host waits for this start: the other commands are not even imported.
            from pgcortex.mcp import serve_stdio

            return serve_stdio()
        from pgcortex.cli._app import app

        app(standalone_mode=True)
    except CortexError as error:
        from pgcortex.cli._output import fail

        sys.exit(fail(error))
    except BrokenPipeError:
        sys.exit(0)
    return None
