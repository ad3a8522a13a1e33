"""`mcp`: the memory as a server for AI hosts."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from pgcortex.cli._options import state


def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine's need sign-in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8765,
) -> None:
    """Serve the memory to Claude, Cursor, VS Code and other hosts that speak MCP."""
    from pgcortex.mcp import serve_http, serve_stdio

    if state.data_dir:
        os.environ["PGCORTEX_DATA_DIR"] = str(state.data_dir)
    if http:
        serve_http(host, port)
    else:
        serve_stdio()


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(mcp)
