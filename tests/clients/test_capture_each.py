"""Many thoughts at once: a hundred are embedded while the hundred before them are stored."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
from pydantic import SecretStr

from pgcortex import Cortex, Settings
from pgcortex._operations._capture import BATCH
from pgcortex.embedding import Embedder, create_embedder
from tests.support.databases import new_database
from tests.support.provider import Provider


@pytest.fixture(scope="module")
def dsn() -> str:
    return new_database("capture_each", dimensions=384)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    made = create_embedder(Settings(_env_file=None))  # type: ignore[call-arg]
    assert made is not None
    return made


@pytest.fixture
def owner() -> UUID:
    return uuid4()


def settings(dsn: str, owner: UUID, **values: Any) -> Settings:
    return Settings(
        _env_file=None, database_url=SecretStr(dsn), owner_id=owner, extractor="none", redact=False, **values
    )


@pytest.fixture
def brain(dsn: str, owner: UUID, embedder: Embedder) -> Iterator[Cortex]:
    with Cortex(settings(dsn, owner), embedder=embedder) as opened:
        yield opened


def test_verdicts_come_in_order_and_a_bad_thought_costs_no_other(brain: Cortex) -> None:
    """Case C23, across batches."""
    said = [f"entry {n}" if n != BATCH + 20 else " " for n in range(2 * BATCH + 30)]
    verdicts = list(brain.capture_each({"content": content} for content in said))
    assert [v.status for v in verdicts] == ["refused" if c == " " else "created" for c in said]
    ids = [v.id for v in verdicts if v.id]
    assert [t.content for t in brain.get_many(ids)] == [c for c in said if c != " "]


def test_what_was_said_before_counts_across_the_seam_of_two_batches(
    brain: Cortex, embedder: Embedder, dsn: str
) -> None:
    said = [f"filler number {n}" for n in range(BATCH - 1)] + ["Shall we meet on Tuesday?", "Yes, gladly."]
    *_, last = brain.capture_each({"content": content, "session_id": "talk"} for content in said)
    with psycopg.connect(dsn) as conn:
        row = conn.execute(
            "select embedding::vector::real[] from memories where id = %s", [last.id]
        ).fetchone()
    assert row
    question, answer = np.array(embedder.embed(said[-2:]))
    assert np.array(row[0]) @ question > answer @ question + 0.05


def test_more_is_read_only_as_it_is_stored(brain: Cortex) -> None:
    taken = []

    def thoughts() -> Iterator[dict[str, Any]]:
        for n in range(20 * BATCH):
            taken.append(n)
            yield {"content": f"long list {n}"}

    verdicts = brain.capture_each(thoughts())
    assert [v.status for v in islice(verdicts, 3)] == ["created"] * 3
    assert len(taken) <= 3 * BATCH


def test_an_embedder_that_goes_away_half_way_costs_no_thought(dsn: str, owner: UUID) -> None:
    with Provider() as provider:
        provider.rule = lambda path, body: "400" if f"entry {BATCH + 50}." in str(body) else None
        chosen = settings(
            dsn,
            owner,
            embedder="openai",
            openai_base_url=provider.url,
            openai_api_key="sk-test",
            embedding_dimensions=384,
        )
        with psycopg.connect(dsn) as conn:
            conn.execute("update cortex.settings set value = 'null' where key = 'embedding_model'")
        with Cortex(chosen) as brain:
            verdicts = list(brain.capture_each({"content": f"entry {n}."} for n in range(2 * BATCH + 10)))
            assert brain.stats().total == len(verdicts)
    states = [v.enrichment_status for v in verdicts]
    assert all(v.status == "created" for v in verdicts)
    assert [bool(v.warnings) for v in verdicts] == [False] * BATCH + [True] * BATCH + [False] * 10
    assert set(states) == {"pending"}
