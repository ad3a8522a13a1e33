"""`remember`, `recall`, `why`, `know`, `forget`: the other write-up's verbs."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from pgcortex.cli import _options as o
from pgcortex.cli._output import console, preview, print_captured, print_hits, print_json
from pgcortex.cli._output_life import print_decisions, print_survey

Id = Annotated[UUID, typer.Argument(help="The memory's id.")]
StoreOption = Annotated[
    str | None, typer.Option("--store", help="sensory, episodic, semantic, procedural or prospective.")
]
CategoryOption = Annotated[
    str | None,
    typer.Option("--category", help="decision, lesson, person, rule, event, fact, goal or workflow."),
]


def remember(
    text: Annotated[str, typer.Argument(help="What to remember, or - to read it from standard input.")],
    title: Annotated[str | None, typer.Option(help="A title; made from the text otherwise.")] = None,
    store: StoreOption = None,
    category: CategoryOption = None,
    tags: o.Tags = None,
    people: o.People = None,
    confidence: Annotated[float | None, typer.Option(help="How certain, 0 to 1.", min=0, max=1)] = None,
    due: Annotated[str | None, typer.Option(help="When it is due, such as 2026-06-01.")] = None,
    supersedes: Annotated[UUID | None, typer.Option(help="Id of the memory this one replaces.")] = None,
    session: o.Session = None,
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Store a memory with all that is known about it."""
    with o.open_brain() as brain:
        verdict = brain.remember(
            o.words(text),
            title=title,
            store=store,  # type: ignore[arg-type]  # the database checks the value
            category=category,  # type: ignore[arg-type]  # the database checks the value
            tags=tags or None,
            people=people or None,
            confidence=confidence,
            due_at=o.moment("due", due),
            supersedes=supersedes,
            session_id=session,
            namespace=namespace,
        )
    if as_json:
        print_json(verdict)
    else:
        print_captured(verdict)


def recall(
    query: Annotated[str, typer.Argument(help="What to recall, in your own words.")],
    limit: o.Limit = 10,
    store: StoreOption = None,
    category: CategoryOption = None,
    tags: o.Tags = None,
    since: o.Since = None,
    until: o.Until = None,
    session: o.Session = None,
    namespace: o.Namespace = None,
    archived: Annotated[bool, typer.Option("--archived", help="What has faded, too.")] = False,
    superseded: Annotated[bool, typer.Option("--superseded", help="What was replaced, too.")] = False,
    peek: Annotated[bool, typer.Option("--peek", help="Reinforce nothing.")] = False,
    as_json: o.Json = False,
) -> None:
    """Recall memories and what is linked to them; what comes back is reinforced."""
    chosen = o.filters(
        tags=tags,
        since=since,
        until=until,
        store=store,
        category=category,
        session_id=session,
        namespace=namespace,
        include_archived=archived,
        include_superseded=superseded,
    )
    with o.open_brain() as brain:
        found = brain.recall(query, limit=limit, filters=chosen, reinforce=not peek)
    if as_json:
        print_json(found)
    else:
        print_hits(found)


def why(
    question: Annotated[str, typer.Argument(help="The decision, such as: why did we choose Postgres?")],
    limit: o.Limit = 5,
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Tell why something was decided, and what came of it."""
    with o.open_brain() as brain:
        found = brain.why_did_we(question, limit=limit, namespace=namespace)
    if as_json:
        print_json(found)
    else:
        print_decisions(found)


def know(
    topic: Annotated[str, typer.Argument(help="A topic, a project, a person.")],
    limit: o.Limit = 5,
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Survey what is known about a topic."""
    with o.open_brain() as brain:
        found = brain.what_do_i_know(topic, limit=limit, namespace=namespace)
    if as_json:
        print_json(found)
    else:
        print_survey(found)


def show(id: Id, as_json: o.Json = False) -> None:
    """Read one memory in full."""
    with o.open_brain() as brain:
        thought = brain.get(id)
    if as_json:
        print_json(thought)
        return
    kind = f"{thought.thought_type}, {thought.store} {thought.category}"
    console.print(Text(f"{thought.occurred_at:%Y-%m-%d %H:%M}  {kind}"))
    if thought.title:
        console.print(Text(thought.title, style="bold"))
    console.print(Text(thought.content))


def forget(
    id: Id,
    reason: Annotated[str | None, typer.Option(help="Why, for the audit trail.")] = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Destroy it and all that was made from it, for good.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: o.Json = False,
) -> None:
    """Take a memory out of every read; `restore` brings it back, unless it was erased."""
    with o.open_brain() as brain:
        if erase and not yes:
            console.print(preview(brain.get(id)))
            typer.confirm("Erase this for good?", abort=True)
        answer = brain.forget(id, hard=erase, reason=reason)
    if as_json:
        print_json(answer)
    else:
        console.print(Text(f"{answer.status}  {answer.id}"))
        for warning in answer.warnings:
            console.print(Text(f"  {warning}", style="yellow"))


def restore(id: Id, as_json: o.Json = False) -> None:
    """Bring back a memory that was forgotten, archived or replaced."""
    with o.open_brain() as brain:
        answer = brain.restore(id)
    if as_json:
        print_json(answer)
    else:
        console.print(Text(f"{answer.status}  {answer.id}" + (f" (was {answer.was})" if answer.was else "")))


def register(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (remember, recall, why, know, show, forget, restore):
        app.command()(command)
