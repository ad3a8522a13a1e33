"""A note's file name is safe on every system and its path never leaves the folder."""

from __future__ import annotations

import stat
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex._errors import InvalidInput
from pgcortex.notes import Note, file_name, resolve_inside, write_atomic

ID = UUID("01890000-0000-7000-8000-0123456789ab")


@pytest.mark.parametrize(
    "title",
    ["TCP/IP", "..", "../../x", "C:\\x", "CON", "nul.txt", "~/.ssh/id", ".hidden", " ", "\n", "a\0b", "-rf"],
)
def test_one_title_is_one_file_inside_the_folder_c46(tmp_path: Path, title: str) -> None:
    name = file_name(Note(content="words", title=title, id=ID))
    target = resolve_inside(tmp_path, name)
    assert target.parent == tmp_path.resolve()
    assert not name.startswith((".", "~", "-"))
    assert name.endswith("-0123456789ab.md")


@pytest.mark.parametrize("name", ["", ".", "..", "../x.md", "a/b.md", "a\\b.md", "/etc/passwd", "x\0.md"])
def test_a_name_that_is_a_path_is_refused_c46(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        resolve_inside(tmp_path, name)


def test_an_entry_that_leads_out_is_refused_and_a_linked_folder_is_not_c46(tmp_path: Path) -> None:
    real, linked = tmp_path / "real", tmp_path / "linked"
    real.mkdir()
    linked.symlink_to(real)
    (real / "out.md").symlink_to(tmp_path / "elsewhere.md")
    assert resolve_inside(linked, "in.md") == real.resolve() / "in.md"
    with pytest.raises(InvalidInput, match="leads out"):
        resolve_inside(linked, "out.md")


def test_long_titles_fit_and_stay_apart_c50() -> None:
    cjk = file_name(Note(content="x", title="計" * 100, id=ID))
    assert len(cjk.encode()) <= 143
    assert cjk.startswith("計" * 33)
    first, second = ("a" * 250 + tail * 50 for tail in "bc")
    assert file_name(Note(content="x", title=first)) != file_name(Note(content="x", title=second))
    assert file_name(Note(content="x", title=first, id=uuid4())) != file_name(
        Note(content="x", title=first, id=uuid4())
    )


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_title_is_a_name_c50(title: str, content: str) -> None:
    name = file_name(Note(content=content, title=title))
    assert len(name.encode()) <= 143
    assert name.lower() == name
    assert not set(name) & set('/\\:*?"<>|\0\n\r\t')


def test_a_write_replaces_the_whole_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_atomic(path, b"one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    occupied = tmp_path / "a.md"
    occupied.mkdir()
    (occupied / "kept").write_text("x")
    with pytest.raises(OSError):
        write_atomic(occupied, b"two")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.md"]
