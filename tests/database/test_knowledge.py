"""What is known of a topic, and why something was decided."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.database.conftest import Person


def test_a_topic_is_counted_and_described(ada: Person) -> None:
    ada.capture(
        "Pipeline uses ffmpeg", topics=["pipeline", "video"], people=["Laura"], occurred_at="2026-01-01"
    )
    ada.capture(
        "Pipeline voice chosen",
        topics=["pipeline", "voice"],
        people=["Laura", "Tim"],
        category="decision",
        store="semantic",
        occurred_at="2026-02-01",
    )
    ada.capture("Taxes are due", topics=["taxes"])
    known = ada.call("what_do_i_know", topic="pipeline")
    assert known["count"] == 2
    assert known["by_store"] == {"episodic": 1, "semantic": 1}
    assert known["by_category"] == {"fact": 1, "decision": 1}
    assert known["people"] == [{"name": "Laura", "count": 2}, {"name": "Tim", "count": 1}]
    assert [t["name"] for t in known["related_topics"]] == ["video", "voice"]
    assert (known["first"][:10], known["last"][:10]) == ("2026-01-01", "2026-02-01")
    assert len(known["top"]) == 2


def test_a_topic_is_also_known_by_meaning(ada: Person) -> None:
    ada.capture("The cat sleeps", embedding="[1,0.1,0]")
    ada.capture("Kittens purr", embedding="[1,0,0]")
    ada.capture("Taxes are due", embedding="[0,0,1]")
    assert ada.call("what_do_i_know", topic="felines", query_embedding="[1,0,0]")["count"] == 2
    assert ada.call("what_do_i_know", topic="felines")["count"] == 0


def test_the_count_is_not_limited_by_how_many_are_shown(ada: Person) -> None:
    for n in range(30):
        ada.capture(f"zeppelin number {n}")
    known = ada.call("what_do_i_know", topic="zeppelin", match_count=3)
    assert (known["count"], len(known["top"])) == (30, 3)


def test_knowing_strengthens_nothing(ada: Person) -> None:
    ada.capture("Pipeline uses ffmpeg")
    ada.call("what_do_i_know", topic="pipeline")
    ada.call("why_did_we", question="pipeline")
    assert ada.query("select access_count from memory_activation") == [{"access_count": 0}]


def test_why_shows_the_decision_then_its_story_in_time_order(ada: Person) -> None:
    def tell(content: str, day: int, **facts: Any) -> Any:
        return ada.capture(content, occurred_at=f"2026-03-{day:02}", **facts)

    outage = tell("The old host was down for a day", 1)
    first = tell("We chose Convex as the backend", 2, category="decision")
    doubt = tell("Convex has no SQL", 3)
    second = tell("We moved the backend to Postgres", 5, category="decision")
    effect = tell("The bill went down", 9)
    tell("Unrelated lunch", 10)
    ada.call("link_memories", from_id=outage, to_id=first, type="caused")
    ada.call("link_memories", from_id=doubt, to_id=first, type="contradicts")
    ada.call("link_memories", from_id=second, to_id=effect, type="caused")
    ada.call("supersede", old_id=first, new_id=second)

    story = ada.call("why_did_we", question="Why did we move to Postgres?")
    assert [d["id"] for d in story["decisions"]] == [str(second)]
    assert [(c["id"], c["relation"]) for c in story["chain"]] == [
        (str(outage), "cause"),
        (str(first), "replaced"),
        (str(doubt), "contradiction"),
        (str(effect), "consequence"),
    ]


def test_a_superseded_decision_is_found_by_its_own_words(ada: Person) -> None:
    first = ada.capture("We chose Convex", category="decision")
    second = ada.capture("We moved to Postgres", category="decision")
    ada.call("supersede", old_id=first, new_id=second)
    story = ada.call("why_did_we", question="Convex")
    assert story["decisions"][0]["superseded_by"] == str(second)
    assert [(c["id"], c["relation"]) for c in story["chain"]] == [(str(second), "replacement")]


def test_a_reason_from_another_namespace_is_not_told(ada: Person) -> None:
    decided = ada.capture("We decided to move the office", category="decision", namespace="work")
    private = ada.capture("Ann cannot stand the landlord", namespace="private")
    ada.call("link_memories", from_id=private, to_id=decided, type="caused")
    assert ada.call("why_did_we", question="move the office", namespace="work")["chain"] == []
    [cause] = ada.call("why_did_we", question="move the office")["chain"]
    assert cause["id"] == str(private)


def test_a_circle_of_causes_ends(ada: Person) -> None:
    ids = [ada.capture(f"zeppelin {n}", category="decision" if n == 0 else "fact") for n in range(4)]
    for one, other in zip(ids, [*ids[1:], ids[0]], strict=True):
        ada.call("link_memories", from_id=one, to_id=other, type="caused")
    story = ada.call("why_did_we", question="zeppelin 0")
    assert {c["id"] for c in story["chain"]} == {str(i) for i in ids[1:]}


@pytest.mark.parametrize(("function", "field"), [("what_do_i_know", "topic"), ("why_did_we", "question")])
def test_a_blank_question_is_refused(ada: Person, function: str, field: str) -> None:
    with pytest.raises(psycopg.Error, match=f"{field}: is blank") as refused:
        ada.call(function, **{field: " "})
    assert refused.value.sqlstate == "PT400"


def test_each_owner_knows_their_own(ada: Person, ben: Person) -> None:
    ada.capture("my home is in Oslo", category="decision", people=["Ada"], embedding="[1,0,0]")
    assert ben.call("what_do_i_know", topic="home", query_embedding="[1,0,0]")["count"] == 0
    story = ben.call("why_did_we", question="home", query_embedding="[1,0,0]")
    assert story["decisions"] == story["chain"] == story["context"] == []
    assert ben.call("memory_stats")["total"] == 0


def test_stats_tell_the_shape_of_a_brain(ada: Person) -> None:
    ada.capture(
        "one", created_at="2026-01-01", store="semantic", category="rule", session_id="s", source="cron"
    )
    ada.capture("two", created_at="2026-01-21", session_id="s", pinned=True)
    gone = ada.capture("three", created_at="2026-01-21")
    ada.call("forget", id=gone)
    stats = ada.call("memory_stats", as_of="2026-01-31")
    assert stats["by_store_and_category"] == {"semantic": {"rule": 1}, "episodic": {"fact": 1}}
    assert [b["count"] for b in stats["strength"]] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert stats["mean_strength"] == pytest.approx((0.4 + 1) / 2)
    assert stats["by_archive_reason"] == {"forgotten": 1}
    assert (stats["total"], stats["archived"], stats["pinned"], stats["fading_soon"]) == (2, 0, 1, 0)
    assert stats["links"] == {"follows": 1}
    assert ada.call("memory_stats", as_of="2026-02-10")["fading_soon"] == 1
