"""`doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict

import typer
from rich.text import Text

from pgcortex.cli._options import Json, settings
from pgcortex.cli._output import console, print_json

_MARKS = {
    "ok": ("ok", "green"),
    "warning": ("look", "yellow"),
    "problem": ("WRONG", "red"),
    "skipped": ("-", "dim"),
}


def doctor(as_json: Json = False) -> None:
    """Examine the brain and everything around it; exit code 1 when something is wrong."""
    from pgcortex.doctor import examine

    findings = []
    for finding in examine(settings()):
        findings.append(finding)
        if as_json:
            continue
        mark, style = _MARKS[finding.state]
        line = Text.assemble((f"{mark:<6}", style), f"{finding.check:<11} {finding.message}")
        console.print(line, soft_wrap=True)
        if finding.advice:
            console.print(Text(f"{'':<18}{finding.advice}", style="dim"), soft_wrap=True)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(doctor)
