"""What a person sees, and the JSON that a program reads instead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from pgcortex._errors import CortexError
from pgcortex._models import Captured, Hits, Memory, Stats

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def fail(error: CortexError) -> int:
    """Say what happened and what to do; the exit code."""
    errors.print(Text(f"error: {error.message}", style="red"))
    if error.hint:
        errors.print(Text(f"  try: {error.hint}"))
    return 1


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        value = [v.model_dump(mode="json") if isinstance(v, BaseModel) else v for v in value]
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_captured(verdict: Captured) -> None:
    """One line on what became of a thought."""
    words = {"created": "remembered", "exists": "already remembered", "queued": "kept, to be stored later"}
    console.print(Text(f"{words.get(verdict.status, verdict.status)}  {verdict.id}"))
    if verdict.redacted:
        console.print(Text(f"  masked before storing: {', '.join(verdict.redacted)}", style="yellow"))
    for warning in verdict.warnings:
        console.print(Text(f"  {warning}", style="yellow"))


def print_hits(found: Hits) -> None:
    """A row a hit: score, date, words; then what is missing, if anything is."""
    if found.hits:
        table = _table("score", "date", "thought", "type", "found by")
        for hit in found:
            table.add_row(
                f"{hit.score:.2f}",
                f"{hit.occurred_at:%Y-%m-%d}",
                preview(hit),
                hit.thought_type,
                "+".join(hit.found_by),
            )
        console.print(table)
    if found.notice:
        console.print(Text(found.notice, style="yellow"))


def print_thoughts(thoughts: Iterable[Memory]) -> None:
    """A row a thought: date, type, words, who and what it is about."""
    table = _table("date", "type", "thought", "people", "topics")
    for thought in thoughts:
        table.add_row(
            f"{thought.occurred_at:%Y-%m-%d}",
            thought.thought_type,
            preview(thought),
            ", ".join(thought.people),
            ", ".join(thought.topics),
        )
    console.print(table)


def print_stats(stats: Stats) -> None:
    """The size and shape of a brain on a few lines."""
    if stats.total and stats.first and stats.last:
        span = f", from {stats.first:%Y-%m-%d} to {stats.last:%Y-%m-%d}"
    else:
        span = ""
    console.print(
        Text(f"{stats.total} thoughts{span}; {stats.archived} archived, {stats.superseded} superseded")
    )
    for name, counts in (
        ("types", stats.by_type),
        ("stores", stats.by_store),
        ("categories", stats.by_category),
    ):
        if counts:
            console.print(
                Text(
                    f"{name:<11}"
                    + ", ".join(f"{k} {v}" for k, v in sorted(counts.items(), key=lambda c: -c[1]))
                )
            )
    for name, entries in (("topics", stats.top_topics), ("people", stats.top_people)):
        if entries:
            console.print(Text(f"{name:<11}" + ", ".join(f"{e.name} {e.count}" for e in entries)))
    waiting = stats.backlog
    console.print(
        Text(
            f"backlog    {waiting.pending} pending, {waiting.failed} failed, "
            f"{waiting.without_vector} without a vector"
        )
    )
    cost = stats.cost
    if cost.calls or cost.monthly_budget_usd is not None:
        budget = f" of {cost.monthly_budget_usd:.2f}" if cost.monthly_budget_usd is not None else ""
        console.print(
            Text(f"cost       {cost.calls} calls, {cost.month_usd:.4f} US dollars this month{budget}")
        )


def preview(thought: Memory, width: int = 300) -> Text:
    """Title and the beginning of the content, on one paragraph."""
    words = " ".join(thought.content.split())
    words = words if len(words) <= width else words[: width - 1] + "…"
    if thought.title and not words.startswith(thought.title.rstrip("….")):
        return Text.assemble((f"{thought.title}. ", "bold"), words)
    return Text(words)


def progress_bar(*, disable: bool = False) -> Progress:
    """How far a long command is, on standard error, so that standard output holds the result alone."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=disable,
    )


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            column, ratio=1 if column == "thought" else None, no_wrap=column in ("score", "date", "type")
        )
    return table
