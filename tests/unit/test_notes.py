"""A note file says exactly what was put into it, whoever wrote the file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex._errors import InvalidInput
from pgcortex.notes import Note, UnreadableFile, read_note, rewrite_note, write_note

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SOME_WORDS = WORDS.filter(bool)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
NOTES = st.builds(
    Note,
    content=WORDS,
    id=st.none() | st.uuids(),
    title=st.none() | SOME_WORDS,
    people=st.lists(SOME_WORDS, max_size=3),
    tags=st.lists(SOME_WORDS, max_size=3),
    thought_type=st.sampled_from([None, "task", "person_note"]),
    confidence=st.none() | st.floats(0, 1),
    occurred_at=st.none() | st.datetimes(timezones=st.just(UTC), min_value=datetime(1900, 1, 1)),
    session_id=st.none() | SOME_WORDS,
    metadata=st.dictionaries(WORDS, JSON, max_size=3),
)


@settings(deadline=None)
@given(NOTES)
def test_any_note_comes_back_as_it_was_c52(note: Note) -> None:
    assert read_note(write_note(note)) == note


@pytest.mark.parametrize(
    "awkward",
    [
        "Plan: phase 1",
        "first\nsecond",
        "---",
        "- a",
        "'\"",
        "# not a comment",
        "no",
        "2026-06-03",
        "🎉: {",
        "\x07\x85\u2028",
    ],
)
def test_an_awkward_title_is_valid_yaml_c52(awkward: str) -> None:
    data = write_note(Note(content="body", title=awkward))
    assert yaml.safe_load(data.decode().split("\n---\n")[0])["title"] == awkward
    assert read_note(data).title == awkward


def test_a_body_that_begins_with_a_rule_is_not_front_matter_c52() -> None:
    note = Note(content="---\ntitle: an impostor\n---\nrest", title="The real one")
    again = read_note(write_note(note))
    assert (again.title, again.content) == (note.title, note.content)


def test_broken_yaml_keeps_the_words_and_warns_c52() -> None:
    note = read_note(b"---\ntitle: Plan: phase 1\ntags: [a, b\n---\nThe body stays.\n")
    assert note.content == "The body stays."
    assert note.title == "Plan: phase 1"
    assert "not valid YAML" in note.warnings[0]


@pytest.mark.parametrize(
    "block",
    [
        "&a [*a]",
        "x: " + "[" * 5_000,
        "x: " + "[" * 900 + "]" * 900,
        "x: !!python/object:os.system {}",
        "\tx: 1",
    ],
)
def test_hostile_front_matter_costs_only_itself(block: str) -> None:
    note = read_note(f"---\n{block}\n---\nwords".encode())
    assert note.content.endswith("words")


def test_metadata_too_deep_for_yaml_is_refused_by_name() -> None:
    deep: dict[str, object] = {}
    for _ in range(2_000):
        deep = {"a": deep}
    note = Note(content="x").model_copy(update={"metadata": deep})
    with pytest.raises(InvalidInput, match="nested"):
        write_note(note)


def test_text_between_two_rules_is_text() -> None:
    text = "---\nOnce upon a time.\n---\nThe end."
    assert read_note(text.encode()).content == text


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
    ],
    ids=["bom", "utf16le", "utf16be", "crlf", "crlf+bom"],
)
def test_front_matter_is_found_behind_marks_and_line_ends_c54(encode) -> None:  # type: ignore[no-untyped-def]
    note = read_note(encode("---\ntitle: Été 計画\n---\nline one\nline two\n"))
    assert note.title == "Été 計画"
    assert note.content == "line one\nline two"


def test_the_closing_line_may_be_dots_c54() -> None:
    assert read_note(b"---\ntitle: A\n...\nbody").content == "body"


@pytest.mark.parametrize("data", [b"---\ntitle: x\n---\n\xff", b"\xff\xfeA", b"\xc3("])
def test_bytes_that_are_no_text_are_refused_by_name_c54(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="byte"):
        read_note(data)


def test_a_rewrite_keeps_what_it_does_not_know_c54() -> None:
    original = "\ufeff---\r\naliases: [old name]\r\ncssclass: wide\r\ntitle: A\r\n---\r\none\r\n".encode()
    same = read_note(original)
    assert rewrite_note(original, same) == original
    changed = rewrite_note(original, same.model_copy(update={"content": "two"}))
    assert changed.startswith("\ufeff---\r\n".encode())
    assert b"\r\ntwo\r\n" in changed
    assert read_note(changed).extra == {"aliases": ["old name"], "cssclass": "wide"}


def test_keys_of_other_tools_are_understood_and_odd_values_left_alone() -> None:
    note = read_note(
        b"---\ndate: 2026-06-03\ndue: 2026-06-10 09:00\ntags: home, garden\ntype: meeting\n"
        b"source: https://example.org\nconfidence: 7\n---\nx"
    )
    assert note.occurred_at == datetime(2026, 6, 3, tzinfo=UTC)
    assert note.due_at == datetime(2026, 6, 10, 9, tzinfo=UTC)
    assert note.tags == ["home", "garden"]
    assert note.extra == {"type": "meeting", "source": "https://example.org", "confidence": "7"}
    assert len(note.warnings) == 3


def test_a_date_that_does_not_exist_is_reported() -> None:
    note = read_note(b"---\ndate: 2026-13-45\nshipped: 2026-13-45\n---\nx")
    assert note.occurred_at is None
    assert note.extra == {"date": "2026-13-45", "shipped": "2026-13-45"}
    assert "2026-13-45" in note.warnings[0]


def test_keys_come_in_one_order(tmp_path: Path) -> None:
    note = Note(
        content="Ship it.",
        tags=["a"],
        title="T",
        id=UUID(int=7),
        metadata={"b": 1, "a": 2},
        extra={"aliases": ["x"]},
    )
    path = tmp_path / "note.md"
    path.write_bytes(write_note(note))
    keys = list(yaml.safe_load(path.read_text().split("---\n")[1]))
    assert keys == ["id", "title", "tags", "metadata", "aliases"]
    assert read_note(path) == note
