"""The commands, gathered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pgcortex.cli import (
    _doctor,
    _install,
    _mcp,
    _memory,
    _mirror,
    _reembed,
    _server,
    _sessions,
    _thoughts,
    _transfer,
)
from pgcortex.cli._options import state

app = typer.Typer(
    name="pgcortex",
    help="Memory for AI agents that lives in your own Postgres.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    data_dir: Annotated[
        Path | None,
        typer.Option(help="The local brain's directory.", envvar="PGCORTEX_DATA_DIR", show_default=False),
    ] = None,
) -> None:
    """Options that every command takes, before its name."""
    state.data_dir = data_dir


for module in (_server, _thoughts, _memory, _sessions, _transfer, _mirror, _mcp, _install, _doctor, _reembed):
    module.register(app)
