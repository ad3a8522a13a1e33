"""`install`: put the memory into an AI host's configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from pgcortex.cli._options import Json, settings
from pgcortex.cli._output import console, print_json


def install(
    host: Annotated[str, typer.Argument(help="claude-desktop, claude-code, cursor or vscode.")],
    url: Annotated[
        str | None,
        typer.Option(help="A server on the network instead, such as https://memory.example.com/mcp."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="The host's file, when it is in another place.")] = None,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Write keys and tokens into the host's file, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Add the memory to an AI host, after showing the change; what was there is kept as a backup."""
    from pgcortex import hosts

    chosen = hosts.host_called(host)
    here = settings()
    entry = (
        hosts.remote_entry(chosen, url) if url else hosts.local_entry(chosen, here, with_secrets=with_secrets)
    )
    change = hosts.plan(chosen, config or chosen.path(), entry)
    backup: Path | None = None
    if change.needed:
        if not as_json:
            console.print(Text(change.diff))
        if not yes:
            typer.confirm(f"Write {change.path}?", abort=True)
        backup = hosts.write(change)
    if as_json:
        print_json(
            {"path": str(change.path), "changed": change.needed, "backup": str(backup) if backup else None}
        )
        return
    if not change.needed:
        console.print(Text(f"{chosen.title} has it already: {change.path}"))
        return
    console.print(Text(f"written: {change.path}"))
    if backup:
        console.print(Text(f"  kept what was there: {backup}", style="dim"))
    left_out = [] if url or with_secrets else hosts.secrets_left_out(here)
    if left_out:
        console.print(
            Text(
                f"  left out: {', '.join(left_out)}. The server needs them: repeat with --with-secrets, "
                "or give the host a server on the network with --url.",
                style="yellow",
            )
        )
    console.print(Text(f"  now {chosen.restart}"))


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(install)
