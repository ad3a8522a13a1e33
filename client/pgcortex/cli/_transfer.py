"""`import` and `export`."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Annotated, Any
from uuid import UUID

import typer
from rich.text import Text

from pgcortex._client import Cortex
from pgcortex._errors import Conflict, InvalidInput, NotFound
from pgcortex._models import Captured
from pgcortex.cli import _options as o
from pgcortex.cli._output import console, errors, print_json, progress_bar
from pgcortex.exporters import export_jsonl, export_markdown
from pgcortex.importers import ImportItem, Problem, find_files, format_of, read_file
from pgcortex.notes import Note, open_atomic


@dataclass
class _Report:
    """What an import did: verdicts by format, everything that was not taken, and what was changed."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    stored_as: dict[UUID, UUID] = field(default_factory=dict)
    """The id here of a memory that had this id where it comes from."""
    replaced: list[ImportItem] = field(default_factory=list)

    def count(self, kind: str, verdict: str) -> None:
        self.counts.setdefault(kind, Counter())[verdict] += 1

    def skip(self, kind: str, reason: str) -> None:
        self.count(kind, "skipped")
        self.skipped.append(reason)


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Files or folders: markdown, text, JSONL, CSV, chat exports, mem0, Open Brain."),
    ],
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Remember everything in files or folders; run it again and nothing is stored twice.

    Exit code 1 when one of them does not exist.
    """
    missing = any(not path.exists() for path in paths)
    report = _Report()
    read: deque[tuple[str, ImportItem]] = deque()

    def thoughts() -> Iterator[dict[str, Any]]:
        for kind, item in _readable(paths, report):
            read.append((kind, item))
            yield _thought(item, namespace)

    with o.open_brain() as brain, progress_bar(disable=as_json) as bar:
        task = bar.add_task("importing", total=None)
        for verdict in brain.capture_each(thoughts()):
            _tell(*read.popleft(), verdict, report)
            bar.advance(task)
        bar.update(task, total=bar.tasks[task].completed)
        for item in report.replaced:
            _supersede(brain, item, report)
    if as_json:
        print_json({"formats": report.counts, "skipped": report.skipped, "changed": report.changed})
    else:
        _print(report)
    if missing:
        raise typer.Exit(1)


def _readable(paths: list[Path], report: _Report) -> Iterator[tuple[str, ImportItem]]:
    """Every item with the name of its format."""
    for found in find_files(paths):
        if isinstance(found, Problem):
            report.skip("files", str(found))
            continue
        kind = format_of(found)
        for item in read_file(found, kind):
            if isinstance(item, Problem):
                report.skip(kind or "files", str(item))
            else:
                yield kind or "files", item


def _tell(kind: str, item: ImportItem, verdict: Captured, report: _Report) -> None:
    if verdict.status == "refused":
        report.skip(kind, f"{item.origin}: {verdict.error}")
        return
    report.count(kind, verdict.status)
    report.changed += [f"{item.origin}: {warning}" for warning in item.warnings]
    _remember_place(item, verdict, report)


def _remember_place(item: ImportItem, verdict: Captured, report: _Report) -> None:
    if item.id is not None and verdict.id is not None:
        report.stored_as[item.id] = verdict.id
    if item.valid_to is None and item.superseded_by is None:
        return
    if item.id is not None and verdict.id == item.id and verdict.status in ("created", "exists"):
        report.replaced.append(item)
    elif verdict.status == "queued":
        report.changed.append(f"{item.origin}: waits for the database; import it again then")
    elif verdict.status != "forgotten":
        # Its words are current here, under another id: that memory was not replaced.
        report.changed.append(f"{item.origin}: was replaced where it comes from, and is current here")


def _supersede(brain: Cortex, item: ImportItem, report: _Report) -> None:
    """Say again what replaced a memory, once everything is there."""
    assert item.id is not None
    newer = item.superseded_by and report.stored_as.get(item.superseded_by, item.superseded_by)
    try:
        if newer is None:
            raise NotFound("what replaced it is not in the import")
        brain.supersede(item.id, newer, as_of=item.valid_to)
    except (NotFound, Conflict, InvalidInput) as error:
        report.changed.append(f"{item.origin}: stays current here: {error.message}")


def _thought(item: ImportItem, namespace: str | None) -> dict[str, Any]:
    return item.capture_fields() | ({"namespace": namespace} if namespace else {})


def _print(report: _Report) -> None:
    for reason in report.skipped:
        errors.print(Text(f"skipped {reason}", style="yellow"))
    for change in report.changed:
        errors.print(Text(f"changed {change}", style="yellow"))
    for kind, verdicts in sorted(report.counts.items()):
        told = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()))
        console.print(Text(f"{kind}: {told}"))
    if not report.counts:
        console.print(Text("nothing to import"))


def export(
    path: Annotated[Path | None, typer.Argument(help="A .jsonl file, or - for standard output.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="A folder for markdown notes, one a memory.")
    ] = None,
    include_archived: Annotated[
        bool, typer.Option("--archived", help="Archived memories too; an import takes them as current.")
    ] = False,
    as_json: o.Json = False,
) -> None:
    """Write every memory, replaced ones included, as JSONL that `import` reads back, or as notes."""
    chosen = o.filters(include_archived=include_archived, include_superseded=True)
    if markdown is not None and path is not None:
        raise InvalidInput("path", "is one place too many", hint="leave it out beside --markdown")
    with o.open_brain() as brain:
        notes = (Note.from_row(thought.model_dump()) for thought in brain.iterate(filters=chosen))
        if markdown is not None:
            _export_notes(notes, markdown, as_json)
        elif path is None or str(path) == "-":
            export_jsonl(notes, sys.stdout)
        else:
            with _writing(path), _open(path) as file:
                out = TextIOWrapper(file, encoding="utf-8", newline="")
                count = export_jsonl(notes, out)
                out.detach()
            if as_json:
                print_json({"memories": count, "path": str(path)})
            else:
                errors.print(Text(f"{count} memories in {path}"))


def _open(path: Path) -> AbstractContextManager[IO[bytes]]:
    """The file, whole or as it was before; a pipe or a device cannot be replaced and is written as it is."""
    return path.open("wb") if path.exists() and not path.is_file() else open_atomic(path.resolve())


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raises InvalidInput where the system does not let us write."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(
            "path", f"{path} cannot be written: {error.strerror or error}", hint="name another place"
        ) from error


def _export_notes(notes: Iterator[Note], folder: Path, as_json: bool) -> None:
    with _writing(folder):
        result = export_markdown(notes, folder)
    if as_json:
        print_json(asdict(result))
    else:
        for problem in result.problems:
            errors.print(Text(f"not written {problem}", style="yellow"))
        console.print(Text(f"{result.written} notes written, {result.unchanged} unchanged"))
    if result.problems:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("import")(import_)
    app.command()(export)
