"""A model's JSON is read strictly first and tolerantly second (case C28)."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex_functions._json import parse_answer

FENCED = {"snippet": "```py\nprint('{x}')\n```", "type": "idea"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"type": "idea"}', {"type": "idea"}),
        ('```json\n{"type": "idea"}\n```', {"type": "idea"}),
        ('Note {x}: {"type":"idea"}', {"type": "idea"}),
        ('Use {braces: as here. {"type": "idea"} and {more}.', {"type": "idea"}),
        ('{"snippet":"```py```"}', {"snippet": "```py```"}),
        (f"Here you are:\n```\n{json.dumps(FENCED)}\n```\nBye", FENCED),
        ('{"topics": ["a", "b",], "type": "idea",}', {"topics": ["a", "b"], "type": "idea"}),
        ('{"title": "a, ] and ,} stay", }', {"title": "a, ] and ,} stay"}),
        (r'{"title": "C:\dir \u12 \x"}', {"title": r"C:\dir \u12 \x"}),
        (r'{"title": "kept \u00e9 \n \\ \""}', {"title": 'kept é \n \\ "'}),
        ('{"title": "two\nlines"}', {"title": "two\nlines"}),
        ('["x"]', ["x"]),
        ('First {"a": 1}, then {"type": "idea", "b": 2}', {"type": "idea", "b": 2}),
    ],
)
def test_what_models_wrap_around_json_is_tolerated_case_c28(text: str, wanted: Any) -> None:
    """Case C28: fences, prose with braces, trailing commas, bad escapes, a fence inside a string."""
    assert parse_answer(text) == wanted


BROKEN = [
    '{"title": "cut", "topics": ["a"], "rel',
    '{"title": "x" "topics": [{"a": 1}]}',
    '[{"title": "x"}, {"to',
]


@pytest.mark.parametrize(
    "text", ["", "I cannot do that, see [1].", "{x}", "[" * 99_999, "{" * 99_999, *BROKEN]
)
def test_no_json_is_an_error_and_not_an_empty_answer(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        parse_answer(text)


def test_hostile_answers_take_no_time() -> None:
    for text in ('"\\' * 50_000, '{"' + '\\"' * 50_000, "[{" * 50_000, ", " * 50_000, '{"a":' * 20_000):
        started = time.process_time()
        with pytest.raises(ValueError, match="no JSON"):
            parse_answer(text)
        assert time.process_time() - started < 5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=4), st.booleans())
def test_any_object_survives_a_fence_and_prose(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    assert parse_answer(f"Sure:\n```json\n{text}\n```\nDone.") == value
