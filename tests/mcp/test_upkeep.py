"""What cron and the functions do for a hosted brain happens by itself for a local one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from pgcortex import Cortex, ProviderUnavailable, Settings, local
from pgcortex._upkeep import keep_up
from pgcortex.embedding import Embedder
from tests.mcp.test_stdio import COMMAND, REPOSITORY, Wire
from tests.support.brains import FAST
from tests.support.scratch import scratch_directory


class Away:
    """An embedder whose provider does not answer."""

    model, dimensions, match_threshold = "all-MiniLM-L6-v2-int8", 384, 0.1

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise ProviderUnavailable("nobody answers")


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    # Not below pytest's own directory, which each run closes to the account that Postgres runs as.
    with TemporaryDirectory(prefix="pgcortex-upkeep-", dir=scratch_directory()) as folder:
        local.up(Path(folder), settings=FAST)
        yield Path(folder)
        local.down(Path(folder))


@pytest.fixture
def opened(data_dir: Path, embedder: Embedder) -> Iterator[Callable[..., Cortex]]:
    brains: list[Cortex] = []

    def begin(own: Embedder | None = embedder, **values: object) -> Cortex:
        settings = Settings(_env_file=None, data_dir=data_dir, **values)  # type: ignore[call-arg,arg-type]
        brains.append(Cortex(settings, embedder=own))
        return brains[-1]

    yield begin
    for brain in brains:
        brain.close()


def test_what_was_stored_without_a_vector_is_found_by_meaning_after_upkeep(
    opened: Callable[..., Cortex],
) -> None:
    without = opened(None, embedder="none")
    id = without.capture("We are spending too much on API calls", session_id="money").id
    brain = opened()
    assert brain.stats().backlog.without_vector == 1
    assert keep_up(brain.core).enriched == 1
    assert brain.stats().backlog.without_vector == 0
    hit = brain.search("budget concerns")[0]
    assert (hit.id, hit.found_by) == (id, ["vector"])
    assert keep_up(brain.core).enriched == 0


def test_a_provider_that_is_away_costs_no_memory_and_is_asked_again(
    opened: Callable[..., Cortex],
) -> None:
    """Case C30: a failure is not a finding of nothing."""
    opened(None, embedder="none").capture("The attic is too warm in summer")
    brain = opened(Away())
    assert keep_up(brain.core).postponed == 1
    assert brain.stats().backlog.pending == 1
    assert keep_up(opened(None, embedder="none").core).postponed == 1
    assert keep_up(opened().core).enriched == 1


def test_due_jobs_run_once_and_again_when_they_are_due_again(
    opened: Callable[..., Cortex], data_dir: Path
) -> None:
    """Case C39: without a scheduler what was missed is caught up, by elapsed time."""
    brain = opened()
    keep_up(brain.core)
    assert [job["job"] for job in keep_up(brain.core).jobs if job["job"] != "enrichment"] == []
    id = brain.capture("A faded thought").id
    with psycopg.connect(local.up(data_dir).dsn, autocommit=True) as conn:
        fade = "update public.memory_activation set last_accessed_at = now() - interval '60 days'"
        conn.execute(f"{fade} where memory_id = %s", [id])
        conn.execute("update cortex.job_runs set at = at - interval '3 days'")
    assert {"decay", "cleanup"} <= {job["job"] for job in keep_up(brain.core).jobs}
    assert id is not None
    assert brain.get(id).archive_reason == "faded"


def test_a_hosted_brain_is_left_to_its_own_scheduler(brain: Cortex) -> None:
    assert keep_up(brain.core).jobs == []


def test_the_server_looks_after_the_brain_beside_answering(
    opened: Callable[..., Cortex], data_dir: Path, tmp_path: Path
) -> None:
    opened(None, embedder="none").capture("The bicycle is in the cellar")
    path = os.pathsep.join([str(REPOSITORY / "client"), str(REPOSITORY / "functions")])
    env = {**os.environ, "PYTHONPATH": path, "PGCORTEX_DATA_DIR": str(data_dir)}
    wire = Wire(COMMAND, env, tmp_path)
    wire.start()
    brain = opened()
    deadline = time.monotonic() + 60
    while brain.stats().backlog.pending and time.monotonic() < deadline:
        time.sleep(0.2)
    assert brain.stats().backlog.pending == 0
    assert wire.end() == 0
    assert wire.process.stdout is not None
    wire.process.stdout.close()
    assert (tmp_path / "stderr").read_text() == ""
