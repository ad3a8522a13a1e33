"""With the database away the notes themselves are searched, by words, and the answer says so."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

import pytest

from pgcortex.mirror import search_files
from pgcortex.notes import Note, file_name, write_note


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = [
        Note(content="The kitchen tap drips at night.", title="Tap", people=["Rae Holm"], tags=["home"]),
        Note(
            content="Call the plumber about the tap before Friday, and the tap upstairs.", thought_type="task"
        ),
        Note(content="明日会議室で資料確認"),
        Note(content="The old plan about taps.", valid_to="2026-06-01T00:00:00Z"),
    ]
    for age, note in enumerate(notes):
        path = tmp_path / file_name(note.model_copy(update={"id": uuid4()}))
        path.write_bytes(write_note(note))
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "bad.md").write_bytes(b"\xff\xfa")
    return tmp_path


def found(folder: Path, query: str) -> list[str]:
    return [hit.note.content.split()[0] for hit in search_files(folder, query)]


def test_hits_are_ranked_and_the_answer_is_marked_degraded(folder: Path) -> None:
    answer = search_files(folder, "tap plumber")
    assert answer.degraded
    assert answer.reason == "the database is away"
    assert answer.unreadable == ["bad.md"]
    assert [hit.note.content.split()[0] for hit in answer] == ["Call", "The"]
    scores = [hit.score for hit in answer]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("DRIPS!", ["The"]),
        ("rae", ["The"]),
        ("home", ["The"]),
        ("資料", ["明日会議室で資料確認"]),
        ("docker 資料", ["明日会議室で資料確認"]),
    ],
)
def test_words_people_tags_and_cjk_are_found_c11(folder: Path, query: str, first: list[str]) -> None:
    assert found(folder, query) == first


def test_names_of_front_matter_keys_are_not_words(folder: Path) -> None:
    assert found(folder, "people") == []
    assert found(folder, "thought_type") == []


def test_any_query_has_an_answer_c20(folder: Path) -> None:
    assert found(folder, "what's team:x & <me@y.z> !") == []
    assert found(folder, " ") == ["The", "Call", "明日会議室で資料確認"]


def test_superseded_notes_are_left_out_and_filters_apply(folder: Path) -> None:
    assert found(folder, "old plan taps") == []
    tasks = search_files(folder, "tap", where=lambda note: note.thought_type == "task")
    assert [hit.note.thought_type for hit in tasks] == ["task"]


def test_a_folder_without_notes_has_no_hits(tmp_path: Path) -> None:
    assert len(search_files(tmp_path, "anything")) == 0
