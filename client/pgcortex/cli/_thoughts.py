"""`capture`, `search`, `list`, `stats`: the write-up's four verbs."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from pgcortex.cli import _options as o
from pgcortex.cli._output import console, print_captured, print_hits, print_json, print_stats, print_thoughts


def capture(
    text: Annotated[str, typer.Argument(help="The thought, or - to read it from standard input.")],
    title: Annotated[str | None, typer.Option(help="A title; made from the text otherwise.")] = None,
    thought_type: o.Type = None,
    topics: o.Topics = None,
    people: o.People = None,
    tags: o.Tags = None,
    occurred_at: Annotated[str | None, typer.Option("--date", help="When it happened; default now.")] = None,
    session: o.Session = None,
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Remember one thought."""
    with o.open_brain() as brain:
        verdict = brain.capture(
            o.words(text),
            title=title,
            thought_type=thought_type,  # type: ignore[arg-type]  # the database checks the value
            topics=topics or None,
            people=people or None,
            tags=tags or None,
            occurred_at=o.moment("date", occurred_at),
            session_id=session,
            namespace=namespace,
        )
    if as_json:
        print_json(verdict)
    else:
        print_captured(verdict)


def search(
    query: Annotated[str, typer.Argument(help="What you are looking for, in your own words.")],
    limit: o.Limit = 10,
    threshold: Annotated[
        float | None, typer.Option(help="Lowest cosine similarity; default calibrated per model.")
    ] = None,
    thought_type: o.Type = None,
    topics: o.Topics = None,
    people: o.People = None,
    tags: o.Tags = None,
    since: o.Since = None,
    until: o.Until = None,
    session: o.Session = None,
    namespace: o.Namespace = None,
    explain: Annotated[bool, typer.Option("--explain", help="Tell how the search was done.")] = False,
    as_json: o.Json = False,
) -> None:
    """Find thoughts by meaning and words; changes nothing."""
    chosen = o.filters(
        thought_type, topics, people, tags, since, until, session_id=session, namespace=namespace
    )
    threshold = o.similarity(threshold)
    with o.open_brain() as brain:
        found = brain.search(query, limit=limit, threshold=threshold, filters=chosen)
        account = brain.explain(query, limit=limit, threshold=threshold, filters=chosen) if explain else None
    if as_json:
        print_json(found.model_copy(update={"explanation": account or found.explanation}))
        return
    print_hits(found)
    if account:
        console.print(Text(account.model_dump_json(indent=2)))


def list_(
    limit: o.Limit = 20,
    thought_type: o.Type = None,
    topics: o.Topics = None,
    people: o.People = None,
    tags: o.Tags = None,
    since: o.Since = None,
    until: o.Until = None,
    session: o.Session = None,
    namespace: o.Namespace = None,
    as_json: o.Json = False,
) -> None:
    """Browse thoughts, newest first."""
    chosen = o.filters(
        thought_type, topics, people, tags, since, until, session_id=session, namespace=namespace
    )
    with o.open_brain() as brain:
        thoughts = brain.list_thoughts(limit=limit, filters=chosen)
    if as_json:
        print_json(thoughts)
    else:
        print_thoughts(thoughts)


def stats(as_json: o.Json = False) -> None:
    """Show totals, topics, people, dates and the backlog."""
    with o.open_brain() as brain:
        found = brain.stats()
    if as_json:
        print_json(found)
    else:
        print_stats(found)


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command()(capture)
    app.command()(search)
    app.command("list")(list_)
    app.command()(stats)
