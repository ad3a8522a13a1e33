"""Options that several commands share, and the client they lead to."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from pgcortex._client import Cortex
from pgcortex._errors import InvalidInput
from pgcortex._operations._search import Filters
from pgcortex._settings import Settings, read_settings
from pgcortex.notes import utc


@dataclass
class State:
    """What the options before the command said."""

    data_dir: Path | None = None


state = State()

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.", min=1)]
Type = Annotated[
    str | None, typer.Option("--type", help="observation, task, idea, reference or person_note.")
]
Topics = Annotated[list[str] | None, typer.Option("--topic", help="Any of these topics; may be repeated.")]
People = Annotated[list[str] | None, typer.Option("--person", help="Any of these people; may be repeated.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Any of these tags; may be repeated.")]
Since = Annotated[str | None, typer.Option(help="From this date on, such as 2026-06-01.")]
Until = Annotated[str | None, typer.Option(help="Before this date.")]
Namespace = Annotated[str | None, typer.Option(help="Only this namespace.")]
Session = Annotated[str | None, typer.Option(help="Only this session.")]


def settings() -> Settings:
    """The settings, with what the command line overrides. Raises InvalidInput."""
    return read_settings(Settings, **({"data_dir": state.data_dir} if state.data_dir else {}))


def open_brain() -> Cortex:
    """The brain the settings describe."""
    return Cortex(settings())


def filters(
    thought_type: str | None = None,
    topics: list[str] | None = None,
    people: list[str] | None = None,
    tags: list[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    **others: Any,
) -> Filters:
    """Typed filters from what was typed."""
    return Filters(
        thought_type=thought_type,  # type: ignore[arg-type]  # the database checks the value
        topics=topics or None,
        people=people or None,
        tags=tags or None,
        since=moment("since", since),
        until=moment("until", until),
        **others,
    )


def words(text: str) -> str:
    """The text, or for `-` what comes on standard input as UTF-8. Raises InvalidInput."""
    try:
        return (
            sys.stdin.buffer.read().decode().replace("\r\n", "\n") if text == "-" else text.encode().decode()
        )
    except UnicodeError:
        raise InvalidInput(
            "content", "is not UTF-8 text", hint="convert it first, such as with `iconv -t UTF-8`"
        ) from None


def similarity(threshold: float | None) -> float | None:
    """A cosine similarity, -1 to 1. Raises InvalidInput."""
    if threshold is not None and not -1 <= threshold <= 1:
        raise InvalidInput("threshold", f"is {threshold}, allowed are -1 to 1")
    return threshold


def moment(field: str, text: str | None) -> datetime | None:
    """An ISO 8601 date or time; without a zone it is UTC. Raises InvalidInput."""
    if text is None:
        return None
    try:
        return utc(datetime.fromisoformat(text))
    except ValueError:
        raise InvalidInput(
            field, f"{text!r} is not a date", hint="write it as 2026-06-01 or 2026-06-01T09:30"
        ) from None
