"""The markdown twin on a real database: both sides say the same, whatever was done to either."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from pgcortex._errors import DatabaseUnavailable, InvalidInput
from pgcortex.importers import ImportItem, walk
from pgcortex.mirror import BrainSource, FolderUnavailable, Mirror
from pgcortex.notes import Note, read_note, write_note
from tests.database.conftest import ADA, Person
from tests.support.mirrors import NOWHERE, brain_source


@pytest.fixture
def source(db: psycopg.Connection[Any]) -> Iterator[BrainSource]:
    with brain_source(db.info.dsn, ADA) as source:
        yield source


@pytest.fixture
def twin(tmp_path: Path, source: BrainSource) -> Mirror:
    return Mirror(tmp_path / "notes", source, timeout=2)


def files(twin: Mirror) -> dict[UUID | None, Path]:
    return {read_note(path).id: path for path in twin.root.glob("*.md")}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def offline(twin: Mirror) -> Iterator[Mirror]:
    """The same folder with a database that does not answer."""
    with brain_source(NOWHERE, ADA, timeout=0.5) as nothing:
        yield Mirror(twin.root, nothing, timeout=2)


def everything_below(root: Path) -> str:
    return "".join(p.read_text(encoding="utf-8") + p.name for p in root.rglob("*") if p.is_file())


def kinds(report: Any) -> list[str]:
    return [change.kind for change in report.changes]


def test_a_capture_is_in_the_database_and_in_one_file(twin: Mirror, ada: Person) -> None:
    report = twin.capture(Note(content="We deploy on Tuesdays.", title="Deploy day", people=["Rae"]))
    assert report.complete
    (path,) = twin.root.glob("*.md")
    note = read_note(path)
    assert path.name.startswith("deploy-day-")
    assert (note.id, note.title, note.people, note.store) == (report.id, "Deploy day", ["Rae"], "episodic")
    assert ada.query("select content from public.memories where id = %s", [report.id]) == [
        {"content": "We deploy on Tuesdays."}
    ]
    assert twin.verify().agree
    assert twin.queued == 0


def test_the_same_words_again_are_one_memory_and_one_file(twin: Mirror) -> None:
    first = twin.capture(Note(content="Only once."))
    again = twin.capture(Note(content="Only  once."))
    assert again.id == first.id
    assert len(files(twin)) == 1
    assert twin.verify().agree


def test_the_answer_says_that_the_file_half_failed_and_sync_repairs_it_c48(twin: Mirror) -> None:
    twin.root.write_text("a file where the folder should be")
    report = twin.capture(Note(content="Row without a note"))
    assert (report.database.state, report.file.state) == ("done", "failed")
    assert "cannot be written" in str(report.file.reason)
    with pytest.raises(FolderUnavailable):
        twin.sync()
    twin.root.unlink()
    assert kinds(twin.sync()) == ["file written"]
    assert list(files(twin)) == [report.id]


def test_with_the_database_away_writes_queue_and_search_falls_back_c48(
    twin: Mirror, offline: Mirror, source: BrainSource
) -> None:
    kept = twin.capture(Note(content="The staging password rotates on Mondays."))
    report = offline.capture(Note(content="The printer is on the third floor.", title="Printer"))
    assert (report.database.state, report.file.state) == ("queued", "done")
    changed = offline.update(kept.id, Note(content="The staging password rotates on Fridays."))
    assert changed.database.state == "queued"
    with pytest.raises(DatabaseUnavailable):
        offline.sync()
    hits = offline.search("printer floor")
    assert hits.degraded
    assert [hit.note.id for hit in hits] == [report.id]
    assert [hit.note.id for hit in offline.search("Fridays")] == [kept.id]

    assert twin.queued == 2
    assert kinds(twin.sync())[:2] == ["write replayed", "write replayed"]
    assert twin.queued == 0
    stored = {note.id: note.content for note in source.fetch()}
    assert stored == {
        report.id: "The printer is on the third floor.",
        kept.id: "The staging password rotates on Fridays.",
    }
    assert twin.verify().agree


def test_with_neither_side_the_write_is_refused(offline: Mirror) -> None:
    offline.root.write_text("no folder")
    with pytest.raises(DatabaseUnavailable):
        offline.capture(Note(content="nowhere to go"))


def test_what_the_database_refuses_leaves_nothing_behind(twin: Mirror) -> None:
    with pytest.raises(InvalidInput):
        twin.capture(Note(content="x", title="t" * 2_000))
    assert (twin.queued, files(twin)) == (0, {})


def test_a_queued_write_that_is_refused_is_put_aside_and_the_rest_goes_on(
    twin: Mirror, offline: Mirror, source: BrainSource
) -> None:
    offline.capture(Note(content="bad", title="t" * 2_000))
    offline.capture(Note(content="good"))
    report = twin.sync()
    assert "refused" in kinds(report)
    assert [note.content for note in source.fetch()] == ["good"]
    assert twin.queued == 0
    assert len(list((twin.root / ".pgcortex" / "rejected").iterdir())) == 1


def test_an_edit_by_hand_comes_back_as_an_update_c48(twin: Mirror, source: BrainSource) -> None:
    report = twin.capture(Note(content="Rae works at Alpha.", tags=["people"]))
    edit(files(twin)[report.id], "Alpha", "Beta")
    assert kinds(twin.sync()) == ["memory updated"]
    stored = source.get(report.id)
    assert stored is not None
    assert (stored.content, stored.tags) == ("Rae works at Beta.", ["people"])
    assert twin.verify().agree


def test_an_edit_that_only_changes_line_ends_is_no_edit(twin: Mirror) -> None:
    report = twin.capture(Note(content="one\ntwo"))
    path = files(twin)[report.id]
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert twin.verify().agree


def test_front_matter_that_is_taken_out_empties_nothing(twin: Mirror, source: BrainSource) -> None:
    report = twin.capture(Note(content="words", title="Kept", people=["Rae"], tags=["a", "b"]))
    path = files(twin)[report.id]
    path.write_text("words, and more\n")
    assert kinds(twin.sync()) == ["memory updated"]
    stored = source.get(report.id)
    assert stored is not None
    assert (stored.content, stored.title, stored.people) == ("words, and more", "Kept", ["Rae"])
    assert read_note(path).id == report.id
    edit(path, "tags:\n- a\n- b\n", "tags: []\n")
    twin.sync()
    stored = source.get(report.id)
    assert stored is not None
    assert stored.tags == []


def test_an_emptied_note_is_written_again(twin: Mirror, source: BrainSource) -> None:
    report = twin.capture(Note(content="words", people=["Rae"]))
    (path,) = twin.root.glob("*.md")
    for damage in (b"", b"---\npeople: [x]\n---\n\n"):
        path.write_bytes(damage)
        assert kinds(twin.sync()) == ["file refreshed"]
        assert (read_note(path).content, read_note(path).people) == ("words", ["Rae"])
    assert source.get(report.id) is not None


def test_changes_to_different_fields_are_merged(twin: Mirror, source: BrainSource, ada: Person) -> None:
    report = twin.capture(Note(content="Ship it", topics=["old"]))
    edit(files(twin)[report.id], "Ship it", "Ship it on Friday")
    ada.query("update public.memories set topics = '{release}' where id = %s", [report.id])
    assert kinds(twin.sync()) == ["memory updated"]
    note = read_note(files(twin)[report.id])
    assert (note.content, note.topics) == ("Ship it on Friday", ["release"])
    assert twin.verify().agree


def test_one_field_changed_on_both_sides_keeps_the_edit_and_sets_the_other_aside(
    twin: Mirror, source: BrainSource, ada: Person
) -> None:
    report = twin.capture(Note(content="Ship it"))
    edit(files(twin)[report.id], "Ship it", "Ship it by hand")
    ada.query("update public.memories set content = 'Ship it by agent' where id = %s", [report.id])
    result = twin.sync()
    assert kinds(result) == ["changed on both sides", "memory updated"]
    stored = source.get(report.id)
    assert stored is not None
    assert stored.content == "Ship it by hand"
    (aside,) = (twin.root / ".pgcortex" / "conflicts").iterdir()
    assert read_note(aside).content == "Ship it by agent"
    assert twin.verify().agree


def test_a_change_in_the_database_refreshes_the_file_and_keeps_foreign_front_matter(
    twin: Mirror, ada: Person
) -> None:
    report = twin.capture(Note(content="old words"))
    path = files(twin)[report.id]
    edit(path, "---\n\nold", "aliases: [x]\n---\n\nold")
    ada.query("update public.memories set content = 'new words' where id = %s", [report.id])
    assert kinds(twin.sync()) == ["file refreshed"]
    note = read_note(path)
    assert (note.content, note.extra) == ("new words", {"aliases": ["x"]})


def test_a_stale_note_does_not_revive_old_words_c48(twin: Mirror, source: BrainSource, ada: Person) -> None:
    report = twin.capture(Note(content="version one"))
    path = files(twin)[report.id]
    old = path.read_bytes()
    ada.query("update public.memories set content = 'version two' where id = %s", [report.id])
    twin.sync()
    path.write_bytes(old)  # a synchronised folder brings the old file back
    twin.sync()
    assert "version two" in path.read_text()
    (item,) = [result for result in walk([twin.root]) if isinstance(result, ImportItem)]
    assert source.capture(item) == report.id
    assert [note.content for note in source.fetch()] == ["version two"]


def test_a_file_deleted_by_hand_is_reported_until_somebody_decides(twin: Mirror, source: BrainSource) -> None:
    report = twin.capture(Note(content="still wanted?"))
    files(twin)[report.id].unlink()
    for _ in range(2):
        assert kinds(twin.sync()) == ["deleted by hand"]
    assert files(twin) == {}
    assert kinds(twin.sync(deletions="restore")) == ["file written"]
    files(twin)[report.id].unlink()
    assert kinds(twin.sync(deletions="forget")) == ["memory forgotten"]
    assert source.is_forgotten(report.id)
    assert twin.verify().agree


@pytest.mark.parametrize("hard", [False, True])
def test_a_forgotten_memory_leaves_no_trace_in_the_folder_and_never_returns_c38(
    twin: Mirror, offline: Mirror, source: BrainSource, hard: bool
) -> None:
    report = twin.capture(Note(content="The code word is heliotrope."))
    copy = files(twin)[report.id].read_bytes()
    offline.update(report.id, Note(content="The code word is heliotrope, still."))
    assert twin.forget(report.id, hard=hard).complete
    assert "heliotrope" not in everything_below(twin.root)
    (twin.root / "restored-from-backup.md").write_bytes(copy)
    assert kinds(twin.sync()) == ["file removed"]
    assert "heliotrope" not in everything_below(twin.root)
    assert list(source.fetch()) == []


def test_forgetting_while_the_database_is_away_happens_at_once_in_the_files(
    twin: Mirror, offline: Mirror, source: BrainSource
) -> None:
    report = twin.capture(Note(content="heliotrope"))
    assert offline.forget(report.id).database.state == "queued"
    assert "heliotrope" not in everything_below(twin.root)
    twin.refresh()
    assert source.is_forgotten(report.id)


def test_what_was_forgotten_elsewhere_loses_its_file_c38(twin: Mirror, source: BrainSource) -> None:
    report = twin.capture(Note(content="heliotrope"))
    source.forget(report.id, reason=None, hard=True)
    assert kinds(twin.sync()) == ["file removed"]
    assert "heliotrope" not in everything_below(twin.root)


def test_a_note_put_into_the_folder_becomes_a_memory_once(twin: Mirror, source: BrainSource) -> None:
    twin.sync()
    path = twin.root / "Shopping.md"
    path.write_text("---\ntags: [home]\naliases: [list]\n---\nBuy two lamps.\n")
    (twin.root / "copy.md").write_text("Buy two lamps.\n")
    report = twin.sync()
    assert sorted(kinds(report)) == ["duplicate", "memory captured"]
    (stored,) = source.fetch()
    again = twin.sync()
    assert kinds(again) == ["duplicate"]
    named = [note for note in map(read_note, twin.root.glob("*.md")) if note.id is not None]
    assert [note.id for note in named] == [stored.id]


def test_a_second_file_with_one_id_is_reported_and_left_alone(twin: Mirror, source: BrainSource) -> None:
    report = twin.capture(Note(content="template"))
    path = files(twin)[report.id]
    copy = twin.root / "a-copy.md"
    copy.write_text(path.read_text().replace("template", "filled in"))
    assert [str(change).split(" (")[0] for change in twin.sync().changes] == ["duplicate: a-copy.md"]
    edit(copy, f"id: {report.id}\n", "")
    assert kinds(twin.sync()) == ["memory captured"]
    assert sorted(note.content for note in source.fetch()) == ["filled in", "template"]


def test_a_renamed_file_keeps_its_name_and_its_memory(twin: Mirror, ada: Person) -> None:
    report = twin.capture(Note(content="words"))
    files(twin)[report.id].rename(twin.root / "My own name.md")
    assert twin.sync().agree
    ada.query("update public.memories set content = 'other words' where id = %s", [report.id])
    twin.sync()
    assert [path.name for path in twin.root.glob("*.md")] == ["My own name.md"]
    assert "other words" in (twin.root / "My own name.md").read_text()


def test_files_that_cannot_be_read_or_lead_out_are_reported_c46_c54(twin: Mirror, tmp_path: Path) -> None:
    twin.sync()
    secret = tmp_path / "secret.md"
    secret.write_text("private words")
    (twin.root / "out.md").symlink_to(secret)
    (twin.root / "bad.md").write_bytes(b"\xff\xfa")
    (twin.root / "blank.md").write_text("\n")
    report = twin.sync()
    assert [(change.kind, change.name) for change in report.changes] == [
        ("unreadable", "bad.md"),
        ("unreadable", "out.md"),
        ("refused", "blank.md"),
    ]
    assert secret.read_text() == "private words"


def test_a_linked_folder_works_like_a_real_one_c46(tmp_path: Path, source: BrainSource) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    twin = Mirror(tmp_path / "linked", source)
    for title in ("../../x", "TCP/IP", "CON", ".."):
        assert twin.capture(Note(content=f"about {title}", title=title)).complete
    assert len(list((tmp_path / "real").glob("*.md"))) == 4
    assert {read_note(path).title for path in (tmp_path / "real").glob("*.md")} == {
        "../../x",
        "TCP/IP",
        "CON",
        "..",
    }
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == [
        "linked",
        "real",
    ]


def test_either_side_is_rebuilt_from_the_other_c48(twin: Mirror, source: BrainSource, db: Any) -> None:
    ids = {
        twin.capture(Note(content=f"memory {number}", confidence=0.3, metadata={"n": number})).id
        for number in range(5)
    }
    before = {note.id: note for note in source.fetch()}
    for path in twin.root.glob("*.md"):
        path.unlink()
    assert twin.rebuild("files").counts == {"file written": 5}
    assert set(files(twin)) == ids

    db.execute("truncate public.memories, public.memory_events cascade")
    assert twin.rebuild("database").counts == {"memory captured": 5}
    after = {note.id: note for note in source.fetch()}
    assert {key: note.model_dump(exclude={"updated_at"}) for key, note in after.items()} == {
        key: note.model_dump(exclude={"updated_at"}) for key, note in before.items()
    }
    assert twin.verify().agree


def test_verify_changes_nothing(twin: Mirror, ada: Person) -> None:
    report = twin.capture(Note(content="old"))
    edit(files(twin)[report.id], "old", "new")
    ada.capture("only in the database")
    (twin.root / "new.md").write_text("only a file")
    state = {path: path.read_bytes() for path in twin.root.rglob("*") if path.is_file()}
    for _ in range(2):
        assert sorted(kinds(twin.verify())) == ["file written", "memory captured", "memory updated"]
    assert {path: path.read_bytes() for path in twin.root.rglob("*") if path.is_file()} == state
    assert ada.query("select count(*) from public.memories") == [{"count": 2}]


def test_refresh_brings_what_other_clients_stored(twin: Mirror, ada: Person) -> None:
    twin.refresh()
    first = ada.capture("from another client")
    assert kinds(twin.refresh()) == ["file written"]
    ada.query("update public.memories set content = 'changed there' where id = %s", [first])
    assert kinds(twin.refresh()) == ["file refreshed"]
    assert twin.refresh().agree


def test_a_mirror_shows_one_owner_only(twin: Mirror, ben: Person) -> None:
    ben.capture("Ben's own")
    twin.capture(Note(content="Ada's own"))
    twin.sync()
    assert [read_note(path).content for path in twin.root.glob("*.md")] == ["Ada's own"]


def test_a_note_written_by_an_older_file_name_is_found_by_its_id(twin: Mirror, source: BrainSource) -> None:
    memory_id = uuid4()
    twin.sync()
    (twin.root / "x.md").write_bytes(
        write_note(Note(content="from a lost brain", id=memory_id, store="semantic"))
    )
    assert kinds(twin.sync()) == ["memory captured"]
    stored = source.get(memory_id)
    assert stored is not None
    assert stored.store == "semantic"


def test_only_the_owner_learns_what_was_forgotten_c40(ada: Person, ben: Person, anon: Person) -> None:
    soft, hard, live = (ada.capture(words) for words in ("softly", "for good", "still here"))
    ada.call("forget", id=soft)
    ada.call("forget", id=hard, hard=True)
    asked = [soft, hard, live, uuid4()]
    answer = ada.query("select * from public.forgotten_among(%s)", [asked])
    assert {row["forgotten_among"] for row in answer} == {soft, hard}
    assert ben.query("select * from public.forgotten_among(%s)", [asked]) == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        anon.query("select * from public.forgotten_among(%s)", [asked])
