"""`mirror sync`, `mirror verify`, `mirror rebuild`: the markdown notes and the database agree again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from pgcortex._errors import InvalidInput
from pgcortex.cli import _options as o
from pgcortex.cli._output import console, print_json
from pgcortex.mirror import BrainSource, Mirror, SyncReport

Folder = Annotated[
    Path | None, typer.Option("--dir", help="The folder of notes; default PGCORTEX_MIRROR_DIR.")
]
app = typer.Typer(no_args_is_help=True, help="Keep a folder of markdown notes that says what the brain says.")


class Side(StrEnum):
    """What a rebuild believes."""

    FILES = "files"
    DATABASE = "database"


class Deletions(StrEnum):
    """What a note that was deleted by hand means."""

    REPORT = "report"
    RESTORE = "restore"
    FORGET = "forget"


@app.command()
def sync(
    deletions: Annotated[
        Deletions,
        typer.Option(help="A note deleted by hand: report it, restore it, or forget its memory."),
    ] = Deletions.REPORT,
    folder: Folder = None,
    as_json: o.Json = False,
) -> None:
    """Bring what waits to both sides, edits by hand to the database, and news to the notes."""
    with _mirror(folder) as mirror:
        report = mirror.sync(deletions=deletions.value)
    _tell(report, as_json, report.open)


@app.command()
def verify(folder: Folder = None, as_json: o.Json = False) -> None:
    """Show what a sync would do, and do nothing; exit code 1 when the sides disagree."""
    with _mirror(folder) as mirror:
        report = mirror.verify()
    _tell(report, as_json, not report.agree)


@app.command()
def rebuild(
    believe: Annotated[
        Side, typer.Option("--from", help="files: make the database say it; database: make the notes say it.")
    ],
    folder: Folder = None,
    as_json: o.Json = False,
) -> None:
    """Make one side again from the other; what was forgotten stays forgotten."""
    with _mirror(folder) as mirror:
        report = mirror.rebuild("files" if believe is Side.DATABASE else "database")
    _tell(report, as_json, report.open)


@contextmanager
def _mirror(folder: Path | None) -> Iterator[Mirror]:
    settings = o.settings()
    root = folder or settings.mirror_dir
    if root is None:
        raise InvalidInput(
            "mirror_dir", "is not set", hint="set PGCORTEX_MIRROR_DIR, or name a folder with --dir"
        )
    with o.open_brain() as brain:
        yield Mirror(root.expanduser(), BrainSource(brain.core))


def _tell(report: SyncReport, as_json: bool, wrong: object) -> None:
    """Show a report; exit code 1 when something in it is for a person to look at."""
    if as_json:
        print_json(
            {
                "agree": report.agree,
                "counts": report.counts,
                "changes": [asdict(change) for change in report.changes],
            }
        )
    else:
        for change in report.changes:
            console.print(Text(str(change), style="yellow" if change in report.open else ""))
        counts = ", ".join(f"{count} {kind}" for kind, count in report.counts.items())
        console.print(Text(counts or "the notes and the database agree"))
    if wrong:
        raise typer.Exit(1)


def register(parent: typer.Typer) -> None:
    """Add these commands."""
    parent.add_typer(app, name="mirror")
