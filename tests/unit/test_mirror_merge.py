"""Three versions of a memory come to one, field by field."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex.mirror._merge import digest, merge
from pgcortex.notes import Note, read_note, write_note

ID = UUID(int=1)
WORDS = st.sampled_from(["a", "b", "c"])
VERSIONS = st.builds(
    Note,
    id=st.just(ID),
    content=WORDS,
    title=st.none() | WORDS,
    tags=st.lists(WORDS, max_size=2),
    confidence=st.sampled_from([0.1, 0.5]),
)


@settings(deadline=None)
@given(VERSIONS, VERSIONS)
def test_a_change_on_one_side_is_taken(base: Note, changed: Note) -> None:
    edited, contested = merge(base, base, changed)
    assert (digest(edited), contested) == (digest(changed), [])
    kept, contested = merge(changed, base, base)
    assert (digest(kept), contested) == (digest(changed), [])


@settings(deadline=None)
@given(VERSIONS, VERSIONS, VERSIONS)
def test_preferring_either_side_names_the_same_contested_fields(
    stored: Note, base: Note, edited: Note
) -> None:
    by_edit, contested = merge(stored, base, edited)
    by_stored, also = merge(stored, base, edited, prefer="stored")
    assert contested == also
    for name in contested:
        assert getattr(by_edit, name) == getattr(edited, name)
        assert getattr(by_stored, name) == getattr(stored, name)


def test_what_storing_does_to_a_number_is_no_change() -> None:
    note = Note(content="x", confidence=0.8, pinned=False)
    stored = Note(content="x", confidence=0.800000011920929)
    assert digest(note) == digest(stored)
    assert digest(read_note(write_note(note))) == digest(note)


def test_a_field_that_is_not_named_was_not_changed() -> None:
    base = Note(content="old", title="T", tags=["a"])
    merged, contested = merge(base, base, read_note(b"new"))
    assert (merged.content, merged.title, merged.tags, contested) == ("new", "T", ["a"], [])
