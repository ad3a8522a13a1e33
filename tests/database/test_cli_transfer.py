"""`pgcortex import`, `export` and `mirror` as a person runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from typer.testing import CliRunner, Result

from pgcortex import Cortex, InvalidInput, Settings
from pgcortex.cli._app import app
from pgcortex.notes import read_note

Run = Callable[..., Result]
CLOCKS = {"updated_at"}


@pytest.fixture
def run(db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command as somebody; `code` is the exit code it must have."""
    monkeypatch.setenv("PGCORTEX_DATABASE_URL", db.info.dsn)
    monkeypatch.setenv("PGCORTEX_EMBEDDER", "none")
    monkeypatch.setenv("PGCORTEX_EXTRACTOR", "none")
    monkeypatch.chdir(tmp_path)

    def _run(*arguments: str | Path, owner: UUID, code: int = 0) -> Result:
        result = CliRunner().invoke(app, [*map(str, arguments)], env={"PGCORTEX_OWNER_ID": str(owner)})
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return _run


def brain_of(owner: UUID) -> Cortex:
    return Cortex(Settings(owner_id=owner))


def lines(path: Path) -> list[dict[str, Any]]:
    """The memories of an export, by id, without the clocks of this database."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").rstrip().split("\n")]
    kept = [{name: value for name, value in row.items() if name not in CLOCKS} for row in rows]
    return sorted(kept, key=lambda row: str(row["id"]))


def fill(owner: UUID) -> dict[str, UUID | None]:
    """A brain with what is easily lost on the way: times, a session, a pin, metadata, replaced memories."""
    with brain_of(owner) as brain:
        old = brain.capture("We deploy on Tuesdays.", session_id="ops", confidence=0.35, valence=-0.5)
        newer = brain.remember("We deploy on Fridays.", supersedes=old.id, metadata={"why": {"n": [1, 2.5]}})
        newest = brain.remember("We deploy daily.", supersedes=newer.id, store="semantic", people=["Rae"])
        pinned = brain.capture("Line one\nline two\r\n\ttab \u2028 end", pinned=True, tags=["a: b", "#x"])
        brain.capture("Call the dentist", due_at="2030-01-02T10:00:00.123456Z", actions=["call"])  # type: ignore[arg-type]
        gone = brain.capture("Forget me")
        assert gone.id
        brain.forget(gone.id)
        brain.checkpoint({"summary": "one"}, session_id="ops")
        brain.checkpoint({"summary": "two"}, session_id="ops")
    return {"old": old.id, "newer": newer.id, "newest": newest.id, "pinned": pinned.id}


def test_an_export_imported_into_a_new_brain_exports_the_same(run: Run, tmp_path: Path) -> None:
    ada, ben = uuid4(), uuid4()
    ids = fill(ada)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("export", first, owner=ada)
    told = json.loads(run("import", first, "--json", owner=ben).stdout)
    assert told == {"formats": {"jsonl": {"created": 7}}, "skipped": [], "changed": []}
    run("export", second, owner=ben)
    assert lines(second) == lines(first)
    with brain_of(ben) as brain:
        assert ids["old"] and brain.get(ids["old"]).superseded_by == ids["newer"]
        assert {t.content for t in brain.list_thoughts()}.isdisjoint({"We deploy on Tuesdays.", "Forget me"})

    again = json.loads(run("import", first, "--json", owner=ben).stdout)
    assert again == {"formats": {"jsonl": {"exists": 7}}, "skipped": [], "changed": []}
    run("export", second, owner=ben)
    assert lines(second) == lines(first)


def test_a_folder_of_notes_comes_back_as_it_was(run: Run, tmp_path: Path) -> None:
    ada, ben = uuid4(), uuid4()
    fill(ada)
    folder = tmp_path / "notes"
    assert "7 notes written, 0 unchanged" in run("export", "--markdown", folder, owner=ada).stdout
    assert "0 notes written, 7 unchanged" in run("export", "--markdown", folder, owner=ada).stdout
    assert run("import", folder, owner=ben).stdout == "markdown: 7 created\n"
    for owner, name in ((ada, "a.jsonl"), (ben, "b.jsonl")):
        run("export", tmp_path / name, owner=owner)
    assert lines(tmp_path / "b.jsonl") == lines(tmp_path / "a.jsonl")


def test_an_import_tells_by_format_what_was_skipped_and_why(run: Run, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "good.md").write_text("A note.\n")
    (vault / "empty.md").write_text("\n")
    (vault / "bytes.md").write_bytes(b"caf\xe9 \xff")
    (vault / "rows.jsonl").write_text('{"content": "One row"}\nnot json\n{"content": " "}\n')
    (vault / "photo.png").write_bytes(b"\x89PNG")
    result = run("import", vault, tmp_path / "nowhere", owner=uuid4(), code=1)
    assert result.stdout.splitlines() == [
        "files: 1 skipped",
        "jsonl: 1 created, 2 skipped",
        "markdown: 1 created, 2 skipped",
    ]
    run("import", vault, owner=uuid4())
    for reason in ("empty.md: blank", "bytes.md: ", "rows.jsonl line 2: ", "nowhere: no such file"):
        assert f"skipped {reason}" in result.stderr


def test_an_export_that_fails_leaves_the_last_one_whole(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, backup = uuid4(), tmp_path / "backup.jsonl"
    fill(owner)
    run("export", backup, owner=owner)
    before = backup.read_bytes()
    monkeypatch.setenv("PGCORTEX_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/x")
    monkeypatch.setenv("PGCORTEX_TIMEOUT", "0.2")
    run("export", backup, owner=owner, code=1)
    assert backup.read_bytes() == before
    assert list(tmp_path.iterdir()) == [backup]


@pytest.mark.parametrize("place", [["/nonexistent/x.jsonl"], ["."], ["--markdown", "/dev/null/notes"]])
def test_an_export_to_where_nobody_can_write_says_so(run: Run, place: list[str]) -> None:
    error = run("export", *place, owner=uuid4(), code=1).exception
    assert isinstance(error, InvalidInput)
    assert error.field == "path"


def test_an_export_goes_through_a_link_and_a_device(run: Run, tmp_path: Path) -> None:
    owner, target, link = uuid4(), tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    fill(owner)
    link.symlink_to(target)
    run("export", link, owner=owner)
    assert link.is_symlink()
    assert len(lines(target)) == 7
    told = json.loads(run("export", link, "--json", owner=owner).stdout)
    assert told == {"memories": 7, "path": str(link)}
    run("export", "/dev/null", owner=owner)
    assert not Path("/dev/null").is_file()


def test_words_that_are_current_here_stay_so(run: Run, tmp_path: Path) -> None:
    """A replaced memory of an export whose words somebody here has stored anew is not replaced here."""
    owner, old, new = uuid4(), uuid4(), uuid4()
    with brain_of(owner) as brain:
        mine = brain.capture("We meet on Mondays.").id
    export = tmp_path / "other.jsonl"
    ended = {"valid_to": "2026-01-02"}
    rows = [
        {"id": str(new), "content": "We meet on Wednesdays."},
        {
            "id": str(old),
            "content": "We meet on Mondays.",
            **ended,
            "superseded_by": str(new),
        },
        {
            "id": str(uuid4()),
            "content": "An orphan.",
            **ended,
            "superseded_by": str(uuid4()),
        },
    ]
    export.write_text("\n".join(map(json.dumps, rows)))
    told = json.loads(run("import", export, "--json", owner=owner).stdout)
    assert told["formats"] == {"jsonl": {"created": 2, "exists": 1}}
    assert len(told["changed"]) == 2
    assert mine
    with brain_of(owner) as brain:
        assert brain.get(mine).valid_to is None


def test_an_import_is_mirrored(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = tmp_path / "twin"
    monkeypatch.setenv("PGCORTEX_MIRROR_DIR", str(twin))
    ada, ben = uuid4(), uuid4()
    fill(ada)
    run("export", tmp_path / "brain.jsonl", owner=ada)
    other = tmp_path / "other"
    monkeypatch.setenv("PGCORTEX_MIRROR_DIR", str(other))
    run("import", tmp_path / "brain.jsonl", owner=ben)
    assert len(list(other.glob("*.md"))) == len(list(twin.glob("*.md"))) == 7
    assert "agree" in run("mirror", "verify", owner=ben).stdout


def test_mirror_commands_show_and_mend_what_differs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, folder = uuid4(), tmp_path / "notes"
    assert "mirror_dir: is not set" in str(run("mirror", "verify", owner=owner, code=1).exception)
    with brain_of(owner) as brain:
        brain.capture("Standup is at nine.")
        brain.capture("Lunch is at noon.")
    monkeypatch.setenv("PGCORTEX_MIRROR_DIR", str(folder))
    apart = json.loads(run("mirror", "verify", "--json", owner=owner, code=1).stdout)
    assert (apart["agree"], apart["counts"]) == (False, {"file written": 2})
    assert list(folder.glob("*.md")) == []
    run("mirror", "sync", owner=owner)
    run("mirror", "verify", owner=owner)

    standup = next(path for path in folder.glob("*.md") if "nine" in read_note(path).content)
    standup.write_text(standup.read_text().replace("nine", "ten"))
    run("mirror", "verify", owner=owner, code=1)
    assert "memory updated" in run("mirror", "sync", owner=owner).stdout
    now = {"Standup is at ten.", "Lunch is at noon."}
    with brain_of(owner) as brain:
        assert {t.content for t in brain.list_thoughts()} == now

    standup.unlink()
    assert "deleted by hand" in run("mirror", "sync", owner=owner, code=1).stdout
    run("mirror", "rebuild", "--from", "database", owner=owner)
    assert {read_note(path).content for path in folder.glob("*.md")} == now
    someone = uuid4()
    run("mirror", "rebuild", "--from", "files", owner=someone)
    with brain_of(someone) as brain:
        assert {t.content for t in brain.list_thoughts()} == now
