"""What is exported can be imported, and nothing is lost on the way."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pgcortex.exporters import export_jsonl, export_markdown
from pgcortex.importers import ImportItem, detect, walk
from pgcortex.notes import Note, read_note
from tests.unit.test_notes import NOTES

RECORDS = st.lists(
    st.tuples(NOTES.filter(lambda note: note.content.strip()), st.uuids()).map(
        lambda pair: pair[0].model_copy(update={"id": pair[1]})
    ),
    max_size=4,
    unique_by=lambda note: note.id,
)


def imported(path: Path) -> list[Note]:
    items = [result for result in walk([path]) if isinstance(result, ImportItem)]
    return [Note(**item.model_dump(exclude={"origin"})) for item in items]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("export")


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(RECORDS)
def test_json_lines_import_losslessly(place: Path, records: list[Note]) -> None:
    path = place / "brain.jsonl"
    with path.open("w", encoding="utf-8") as out:
        assert export_jsonl(records, out) == len(records)
    assert imported(path) == records


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(RECORDS)
def test_a_folder_of_notes_imports_losslessly(place: Path, records: list[Note]) -> None:
    folder = place / str(uuid4())
    assert export_markdown(records, folder).problems == []
    assert sorted(imported(folder), key=lambda note: str(note.id)) == sorted(
        records, key=lambda note: str(note.id)
    )


def test_every_column_survives(tmp_path: Path) -> None:
    full = Note(
        id=uuid4(), content="c", title="t", thought_type="task", store="prospective", category="goal",
        occurred_at="2026-06-01T08:00:00Z", due_at="2026-06-02", people=["p"], topics=["t"], tags=["g"],
        actions=["a"], source="cron", confidence=0.5, valence=-0.5, arousal=0.25, pinned=True, session_id="s",
        namespace="n", created_at="2026-06-01", updated_at="2026-06-02", expires_at="2026-06-03",
        valid_to="2026-06-04", superseded_by=UUID(int=3), extractor="rules/1", metadata={"k": [1, None]},
    )  # fmt: skip
    with (tmp_path / "a.jsonl").open("w") as out:
        export_jsonl([full], out)
    export_markdown([full], tmp_path / "notes")
    assert set(full.model_fields_set) == set(Note.model_fields) - {"extra", "warnings"}
    assert detect(tmp_path / "a.jsonl") == "jsonl"
    assert imported(tmp_path / "a.jsonl") == imported(tmp_path / "notes") == [full]


def test_one_bad_note_does_not_stop_an_export_c50(tmp_path: Path) -> None:
    notes = [Note(content=f"n{n}", title="計" * 100, id=UUID(int=n)) for n in range(3)]
    outside = tmp_path / "outside.md"
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / f"{'計' * 33}-{UUID(int=1).hex[-12:]}.md").symlink_to(outside)
    result = export_markdown(notes, folder)
    assert (result.written, len(result.problems)) == (2, 1)
    assert not outside.exists()


def test_a_second_export_writes_what_changed_and_keeps_what_others_added(tmp_path: Path) -> None:
    first, second = (Note(content=text, id=uuid4()) for text in ("one", "two"))
    export_markdown([first, second], tmp_path)
    (path,) = tmp_path.glob("one-*.md")
    path.write_text(path.read_text().replace("---\n\n", "aliases: [x]\n---\n\n"))
    changed = first.model_copy(update={"content": "other words", "title": "A title by now"})
    result = export_markdown([changed, second], tmp_path)
    assert (result.written, result.unchanged) == (1, 1)
    assert len(list(tmp_path.glob("*.md"))) == 2
    again = read_note(path)
    assert (again.content, again.title, again.extra) == ("other words", "A title by now", {"aliases": ["x"]})
