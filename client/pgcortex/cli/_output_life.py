"""Surveys, decisions, briefings and pairs as a person sees them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from pgcortex._models import Brief, Decisions, Review, Survey, Wake
from pgcortex.cli._output import console


def print_survey(found: Survey) -> None:
    """How much, since when, who and what else, and the best memories."""
    if not found.count and not found.top:
        console.print(Text(f"Nothing is remembered about {found.topic}.", style="yellow"))
        return
    span = f", from {found.first:%Y-%m-%d} to {found.last:%Y-%m-%d}" if found.first and found.last else ""
    console.print(Text(f"{found.count} memories about {found.topic}{span}", style="bold"))
    for name, counts in (
        ("stores", found.by_store),
        ("people", {entry.name: entry.count for entry in found.people}),
        ("topics", {entry.name: entry.count for entry in found.related_topics}),
    ):
        if counts:
            console.print(Text(f"{name:<8}" + ", ".join(f"{key} {count}" for key, count in counts.items())))
    _lines(found.top)
    _partly(found.degraded)


def print_decisions(found: Decisions) -> None:
    """The decisions, then their story in time order."""
    if not found.decisions:
        console.print(Text("No decision about this is remembered.", style="yellow"))
    _lines(found.decisions)
    if found.chain:
        console.print(Text("how it came about and what followed", style="dim"))
        for reason in found.chain:
            console.print(_line(reason, reason.relation))
    if found.context:
        console.print(Text("also", style="dim"))
        _lines(found.context)
    _partly(found.degraded)


def print_briefing(found: Wake) -> None:
    """One page: the last checkpoint, tasks, decisions, pairs to settle, what is stale or fades."""
    last = found.checkpoint
    if last:
        console.print(Text(f"Last time, {last.saved_at:%Y-%m-%d %H:%M}", style="bold"))
        for name, value in last.state.items():
            told = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            console.print(Text(f"  {name.replace('_', ' ')}: {told}"))
    for title, count, memories in (
        ("Overdue", found.overdue.count, found.overdue.tasks),
        ("Due", found.due.count, found.due.tasks),
        ("Decided lately", len(found.decisions), found.decisions),
        ("Is it still so?", len(found.stale), found.stale),
        ("Fades soon", found.fading.count, found.fading.memories),
    ):
        if count:
            more = f" ({count})" if count > len(memories) else ""
            console.print(Text(title + more, style="bold"))
            _lines(memories)
    if found.review.count:
        console.print(Text(f"{found.review.count} pairs to settle: pgcortex review", style="yellow"))
    size = found.size
    console.print(Text(f"{size.memories} memories, {size.new_7_days} of them new this week", style="dim"))
    if not size.memories and not last:
        console.print(Text('Nothing is remembered yet. Begin with: pgcortex capture "…"', style="yellow"))


def print_pair(pair: Review) -> None:
    """Two memories side by side, the newer notice first."""
    word = "contradict each other" if pair.kind == "contradiction" else "say nearly the same"
    console.print(Text(f"These two {word} ({pair.similarity:.2f}):", style="yellow"))
    console.print(Text(f"  1  {pair.from_occurred_at:%Y-%m-%d}  {pair.from_content}"))
    console.print(Text(f"  2  {pair.to_occurred_at:%Y-%m-%d}  {pair.to_content}"))


def _lines(memories: Sequence[Brief]) -> None:
    for memory in memories:
        console.print(_line(memory))


def _line(memory: Brief, label: str = "") -> Text:
    words = " ".join(memory.content.split())
    words = words if len(words) <= 200 else words[:199] + "…"
    line = Text(f"  {memory.occurred_at:%Y-%m-%d}  ")
    if label:
        line.append(f"{label}: ", style="dim")
    line.append(words)
    if memory.due_at:
        line.append(f"  due {memory.due_at:%Y-%m-%d}", style="yellow")
    if memory.valid_to:
        line.append("  replaced", style="dim")
    return line


def _partly(degraded: str | None) -> None:
    if degraded:
        console.print(Text(f"Only part of the search was done: {degraded}.", style="yellow"))
