"""The rules read type, people, topics, actions, due dates and tone from plain notes."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from bench.extract import NOW, evaluate, load
from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex.extraction import EXTRACTOR, Metadata, extract


def read(text: str, now: datetime = NOW) -> Metadata:
    return extract(text, now=now)


def due(text: str, now: datetime = NOW) -> str | None:
    found = read(text, now).due_at
    return found.isoformat() if found else None


def test_the_held_out_labels_are_read_well_enough() -> None:
    rows = load("test")
    scores = evaluate(rows, [read(row["text"]) for row in rows])
    assert scores["thought_type"]["f1"] >= 0.8
    assert scores["people"]["f1"] >= 0.85
    assert scores["due"]["f1"] >= 0.85
    assert scores["topics"]["f1"] >= 0.8


def test_every_result_names_its_extractor() -> None:
    assert read("anything").extractor == EXTRACTOR == "rules/1"


@pytest.mark.parametrize(
    ("text", "kind", "category", "store"),
    [
        ("TODO: rotate the key", "task", "goal", "prospective"),
        ("- [ ] water the plants", "task", "goal", "prospective"),
        ("Idea: a weekly digest", "idea", None, "semantic"),
        ("We decided to keep Postgres.", "observation", "decision", "semantic"),
        ("Yesterday the team shipped version 2.4.", "observation", "event", "episodic"),
        ("Never run a migration on a Friday.", "observation", "rule", "procedural"),
        ("Deploy steps: build, push, apply.", "reference", "workflow", "procedural"),
        ("Sarah prefers async updates.", "person_note", "person", "semantic"),
        ("Priya redraws the check-in screen by Friday.", "task", "goal", "prospective"),
        ("Docs: https://example.org/guide", "reference", "fact", "semantic"),
    ],
)
def test_type_category_and_store(text: str, kind: str, category: str | None, store: str) -> None:
    found = read(text)
    assert (found.thought_type, found.category, found.store) == (kind, category, store)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sarah Chen and Tom met @maya", ["Sarah Chen", "Tom", "maya"]),
        ("told sarah about the plan", ["Sarah"]),
        ("Peter, Olga and Samir review it", ["Peter", "Olga", "Samir"]),
        ("Sarah called. Later Sarah Chen called again.", ["Sarah Chen"]),
        ("asked Xochitl for the key", ["Xochitl"]),
        ("Our new intern, Zephyrine, is quick.", ["Zephyrine"]),
        ("Ludwig van Beethoven wrote it", ["Ludwig van Beethoven"]),
        ("The release is in May, April was too early.", []),
        ("Mark the row as done and May the best win", []),
        ("Monday Postgres Docker API JSON GitHub", []),
        ("write to ann@example.org or see github.com/anna/repo and /home/Tom/x", []),
        ("Everyone said no. Marketing wants more. Customers asked for it.", []),
    ],
)
def test_people(text: str, names: list[str]) -> None:
    assert read(text).people == names


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Send the invoice by Friday", "2026-05-08T23:59:59+00:00"),
        ("Send the invoice today", "2026-05-06T23:59:59+00:00"),
        ("Send the invoice the day after tomorrow", "2026-05-08T23:59:59+00:00"),
        ("Send the invoice on Wednesday", "2026-05-13T23:59:59+00:00"),
        ("Send the invoice next Friday", "2026-05-15T23:59:59+00:00"),
        ("Send the invoice in two weeks", "2026-05-20T23:59:59+00:00"),
        ("Send the invoice in 3 hours", "2026-05-06T12:00:00+00:00"),
        ("Send the invoice by the end of the month", "2026-05-31T23:59:59+00:00"),
        ("Send the invoice by end of Q3, at the end of the quarter", "2026-06-30T23:59:59+00:00"),
        ("Send the invoice on 3 June at 14:00", "2026-06-03T14:00:00+00:00"),
        ("Send the invoice at 9:30am tomorrow", "2026-05-07T09:30:00+00:00"),
        ("Send the invoice by June 3rd, 5pm", "2026-06-03T17:00:00+00:00"),
        ("Send the invoice by 2026-07-01", "2026-07-01T23:59:59+00:00"),
        ("Send the invoice by 3 March", "2027-03-03T23:59:59+00:00"),
        ("Pay the tax. The deadline is 31 July.", "2026-07-31T23:59:59+00:00"),
        ("Send the invoice before the 20th", "2026-05-20T23:59:59+00:00"),
        ("Send the invoice by the third", "2026-06-03T23:59:59+00:00"),
        ("Send the invoice on the second of June", "2026-06-02T23:59:59+00:00"),
        ("Jonas sends the invoice by Friday.", "2026-05-08T23:59:59+00:00"),
        ("Send the first invoice and be the first to call", None),
        ("Send the invoice by 2026-02-31", None),
        ("Send the invoice dated 2020-01-01", None),
        ("The outage on 2 May was long.", None),
        ("Lena is on leave until September.", None),
        ("The review is scheduled for 18 June.", None),
    ],
)
def test_due_dates(text: str, wanted: str | None) -> None:
    assert due(text) == wanted


def test_a_day_ends_in_the_time_zone_of_the_speaker() -> None:
    tokyo = timezone(timedelta(hours=9))
    late = datetime(2026, 5, 7, 1, 0, tzinfo=tokyo)  # still the 6th in UTC
    assert due("Pay the bill today", late) == "2026-05-07T14:59:59+00:00"


def test_a_naive_now_is_utc() -> None:
    assert due("Pay the bill tomorrow", datetime(2026, 5, 6, 9)) == "2026-05-07T23:59:59+00:00"


@pytest.mark.parametrize(
    ("language", "text"),
    [("de", "Rechnung bis 3. Juni bezahlen"), ("es", "pagar la factura antes del 3 de junio")],
)
def test_deadlines_in_other_languages(language: str, text: str) -> None:
    found = extract(text, now=NOW, languages=[language]).due_at
    assert found is not None and found.date().isoformat() == "2026-06-03"


def test_actions_keep_their_words_and_lose_their_marks() -> None:
    text = (
        "Notes\n- [ ] call the bank\n- [x] done already\nTODO:\n- renew passport\nI need to ask Tom about it."
    )
    assert read(text).actions == ["call the bank", "renew passport", "ask Tom about it"]


@pytest.mark.parametrize(
    "text",
    [
        "Review with Tom went well.",
        "Test results are in.",
        "All requests must be signed.",
        "Email address: a@b.org",
    ],
)
def test_statements_are_not_actions(text: str) -> None:
    assert read(text).actions == []


def test_topics_are_short_singular_and_free_of_people_and_dates() -> None:
    topics = read("Sarah wants the vendor contracts renewed before Friday 8 May").topics
    assert topics == ["vendor contract"]
    assert len(read("alpha beta, gamma delta, epsilon zeta, eta theta, iota kappa, lambda mu").topics) <= 5


def test_long_text_gets_topics_from_key_phrase_ranking() -> None:
    text = (
        "The vendor contract covers hosting. " * 3
        + "Hosting is paid by the vendor contract every month. " * 20
    )
    assert any("contract" in topic or "hosting" in topic for topic in read(text).topics)


def test_tone_follows_the_words() -> None:
    good, bad, plain = (
        read("I love this, what a wonderful day!!!"),
        read("A terrible, awful outage!!"),
        read("It is 4."),
    )
    assert good.valence > 0.5 > 0 > -0.5 > bad.valence
    assert min(good.arousal, bad.arousal) > 0.6 > 0.2 > plain.arousal
    assert plain.valence == 0


def test_hedged_thoughts_are_less_certain() -> None:
    assert read("Maybe it is the cache.").confidence < read("We measured it: the cache.").confidence


def test_very_long_text_is_read_at_both_ends_and_says_so() -> None:
    text = "Ask Sarah for the key.\n" + "filler words here. " * 50_000 + "\nTODO: call Tom"
    started = time.perf_counter()
    found = read(text)
    assert time.perf_counter() - started < 2
    assert found.people == ["Sarah", "Tom"]
    assert "call Tom" in found.actions
    assert "not read" in found.warnings[0]


def test_nul_and_lone_surrogates_are_dropped_case_c17() -> None:
    """Case C17: what Postgres refuses never leaves the extractor."""
    found = read("TODO: call\x00 Sarah\ud800 Chen about the ven\x00dor contract")
    assert "\x00" not in found.model_dump_json()
    assert found.people == ["Sarah Chen"]
    found.model_dump_json().encode()


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_no_text_makes_it_fail(text: str) -> None:
    found = read(text)
    found.model_dump_json().encode()
    assert len(found.topics) <= 5


WORDS = st.sampled_from(
    [
        "TODO",
        "need",
        "to",
        "by",
        "Friday",
        "end",
        "of",
        "month",
        "next",
        "in",
        "two",
        "weeks",
        "31",
        "February",
        "99",
        "May",
        "25:61",
        "noon",
        "@",
        "Sarah",
        "Chen",
        "and",
        ",",
        ".",
        ":",
        "\n",
        "-",
        "[",
        "]",
        "will",
        "owe",
        "0000-00-00",
        "9999-12-31",
        "in",
        "999",
        "months",
        "due",
        "deadline",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=25), st.datetimes(timezones=st.just(UTC)))
def test_no_mixture_of_cues_makes_it_fail_at_any_time(words: list[str], now: datetime) -> None:
    found = extract(" ".join(words), now=now)
    assert found.due_at is None or found.due_at.date() >= now.date()
