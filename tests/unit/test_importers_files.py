"""Markdown vaults and text files become thoughts; a bad file is named and passed over."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from pgcortex.importers import ImportItem, Problem, detect, walk
from pgcortex.notes import Note, file_name, write_note


def items(*paths: Path) -> list[ImportItem]:
    return [result for result in walk(paths) if isinstance(result, ImportItem)]


def problems(*paths: Path) -> list[Problem]:
    return [result for result in walk(paths) if isinstance(result, Problem)]


def put(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_vault_is_read_with_its_dates_tags_and_links(tmp_path: Path) -> None:
    put(
        tmp_path,
        "daily/2026-06-03.md",
        "# Stand-up\nMet [[Rae Holm|Rae]] about #deploy/staging, issue#4, `#no`.\n",
    )
    put(tmp_path, ".obsidian/app.md", "settings")
    put(tmp_path, "picture.png", b"\x89PNG")
    (item,) = items(tmp_path)
    assert item.title == "Stand-up"
    assert item.occurred_at == datetime(2026, 6, 3, tzinfo=UTC)
    assert item.tags == ["deploy/staging"]
    assert item.metadata == {"path": "daily/2026-06-03.md", "links": ["Rae Holm"]}
    assert "[[Rae Holm|Rae]]" in item.content
    assert problems(tmp_path) == []


def test_front_matter_wins_and_foreign_keys_are_kept(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "2026-01-01.md",
        "---\ntitle: Mine\ndate: 2026-06-04\ntags: [a, '#b']\ntype: decision\n---\n# Not this\nwords #b\n",
    )
    (item,) = items(path)
    assert (item.title, item.occurred_at) == ("Mine", datetime(2026, 6, 4, tzinfo=UTC))
    assert item.tags == ["a", "b"]
    assert item.metadata["front_matter"] == {"type": "decision"}
    assert "decision" in item.warnings[0]


def test_a_note_of_ours_comes_back_with_its_id_and_nothing_added(tmp_path: Path) -> None:
    note = Note(content="# Heading #tag [[link]]", id=uuid4(), metadata={"a": 1}, store="semantic")
    put(tmp_path, file_name(note), write_note(note))
    (item,) = items(tmp_path)
    assert item.same_memory(ImportItem(origin=item.origin, **note.model_dump()))


def test_a_text_file_is_one_thought_whatever_its_paragraphs(tmp_path: Path) -> None:
    (item,) = items(put(tmp_path, "minutes 2026-06-05.txt", "One.\r\n\r\nTwo.\r\n"))
    assert item.content == "One.\n\nTwo."
    assert item.occurred_at == datetime(2026, 6, 5, tzinfo=UTC)


def test_a_file_that_is_no_text_is_reported_and_the_rest_is_read_c54(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"---\ntitle: x\n---\n\xff\xfa")
    put(tmp_path, "b.txt", b"\xff\xfa\xff")
    put(tmp_path, "c.md", "\ufeff---\r\ntitle: Seen\r\n---\r\nbody\r\n".encode())
    assert [(item.title, item.content) for item in items(tmp_path)] == [("Seen", "body")]
    assert [problem.origin for problem in problems(tmp_path)] == ["a.md", "b.txt"]
    assert "byte 17" in str(problems(tmp_path)[0])


def test_front_matter_with_a_date_that_utc_does_not_have_keeps_the_words(tmp_path: Path) -> None:
    (item,) = items(put(tmp_path, "2026-06-05.md", "---\ndate: 0001-01-01T00:00:00+14:00\n---\nbody"))
    assert (item.content, item.occurred_at) == ("body", datetime(2026, 6, 5, tzinfo=UTC))
    assert item.warnings


def test_broken_front_matter_keeps_the_words_c52(tmp_path: Path) -> None:
    (item,) = items(put(tmp_path, "a.md", "---\ntitle: Plan: phase 1\n  x: [\n---\nbody"))
    assert (item.title, item.content) == ("Plan: phase 1", "body")
    assert "not valid YAML" in item.warnings[0]


@pytest.mark.parametrize("depth", [50, 150, 300, 900])
def test_deep_front_matter_stops_nothing(tmp_path: Path, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    put(tmp_path, "a.md", f"---\nmetadata: {{x: {nested}}}\nother: {nested}\n---\nwords")
    put(tmp_path, "b.md", "after it")
    assert items(tmp_path)[-1].content == "after it"
    assert len(items(tmp_path)) + len(problems(tmp_path)) == 2


def test_blank_files_are_passed_over_with_a_reason_c23(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\ntitle: only a title\n---\n\n  \n")
    put(tmp_path, "b.txt", "")
    assert items(tmp_path) == []
    assert [problem.reason for problem in problems(tmp_path)] == ["blank", "blank"]


def test_nul_is_removed_and_named_by_field_c17(tmp_path: Path) -> None:
    (item,) = items(put(tmp_path, "a.md", b'---\ntitle: "t\\0"\n---\nab\0cd'))
    assert (item.title, item.content) == ("t", "abcd")
    assert [warning.split(":")[0] for warning in item.warnings] == ["content", "title"]


def test_links_that_lead_out_are_not_followed_c46(tmp_path: Path) -> None:
    secret = put(tmp_path, "secret/key.md", "private")
    vault = tmp_path / "vault"
    put(vault, "in.md", "inside")
    (vault / "alias.md").symlink_to(vault / "in.md")
    (vault / "out.md").symlink_to(secret)
    (vault / "loop").symlink_to(vault)
    (vault / "away").symlink_to(secret.parent)
    assert [item.origin for item in items(vault)] == ["alias.md", "in.md"]
    assert [str(problem) for problem in problems(vault)] == ["out.md: a link that leads out of the folder"]


def test_what_was_asked_for_and_cannot_be_read_is_said(tmp_path: Path) -> None:
    picture = put(tmp_path, "a.png", b"x")
    broken = put(tmp_path, "b.zip", b"PK not really")
    gone = tmp_path / "gone.md"
    assert [str(problem) for problem in problems(picture, broken, gone)] == [
        "a.png: not a format that holds memories",
        "b.zip: not a format that holds memories",
        "gone.md: no such file or folder",
    ]


@pytest.mark.parametrize("name", ["a.md", "a.markdown", "A.MD"])
def test_markdown_is_told_by_its_ending(tmp_path: Path, name: str) -> None:
    assert detect(put(tmp_path, name, "x")) == "markdown"


def test_an_undated_file_has_the_date_of_its_last_change(tmp_path: Path) -> None:
    path = put(tmp_path, "a.md", "words")
    os.utime(path, (1_780_000_000, 1_780_000_000))
    (item,) = items(path)
    assert item.occurred_at == datetime.fromtimestamp(1_780_000_000, UTC)
