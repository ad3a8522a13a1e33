"""How a benchmark tells its result: a table for a person, a file, and one JSON line last."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import track as _track
from rich.table import Table

RESULTS = Path(__file__).parent / "results"

_tables = Console()
_progress = Console(stderr=True)

T = TypeVar("T")
Value = float | int | str


def note(text: str) -> None:
    """Say what is being done."""
    _progress.print(f"[dim]{text}[/dim]")


def track(items: Sequence[T], description: str) -> Iterable[T]:
    """Show progress over the items."""
    return _track(items, description=description, console=_progress, transient=True)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    """Print a table; numbers are right-aligned."""
    shown = Table(title=title, title_justify="left")
    for position, column in enumerate(columns):
        shown.add_column(column, justify="left" if position == 0 else "right")
    for row in rows:
        shown.add_row(*(_text(value) for value in row))
    _tables.print(shown)


def finish(name: str, result: Mapping[str, object]) -> None:
    """Write `bench/results/NAME.json` and print the result as one JSON line."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile; share is 0 to 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _text(value: Value) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
