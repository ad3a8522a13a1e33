"""The clients with a mirror: what is written through them is in the database and in the notes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from mcp.client import Client
from pydantic import SecretStr

from pgcortex import (
    AsyncCortex,
    Cortex,
    DatabaseUnavailable,
    Filters,
    InvalidInput,
    LocalBrainError,
    NotFound,
    Settings,
)
from pgcortex._operations import _mirrored
from pgcortex.mcp._brains import OneBrain
from pgcortex.mcp._server import build
from pgcortex.mirror import BrainSource, Mirror
from pgcortex.notes import read_note
from tests.database.conftest import ADA
from tests.support.mirrors import NOWHERE

KEY = "AKIAIOSFODNN7EXAMPLF"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "notes"


def settings(dsn: str, folder: Path | None) -> Settings:
    return Settings(
        database_url=SecretStr(dsn),
        owner_id=ADA,
        embedder="none",
        extractor="none",
        mirror_dir=folder,
        timeout=1 if dsn == NOWHERE else 10,
    )


@pytest.fixture
def brain(db: psycopg.Connection[Any], folder: Path) -> Iterator[Cortex]:
    with Cortex(settings(db.info.dsn, folder)) as brain:
        yield brain


@pytest.fixture
def away(folder: Path) -> Iterator[Cortex]:
    """The same folder, with a database that does not answer."""
    with Cortex(settings(NOWHERE, folder)) as brain:
        yield brain


def contents(folder: Path) -> list[str]:
    return sorted(read_note(path).content for path in folder.glob("*.md"))


def twin(brain: Cortex) -> Mirror:
    assert brain.core.mirror is not None
    return brain.core.mirror


def test_every_write_of_a_client_reaches_the_notes(brain: Cortex, folder: Path) -> None:
    deploy = brain.capture("We deploy on Tuesdays.")
    tea = brain.remember("Rae drinks tea.", people=["Rae"])
    assert (deploy.status, deploy.mirrored, tea.mirrored) == ("created", True, True)
    assert deploy.id and tea.id
    assert contents(folder) == ["Rae drinks tea.", "We deploy on Tuesdays."]

    changed = brain.update_thought(tea.id, content="Rae drinks coffee.")
    pinned = brain.pin(tea.id)
    newer = brain.capture("We deploy on Fridays.")
    assert newer.id
    replaced = brain.supersede(deploy.id, newer.id)
    assert (changed.mirrored, pinned.mirrored, replaced.mirrored) == (True, True, True)
    notes = {note.id: note for note in map(read_note, folder.glob("*.md"))}
    assert (notes[tea.id].content, notes[tea.id].pinned) == ("Rae drinks coffee.", True)
    assert notes[deploy.id].superseded_by == newer.id

    saved = brain.checkpoint({"summary": "halfway"})
    assert saved.mirrored
    assert brain.checkpoint({"summary": "done"}).mirrored
    assert brain.forget(tea.id).mirrored
    assert "Rae drinks coffee." not in contents(folder)
    assert brain.restore(tea.id).mirrored
    assert "Rae drinks coffee." in contents(folder)
    assert twin(brain).verify().changes == []


def test_without_a_mirror_nothing_is_said_or_written(db: psycopg.Connection[Any], folder: Path) -> None:
    with Cortex(settings(db.info.dsn, None)) as brain:
        verdict = brain.capture("No note of this.")
        assert (verdict.status, verdict.mirrored) == ("created", None)
    assert not folder.exists()


def test_many_are_mirrored_and_a_refused_one_stops_no_other(brain: Cortex, folder: Path) -> None:
    thoughts = [{"content": f"Thought {n}"} for n in range(5)]
    refused = [{"content": " "}, {"content": "bad kind", "thought_type": "poem"}]
    verdicts = brain.capture_many([*thoughts[:2], *refused, *thoughts[2:], thoughts[0]])
    assert [v.status for v in verdicts] == [
        *("created", "created", "refused", "refused", "created", "created", "created", "exists")
    ]
    assert [v.mirrored for v in verdicts] == [True, True, None, None, True, True, True, True]
    assert contents(folder) == [f"Thought {n}" for n in range(5)]
    assert twin(brain).queued == 0
    assert twin(brain).verify().changes == []


def test_with_the_database_away_writes_wait_in_the_notes_and_are_brought_c48(
    brain: Cortex, away: Cortex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case C48."""
    old = brain.capture("The staging password rotates on Mondays.").id
    wrong = brain.capture("The moon is made of cheese.").id
    assert old and wrong
    before = brain.get(old).occurred_at

    queued = away.capture("The printer is on the third floor.", tags=["office"])
    assert (queued.status, queued.mirrored) == ("queued", True)
    changed = away.update_thought(old, content="The staging password rotates on Fridays.", pinned=True)
    assert (changed.status, changed.mirrored) == ("queued", True)
    assert away.forget(wrong).status == "queued"
    with pytest.raises(DatabaseUnavailable):
        away.update_thought(old, done=True)
    assert contents(folder) == [
        "The printer is on the third floor.",
        "The staging password rotates on Fridays.",
    ]

    monkeypatch.setattr(_mirrored, "PATIENCE", 0.0)
    assert brain.capture("The database is back.").warnings == []
    assert twin(brain).queued == 0
    thoughts = {thought.id: thought for thought in brain.list_thoughts()}
    assert {thought.content for thought in thoughts.values()} == set(contents(folder))
    assert queued.id and thoughts[queued.id].tags == ["office"]
    assert (thoughts[old].pinned, thoughts[old].occurred_at) == (True, before)
    assert wrong not in thoughts
    assert twin(brain).verify().changes == []


def test_with_the_database_away_a_search_reads_the_notes_and_says_so(brain: Cortex, away: Cortex) -> None:
    kept = brain.capture("The printer is on the third floor.", topics=["Office"])
    brain.capture("The printer of the lab is broken.", topics=["lab"])
    for found in (away.search("printer floor"), away.recall("printer floor")):
        assert found.degraded == "the database is away, so only the markdown notes were searched"
        assert found.notice
        assert (len(found), found[0].id, found[0].score) == (2, kept.id, 1.0)
    within = away.search("printer", filters=Filters(topics=["office"]))
    assert [hit.id for hit in within] == [kept.id]
    assert len(away.search("zeppelin")) == 0


def test_what_waits_can_be_found_and_forgotten(brain: Cortex, away: Cortex, folder: Path) -> None:
    queued = away.capture("A thought of a moment")
    assert queued.id
    assert [hit.id for hit in away.search("moment")] == [queued.id]
    assert brain.forget(queued.id).status == "forgotten"
    assert contents(folder) == []
    assert brain.list_thoughts() == []


def test_secrets_are_masked_before_a_note_is_written_or_queued(
    brain: Cortex, away: Cortex, folder: Path
) -> None:
    one = brain.capture(f"the key is {KEY} for now", metadata={"copy": KEY})
    two = away.capture(f"once more, the key is {KEY}", title=f"key {KEY}")
    assert one.id
    away.update_thought(one.id, content=f"it was {KEY} all along")
    assert one.redacted and two.redacted
    kept = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]
    assert len(kept) > 4
    assert KEY not in "".join(kept)


def test_a_folder_that_cannot_be_written_costs_no_memory_c48(brain: Cortex, folder: Path) -> None:
    """Case C48: the answer says that the note is missing, and a sync writes it."""
    folder.write_text("a file where the folder should be")
    verdict = brain.capture("Row without a note")
    assert (verdict.status, verdict.mirrored) == ("created", False)
    assert "cannot be written" in verdict.warnings[0]
    assert verdict.id
    changed = brain.update_thought(verdict.id, content="Row without any note")
    assert (changed.status, changed.mirrored) == ("updated", False)
    assert brain.pin(verdict.id).mirrored is False
    folder.unlink()
    twin(brain).sync()
    assert contents(folder) == ["Row without any note"]
    assert twin(brain).verify().agree


def test_with_neither_side_a_write_is_refused(away: Cortex, folder: Path) -> None:
    folder.write_text("no folder")
    with pytest.raises(DatabaseUnavailable):
        away.capture("nowhere to go")


def test_a_refusal_leaves_nothing_behind(brain: Cortex, folder: Path) -> None:
    kept = brain.capture("a good one").id
    assert kept
    with pytest.raises(InvalidInput):
        brain.update_thought(kept, thought_type="poem")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        brain.update_thought(kept, content="x", session_id="s" * 3000)
    with pytest.raises(NotFound):
        brain.forget(ADA)
    assert twin(brain).queued == 0
    assert twin(brain).verify().changes == []


def test_an_edit_by_hand_is_not_lost_to_a_write_of_the_client(brain: Cortex, folder: Path) -> None:
    kept = brain.capture("Standup is at nine.", people=["Rae"]).id
    assert kept
    (path,) = folder.glob("*.md")
    path.write_text(path.read_text().replace("Standup is at nine.", "Standup is at ten."))
    changed = brain.update_thought(kept, tags=["routine"])
    assert (changed.status, changed.mirrored) == ("updated", False)
    twin(brain).sync()
    now = brain.get(kept)
    assert (now.content, now.tags) == ("Standup is at ten.", ["routine"])
    assert twin(brain).verify().agree


def test_the_mirror_of_a_client_writes_to_the_database_once(brain: Cortex, folder: Path) -> None:
    """A note put into the folder becomes one memory, though the client mirrors what it captures."""
    folder.mkdir()
    (folder / "mine.md").write_text("Written by hand.\n")
    report = Mirror(folder, BrainSource(brain.core)).sync()
    assert [change.kind for change in report.changes] == ["memory captured"]
    assert len(list(folder.glob("*.md"))) == len(brain.list_thoughts()) == 1


@pytest.mark.anyio
async def test_the_awaited_client_mirrors_too(db: psycopg.Connection[Any], folder: Path) -> None:
    async with AsyncCortex(settings(db.info.dsn, folder)) as brain:
        verdict = await brain.capture("Said in passing.")
    assert verdict.mirrored
    assert json.loads(verdict.model_dump_json())["mirrored"] is True
    assert contents(folder) == ["Said in passing."]


def test_a_local_brain_that_cannot_start_is_a_database_that_is_away(tmp_path: Path, folder: Path) -> None:
    broken = tmp_path / "brain"
    broken.write_text("a file where the brain should be")
    with pytest.raises(LocalBrainError):
        Cortex(Settings(data_dir=broken, embedder="none"))
    with Cortex(Settings(data_dir=broken, embedder="none", mirror_dir=folder)) as brain:
        assert brain.capture("Kept until the brain is mended.").status == "queued"
        assert brain.search("mended").degraded
        with pytest.raises(DatabaseUnavailable):
            brain.stats()


def test_a_memory_that_replaces_another_waits_and_says_what_is_left_to_do(
    brain: Cortex, away: Cortex
) -> None:
    old = brain.capture("We meet on Mondays.").id
    verdict = away.remember("We meet on Wednesdays.", supersedes=old)
    assert verdict.status == "queued"
    assert str(old) in verdict.warnings[0]


def test_a_tool_of_mcp_mirrors_what_it_stores(db: psycopg.Connection[Any], folder: Path) -> None:
    server = build(OneBrain(settings(db.info.dsn, folder)))

    async def store() -> str:
        async with Client(server) as client:
            result = await client.call_tool("cortex_remember", {"content": "An agent said so."})
            return str(result.content[0])

    assert '"mirrored": true' in anyio.run(store).replace("\\", "")
    assert contents(folder) == ["An agent said so."]
