"""An extractive summary keeps every number, date and person of its sources (case C36)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex.extraction import extractive_summary
from pgcortex.extraction.summary import missing_facts, with_missing_facts


def test_two_notes_with_different_figures_both_survive_case_c36() -> None:
    """Case C36: same topic, different numbers and dates: both retrievable."""
    notes = [
        "The Pro plan costs 29 euro since 3 March, agreed with Sarah Chen.",
        "The Pro plan costs 35 euro from 1 June, Tom confirmed it.",
    ]
    summary = extractive_summary(notes, max_chars=70)
    for fact in ("29", "3 March", "Sarah Chen", "35", "1 June", "Tom"):
        assert fact in summary


def test_repeated_sentences_are_said_once() -> None:
    assert (
        extractive_summary(["The disk is full.", "the disk is full", "The disk is full!"])
        == "The disk is full."
    )


def test_without_facts_the_length_is_bounded() -> None:
    assert (
        len(
            extractive_summary(
                ["The vendor answered slowly again and again. " * 5 + "x" * i for i in range(40)]
            )
        )
        < 900
    )


def test_nothing_gives_nothing() -> None:
    assert extractive_summary([]) == ""
    assert extractive_summary(["", " \x00\n"]) == ""


def test_lost_facts_are_appended_with_their_words() -> None:
    text = with_missing_facts(["Churn was 3.1% in April.", "Omar owns it."], "Churn is tracked.")
    assert text == "Churn is tracked. Also: Churn was 3.1% in April; Omar owns it."


def test_a_number_is_compared_whole() -> None:
    assert missing_facts(["It took 12 days"], "It took 120 days") == ["12"]
    assert missing_facts(["It cost 1,200 euro"], "It cost €1200") == []


SOURCE = st.lists(
    st.sampled_from(
        [
            "cost",
            "1,200",
            "3.5",
            "12:30",
            "2026-05-06",
            "Friday",
            "Sarah",
            "Chen",
            "and",
            "Tom",
            ".",
            "\n",
            ",",
            "-7",
            "#42",
            "v2",
            "x9y",
        ]
    )
)


@settings(max_examples=150, deadline=None)
@given(st.lists(SOURCE.map(" ".join) | st.text(max_size=60), max_size=4))
def test_no_source_loses_a_fact(texts: list[str]) -> None:
    summary = extractive_summary(texts, max_chars=40)
    assert missing_facts([t.replace("\x00", "") for t in texts], summary) == []
