"""`up`, `status`, `down`, `psql`: the local brain's server."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from pgcortex.cli._options import Json, settings
from pgcortex.cli._output import console, fail, print_json, progress_bar

if TYPE_CHECKING:
    from pgcortex._migrations import Migration
    from pgcortex._settings import Settings
    from pgcortex._upkeep import Upkeep


def up(as_json: Json = False) -> None:
    """Start the local brain, making and migrating it first where needed."""
    from pgcortex import local

    with ExitStack() as shown:
        brain = local.up(settings().data_dir, progress=None if as_json else _progress(shown))
    done = _look_after(settings())
    if as_json:
        print_json(
            {
                "data_dir": str(brain.data_dir),
                "owner_id": str(brain.owner_id),
                "dimensions": brain.dimensions,
                "jobs": done.jobs,
                "enriched": done.enriched,
            }
        )
    else:
        console.print(Text(f"brain is up in {brain.data_dir}"))
        if done.enriched:
            console.print(Text(f"  {done.enriched} memories embedded that had been waiting", style="dim"))


def _look_after(here: Settings) -> Upkeep:
    """What cron does for a hosted brain: the jobs that are due, and what waits to be embedded."""
    from pgcortex._client import Cortex
    from pgcortex._errors import CortexError
    from pgcortex._upkeep import Upkeep, keep_up

    with Cortex(here.model_copy(update={"database_url": None, "supabase_url": None})) as brain:
        try:
            return keep_up(brain.core)
        except CortexError as error:
            # The brain is up all the same.
            fail(error)
            return Upkeep([])


def status(as_json: Json = False) -> None:
    """Say whether the local brain is there, running and current; starts nothing."""
    from pgcortex import local

    found = local.status(settings().data_dir)
    if as_json:
        print_json({name: value for name, value in asdict(found).items() if name != "dsn"})
        return
    state = "is up" if found.running else "is down" if found.exists else "does not exist yet"
    console.print(Text(f"brain in {found.data_dir} {state}"))
    if found.running:
        console.print(
            Text(
                f"  Postgres {found.postgres_version}, {found.dimensions} dimensions, owner {found.owner_id}"
            )
        )
        console.print(Text(f"  {found.applied} migrations applied, {found.pending} pending"))


def down(as_json: Json = False) -> None:
    """Stop the local brain's server; memories stay on disk."""
    from pgcortex import local

    stopped = local.down(settings().data_dir)
    if as_json:
        print_json({"stopped": stopped})
    else:
        console.print(Text("brain is down" if stopped else "brain was not running"))


def psql() -> None:
    """Open the SQL console as the local identity."""
    from pgcortex import local

    command, environment = local.console(local.up(settings().data_dir))
    os.execvpe(command[0], command, os.environ | environment)  # noqa: S606 (the console takes over this process)


def _progress(shown: ExitStack) -> Callable[[Migration, int, int], None]:
    """A bar on standard error once there is a migration to run, until `shown` ends."""
    bar = progress_bar()

    def tell(_: Migration, place: int, of: int) -> None:
        if not bar.tasks:
            shown.enter_context(bar)
            bar.add_task("migrating")
        bar.update(bar.task_ids[0], completed=place, total=of)

    return tell


def register(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (up, status, down, psql):
        app.command()(command)
