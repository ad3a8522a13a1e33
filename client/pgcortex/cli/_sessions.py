"""`wake`, `checkpoint`, `review`: from one day to the next."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from pgcortex._client import Cortex
from pgcortex._models import Review
from pgcortex.cli import _options as o
from pgcortex.cli._output import console, print_json
from pgcortex.cli._output_life import print_briefing, print_pair


def wake(
    session: o.Session = None,
    namespace: o.Namespace = None,
    days: Annotated[int, typer.Option(help="How far to look back and ahead.", min=0)] = 7,
    as_json: o.Json = False,
) -> None:
    """Brief you: where you left off, what is due, what was decided, what needs your word."""
    with o.open_brain() as brain:
        found = brain.wake(session_id=session, namespace=namespace, days=days)
    if as_json:
        print_json(found)
    else:
        print_briefing(found)


def checkpoint(
    summary: Annotated[str, typer.Argument(help="Where the work stands.")],
    next_steps: Annotated[
        list[str] | None, typer.Option("--next", help="What to do next; may be repeated.")
    ] = None,
    questions: Annotated[
        list[str] | None, typer.Option("--open", help="What is undecided; may be repeated.")
    ] = None,
    session: o.Session = None,
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Save where the work stands, for the next session to wake to."""
    state: dict[str, Any] = {"summary": summary, "next_steps": next_steps, "open_questions": questions}
    with o.open_brain() as brain:
        saved = brain.checkpoint(
            {name: value for name, value in state.items() if value}, session_id=session, namespace=namespace
        )
    if as_json:
        print_json(saved)
    else:
        console.print(Text(f"saved  {saved.id}"))


CHOICES = "[k]eep both, [1] replaces 2, [2] replaces 1, [m]erge, [f]orget one, [d]ismiss, [s]kip, [q]uit"


def review(limit: o.Limit = 20, namespace: o.Namespace = None, as_json: o.Json = False) -> None:
    """Go through pairs that contradict or repeat each other, and settle them one by one."""
    with o.open_brain() as brain:
        pairs = brain.review_queue(limit=limit, namespace=namespace)
        if as_json:
            print_json(pairs)
            return
        if not pairs:
            console.print(Text("Nothing to review."))
        gone: set[object] = set()
        for number, pair in enumerate(pairs, 1):
            if gone & {pair.from_id, pair.to_id}:
                continue
            console.print(Text(f"{number} of {len(pairs)}", style="dim"))
            print_pair(pair)
            if not _settle(brain, pair, gone):
                return


def _settle(brain: Cortex, pair: Review, gone: set[object]) -> bool:
    """Ask about one pair and do what is said; False ends the review."""
    while True:
        answer = typer.prompt(CHOICES, default="s").strip().lower()[:1]
        if answer == "q":
            return False
        if answer == "s":
            return True
        if _apply(brain, pair, answer, gone):
            return True


def _apply(brain: Cortex, pair: Review, answer: str, gone: set[object]) -> bool:
    """Do one thing to a pair; False when it was not understood."""
    verdicts = {"k": "keep", "d": "dismiss", "1": "supersede", "2": "superseded"}
    if answer in verdicts:
        verdict: Any = verdicts[answer]
        brain.resolve_review(pair.from_id, pair.to_id, type=pair.type, verdict=verdict)
        gone |= {"1": {pair.to_id}, "2": {pair.from_id}}.get(answer, set())
    elif answer == "m":
        words = typer.prompt("The words that hold for both", default=f"{pair.to_content} {pair.from_content}")
        merged = brain.remember(words, store="semantic")
        for old in (pair.from_id, pair.to_id):
            if merged.id is not None and old != merged.id:
                brain.supersede(old, merged.id)
                gone.add(old)
    elif answer == "f":
        which = typer.prompt("Which one, 1 or 2").strip()
        if which not in ("1", "2"):
            return False
        forgotten = pair.from_id if which == "1" else pair.to_id
        brain.forget(forgotten, reason="review")
        gone.add(forgotten)
    else:
        return False
    return True


def register(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (wake, checkpoint, review):
        app.command()(command)
