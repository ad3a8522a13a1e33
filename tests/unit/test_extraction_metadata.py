"""What a model answers is cleaned field by field and never breaks the thought (case C29)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pgcortex.extraction import Metadata


def read(data: object) -> Metadata:
    return Metadata.from_untrusted(data, extractor="llm/test/prompt-1")


def test_a_good_answer_passes_through() -> None:
    found = read(
        {
            "title": "Pricing",
            "thought_type": "task",
            "topics": ["Pricing", "free tier"],
            "people": ["Sarah"],
            "actions": ["hide the free tier"],
            "store": "prospective",
            "category": "goal",
            "valence": -0.5,
            "arousal": 0.25,
            "confidence": 1,
            "due_at": "2026-05-08T12:00:00+02:00",
        }
    )
    assert found.warnings == []
    assert found.topics == ["pricing", "free tier"]
    assert found.due_at == datetime(2026, 5, 8, 10, tzinfo=UTC)
    assert found.extractor == "llm/test/prompt-1"


@pytest.mark.parametrize(
    ("data", "field", "value", "warning"),
    [
        ({"type": "goal"}, "thought_type", "observation", "thought_type"),
        ({"thought_type": ["task"]}, "thought_type", "observation", "thought_type"),
        ({"thought_type": "Person Note"}, "thought_type", "person_note", None),
        ({"topics": [None, "a b", "A B", 3, {}, " "]}, "topics", ["a b"], "topics"),
        ({"topics": "pricing"}, "topics", ["pricing"], "topics"),
        ({"topics": {"a": 1}}, "topics", [], "topics"),
        ({"people": None}, "people", [], None),
        ({"category": "goals"}, "category", None, "category"),
        ({"valence": "high"}, "valence", 0.0, "valence"),
        ({"valence": 7}, "valence", 1.0, "valence"),
        ({"arousal": float("nan")}, "arousal", 0.0, "arousal"),
        ({"confidence": True}, "confidence", 0.5, "confidence"),
        ({"confidence": "0.9"}, "confidence", 0.9, None),
        ({"confidence": 10**400}, "confidence", 0.5, "confidence"),
        ({"due_at": "soon"}, "due_at", None, "due_at"),
        ({"due_at": "0001-01-01T00:00:00+14:00"}, "due_at", None, "due_at"),
        ({"due_date": "2026-05-08"}, "due_at", datetime(2026, 5, 8, 23, 59, 59, tzinfo=UTC), None),
        ({"title": 4}, "title", None, "title"),
        ({"title": "a\x00b\n\nc\ud800"}, "title", "ab c", None),
        ({"extractor": "evil", "warnings": ["x"]}, "extractor", "llm/test/prompt-1", "unknown"),
    ],
)
def test_a_bad_field_costs_that_field_case_c29(
    data: Any, field: str, value: object, warning: str | None
) -> None:
    """Case C29: enum outside the list, nulls, wrong types; the rest of the answer stays."""
    found = read({"title": "kept", **data})
    assert getattr(found, field) == value
    assert (warning is None) == (found.warnings == [])
    assert warning is None or any(warning in w for w in found.warnings)
    assert field == "title" or found.title == "kept"


@pytest.mark.parametrize("data", [["x"], "x", None, 3])
def test_another_root_gives_the_defaults_case_c29(data: object) -> None:
    """Case C29: a root list neither drops nor crashes the memory."""
    found = read(data)
    assert found.thought_type == "observation"
    assert "expected an object" in found.warnings[0]


def test_long_lists_and_long_items_are_cut() -> None:
    found = read({"actions": [f"do {i}" for i in range(500)], "people": ["x" * 5000], "title": "word " * 100})
    assert len(found.actions) == 20
    assert len(found.people[0]) <= 80
    assert found.title is not None and len(found.title) <= 200
    assert any("cut from 500" in w for w in found.warnings)


def test_the_strict_way_in_refuses_what_the_lenient_one_repairs() -> None:
    with pytest.raises(ValidationError):
        Metadata(valence=3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from([*Metadata.model_fields, "type", "due"]), JSON) | JSON)
def test_no_answer_makes_it_fail(data: object) -> None:
    read(data).model_dump_json().encode()
