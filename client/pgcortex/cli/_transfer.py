"""`import` and `export`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from pgcortex._client import Cortex
from pgcortex.cli import _options as o
from pgcortex.cli._output import console, errors, print_json
from pgcortex.importers import ImportItem, Problem, walk

BATCH = 100


def import_(
    paths: Annotated[
        list[Path], typer.Argument(help="Files or folders: markdown, text, JSONL, chat exports.")
    ],
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Remember everything in files or folders; what is there already is not stored twice."""
    verdicts: Counter[str] = Counter()
    problems: list[str] = []
    items = _readable(paths, problems)
    with o.open_brain() as brain, _bar(disable=as_json) as bar:
        task = bar.add_task("importing", total=None)
        read = 0
        while batch := list(islice(items, BATCH)):
            read += len(batch)
            _store(brain, batch, namespace, verdicts, problems)
            bar.update(task, completed=read, refresh=True)
        bar.update(task, total=read)
    if as_json:
        print_json({**verdicts, "problems": problems})
        return
    for problem in problems:
        errors.print(Text(f"skipped {problem}", style="yellow"))
    told = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items())) or "nothing to import"
    console.print(Text(told + (f", {len(problems)} skipped" if problems else "")))


def _readable(paths: list[Path], problems: list[str]) -> Iterator[ImportItem]:
    for found in walk(paths):
        if isinstance(found, Problem):
            problems.append(str(found))
        else:
            yield found


def _store(
    brain: Cortex, batch: list[ImportItem], namespace: str | None, verdicts: Counter[str], problems: list[str]
) -> None:
    answers = brain.capture_many([_thought(item, namespace) for item in batch])
    for item, verdict in zip(batch, answers, strict=True):
        if verdict.status == "refused":
            problems.append(f"{item.origin}: {verdict.error}")
        else:
            verdicts[verdict.status] += 1


def _thought(item: ImportItem, namespace: str | None) -> dict[str, Any]:
    thought = item.model_dump(exclude_none=True, exclude={"origin", "updated_at", "expires_at"})
    thought = {name: value for name, value in thought.items() if value not in ([], {})}
    return thought | ({"namespace": namespace} if namespace else {})


def export(
    path: Annotated[Path | None, typer.Argument(help="A .jsonl file, or - for standard output.")] = None,
    include_archived: Annotated[
        bool, typer.Option("--archived", help="Archived and superseded memories too.")
    ] = False,
) -> None:
    """Write every memory as JSONL, one a line, newest first."""
    chosen = o.filters(include_archived=include_archived, include_superseded=include_archived)
    to_screen = path is None or str(path) == "-"
    with o.open_brain() as brain, sys.stdout if to_screen else path.open("w", encoding="utf-8") as out:  # type: ignore[union-attr]
        for thought in brain.iterate(filters=chosen):
            out.write(thought.model_dump_json(exclude={"cursor"}) + "\n")


def _bar(*, disable: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=disable,
    )


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("import")(import_)
    app.command()(export)
