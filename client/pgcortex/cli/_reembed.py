"""`reembed`: another embedding model for the whole brain."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from pgcortex._errors import InvalidInput
from pgcortex.cli._options import Json, settings
from pgcortex.cli._output import console, errors, print_json

if TYPE_CHECKING:
    from pgcortex._settings import Settings
    from pgcortex.embedding import Embedder

LOCAL = "all-MiniLM-L6-v2-int8"


def reembed(
    to: Annotated[
        str,
        typer.Option(help=f"The new model: {LOCAL}, or any name that the provider of the settings knows."),
    ],
    dimensions: Annotated[
        int | None,
        typer.Option(help="The length of its vectors, where the name does not say it.", min=1, max=4000),
    ] = None,
    as_json: Json = False,
) -> None:
    """Change the embedding model of the brain; interrupted, run it again. For the owner of the database."""
    from pgcortex import local
    from pgcortex._reembed import reembed as embed_anew

    here = settings()
    embedder, chosen = _embedder(here, to, dimensions)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, disable=as_json, transient=True) as bar:
        task = bar.add_task(f"embedding with {embedder.model}", total=None)
        done = embed_anew(
            _database(here),
            embedder,
            context_weight=here.context_weight,
            told=lambda count, total: bar.update(task, completed=count, total=total),
        )
    if here.database_url is None:
        local.up(here.data_dir)  # the file beside the brain repeats the length of its vectors
    if as_json:
        return print_json(asdict(done))
    console.print(Text(f"{done.embedded} memories embedded with {done.model}"))
    for memory, reason in done.refused.items():
        errors.print(Text(f"  {memory} is found by words only: {reason}", style="yellow"))
    if done.waiting > len(done.refused):
        errors.print(Text(f"  {done.waiting} changed meanwhile: run it again", style="yellow"))
    if (here.embedder, here.embedding_model, here.embedding_dimensions) != _told(chosen):
        console.print(Text(f"  now set for every client: {_variables(chosen)}"))
    return None


def _database(here: Settings) -> str:
    """The owner's address: the one of the settings, or the local brain's (started if need be)."""
    from pgcortex import local

    if here.database_url is not None:
        return here.database_url.get_secret_value()
    if here.supabase_url:
        raise InvalidInput(
            "database_url",
            "is missing: through the API nobody may change the model, only the owner of the database",
            hint="set PGCORTEX_DATABASE_URL to the project's direct address, with the user postgres",
        )
    return local.up(here.data_dir).dsn


def _embedder(here: Settings, to: str, dimensions: int | None) -> tuple[Embedder, Settings]:
    """The embedder that `--to` names, and the settings that make it."""
    from pgcortex.embedding import create_embedder

    name, at, length = to.partition("@")
    if at and not length.isdecimal():
        raise InvalidInput("to", f"{to!r} names no model", hint="write it as text-embedding-3-small@1536")
    if at and dimensions not in (None, int(length)):
        raise InvalidInput("dimensions", f"is {dimensions}, but the name says {length}", hint="say it once")
    wanted = int(length) if at else dimensions
    if name == LOCAL:
        chosen = here.model_copy(update={"embedder": "local"})
    else:
        chosen = here.model_copy(
            update={
                "embedder": "openai",
                "embedding_model": name,
                "embedding_dimensions": wanted or here.embedding_dimensions,
            }
        )
    embedder = create_embedder(chosen)
    assert embedder is not None
    if wanted not in (None, embedder.dimensions):
        raise InvalidInput(
            "dimensions",
            f"is {wanted}, but {embedder.model} makes {embedder.dimensions}",
            hint="leave it out",
        )
    return embedder, chosen


def _told(chosen: Settings) -> tuple[str, str, int]:
    return chosen.embedder, chosen.embedding_model, chosen.embedding_dimensions


def _variables(chosen: Settings) -> str:
    if chosen.embedder == "local":
        return "PGCORTEX_EMBEDDER=local"
    return (
        f"PGCORTEX_EMBEDDER=openai PGCORTEX_EMBEDDING_MODEL={chosen.embedding_model}"
        f" PGCORTEX_EMBEDDING_DIMENSIONS={chosen.embedding_dimensions}"
    )


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(reembed)
