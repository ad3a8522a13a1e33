"""Settling pairs that contradict or repeat each other."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Shell

OLD, NEW = "I never drink coffee in the evening at home", "I drink coffee at home in the evening"


@pytest.fixture
def pair(shell: Shell) -> tuple[str, str]:
    """The ids of two statements of the same words in another order, one of them negated: (older, newer)."""
    older = shell.json("capture", OLD)["id"]
    newer = shell.json("capture", NEW)["id"]
    assert len(shell.json("review")) == 1
    return older, newer


def ids(shell: Shell) -> set[str]:
    return {thought["id"] for thought in shell.json("list")}


def test_nothing_to_review_says_so(shell: Shell) -> None:
    assert "Nothing to review" in shell.say("review")


def test_both_are_shown_and_kept(shell: Shell, pair: tuple[str, str]) -> None:
    shown = shell.say("review", typed="k\n")
    assert OLD in shown
    assert NEW in shown
    assert "contradict" in shown
    assert ids(shell) == set(pair)
    assert "Nothing to review" in shell.say("review")


def test_skipping_and_quitting_leave_the_pair_for_another_day(shell: Shell, pair: tuple[str, str]) -> None:
    for answer in ("s\n", "q\n", "what?\ns\n"):
        shell.say("review", typed=answer)
        assert len(shell.json("review")) == 1
    assert ids(shell) == set(pair)


def test_one_replaces_the_other(shell: Shell, pair: tuple[str, str]) -> None:
    (queued,) = shell.json("review")
    shell.say("review", typed="1\n")
    assert ids(shell) == {queued["from_id"]}
    assert shell.json("show", queued["to_id"])["superseded_by"] == queued["from_id"]


def test_two_become_one_that_replaces_both(shell: Shell, pair: tuple[str, str]) -> None:
    shell.say("review", typed="m\nIn the evening I drink coffee at home, except before travelling\n")
    (merged,) = shell.json("list")
    assert merged["content"] == "In the evening I drink coffee at home, except before travelling"
    for id in pair:
        assert shell.json("show", id)["superseded_by"] == merged["id"]


def test_one_is_forgotten(shell: Shell, pair: tuple[str, str]) -> None:
    (queued,) = shell.json("review")
    shell.say("review", typed="f\n2\n")
    assert ids(shell) == {queued["from_id"]}
