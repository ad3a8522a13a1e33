"""A thought is stored once, whole, and for its owner only."""

from __future__ import annotations

import random
import string
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.database.conftest import ADA, Person


def test_a_repeat_answers_with_the_first_id_case_c15(ada: Person) -> None:
    first = ada.call("capture_thought", content="I like tea")
    again = ada.call("capture_thought", content=" I  like tea\n")
    assert (again["id"], again["status"]) == (first["id"], "exists")
    assert ada.query("select content from thoughts") == [{"content": "I like tea"}]


def test_the_same_idempotency_key_stores_once_whatever_the_words(ada: Person) -> None:
    first = ada.call("capture_thought", content="the first attempt", idempotency_key="req-1")
    again = ada.call("capture_thought", content="the retry, worded otherwise", idempotency_key="req-1")
    assert again == first | {"status": "exists"}


def test_two_owners_may_think_the_same(ada: Person, ben: Person) -> None:
    assert ada.capture("my home is X") != ben.capture("my home is X")
    assert [row["content"] for row in ben.query("select content from memories")] == ["my home is X"]


def test_a_repeat_brings_the_vector_the_first_lacked(ada: Person) -> None:
    ada.capture("tagged, not yet embedded", extractor="rules/1")
    again = ada.call("capture_thought", content="tagged, not yet embedded", embedding="[1,2,3]")
    assert (again["status"], again["enrichment_status"]) == ("exists", "done")


@pytest.mark.parametrize("blank", ["", "   ", "\n\t ", " "])
def test_blank_content_is_refused_by_name_case_c23(ada: Person, blank: str) -> None:
    with pytest.raises(psycopg.Error, match="content: is blank") as refused:
        ada.call("capture_thought", content=blank)
    assert refused.value.sqlstate == "PT400"


def test_one_bad_thought_of_a_batch_does_not_stop_the_others_case_c23(ada: Person) -> None:
    verdicts = ada.query(
        "select capture_thoughts(%s) as verdict",
        [Jsonb([{"content": "a"}, {"content": ""}, {"content": "b"}])],
    )
    assert [v["verdict"]["status"] for v in verdicts] == ["created", "refused", "created"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"thought_type": "goal"}, "thought_type"),
        ({"store": "attic"}, "store"),
        ({"confidence": 1.5}, "confidence"),
        ({"title": "x" * 1001}, "title"),
        ({"topics": ["a", None]}, "topics"),
        ({"embedding": "[1,2]"}, "embedding"),
        ({"embedding": "[0,0,0]"}, "embedding"),
    ],
)
def test_a_value_out_of_range_is_refused_with_its_field(
    ada: Person, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(psycopg.Error, match=field) as refused:
        ada.call("capture_thought", content="something", **arguments)
    assert refused.value.sqlstate == "PT400"
    assert refused.value.diag.message_hint
    assert ada.query("select 1 from memories") == []


@pytest.mark.parametrize(
    "moment", ["infinity", "-infinity", "0044-03-15 BC", "9999-12-31T23:59:59-12:00", "20000-01-01"]
)
@pytest.mark.parametrize("field", ["occurred_at", "created_at", "due_at"])
def test_a_moment_that_clients_cannot_hold_is_refused(ada: Person, field: str, moment: str) -> None:
    times = {"occurred_at": "2026-01-01"} | {field: moment}
    with pytest.raises(psycopg.Error, match=f"^{field}: .* between years 1 and 9999") as refused:
        ada.call("capture_thought", content="something", **times)
    assert refused.value.sqlstate == "PT400"


def test_a_list_continues_from_the_earliest_and_the_latest_moment(ada: Person) -> None:
    moments = ("0001-01-02T00:00:00Z", "2026-01-01", "9999-12-30T00:00:00Z")
    for moment in moments:
        ada.capture(f"of {moment}", occurred_at=moment)
    [latest] = ada.query("select l.id, l.cursor from list_thoughts(1) l")
    [middle] = ada.query("select l.id, l.cursor from list_thoughts(1, %s) l", [latest["cursor"]])
    [earliest] = ada.query("select l.id, l.cursor from list_thoughts(1, %s) l", [middle["cursor"]])
    assert len({latest["id"], middle["id"], earliest["id"]}) == 3
    assert ada.query("select l.id from list_thoughts(1, %s) l", [earliest["cursor"]]) == []


def test_a_vector_of_another_model_size_names_both_numbers_case_c07(ada: Person) -> None:
    with pytest.raises(psycopg.Error, match="has 4 dimensions, this brain stores 3"):
        ada.call("capture_thought", content="something", embedding="[1,2,3,4]")


def test_an_unknown_field_is_refused_by_name(ada: Person) -> None:
    [row] = ada.query("select capture_thoughts(%s) as verdict", [Jsonb([{"content": "a", "importance": 3}])])
    assert row["verdict"]["error"] == "importance: is not a field of a thought"


def test_two_hundred_thousand_distinct_words_are_stored_and_found_case_c18(ada: Person) -> None:
    rng = random.Random(18)
    words = {"".join(rng.choices(string.ascii_lowercase, k=9)) for _ in range(90_000)}
    content = "beginning " + " ".join(sorted(words))
    memory = ada.capture(content)
    assert [h["id"] for h in ada.call("search_thoughts", query_text="beginning")] == [memory]
    assert ada.query("select content = %s as whole from memories", [content]) == [{"whole": True}]


def test_long_incompressible_text_is_stored_once_case_c19(ada: Person) -> None:
    rng = random.Random(19)
    content = "".join(rng.choices(string.ascii_letters + string.digits, k=5_000))
    topic = "".join(rng.choices(string.ascii_letters, k=500))
    assert ada.capture(content, topics=[topic], tags=[topic], title=content[:1000]) == ada.capture(content)


def test_twenty_threads_saving_the_same_words_store_one_row_case_c37(ada: Person) -> None:
    def save(_: int) -> dict[str, Any]:
        with psycopg.connect(ada.conn.info.dsn, autocommit=True) as conn:
            verdict: dict[str, Any] = Person(conn, ADA).call(
                "capture_thought", content="said by everyone at once"
            )
            return verdict

    with ThreadPoolExecutor(20) as threads:
        verdicts = list(threads.map(save, range(20)))
    assert len({v["id"] for v in verdicts}) == 1
    assert sorted(v["status"] for v in verdicts) == ["created"] + ["exists"] * 19
    assert ada.query("select count(*) from memories") == [{"count": 1}]


def test_a_thought_of_a_session_follows_the_one_before(ada: Person) -> None:
    ada.capture("elsewhere", session_id="s2")
    first = ada.capture("Shall we meet?", session_id="s1")
    second = ada.capture("Yes, on Tuesday", session_id="s1")
    assert ada.query("select from_id, to_id, type from memory_links") == [
        {"from_id": second, "to_id": first, "type": "follows"}
    ]


def test_words_said_just_before_find_the_answer_too(ada: Person) -> None:
    ada.capture("Shall we meet about the zeppelin?", session_id="s1")
    answer = ada.capture("Yes, on Tuesday", session_id="s1")
    hits = ada.call("search_thoughts", query_text="zeppelin")
    assert [h["id"] for h in hits][1] == answer
    assert hits[0]["score"] > 2 * hits[1]["score"]


def test_a_null_inside_metadata_stays_and_one_for_a_field_means_not_given(ada: Person) -> None:
    ada.call("capture_thought", content="one", metadata=Jsonb({"answer": None, "n": 1}))
    [row] = ada.query(
        "select capture_thoughts(%s) as verdict", [Jsonb([{"content": "two", "topics": None, "store": None}])]
    )
    assert row["verdict"]["status"] == "created"
    assert ada.query("select metadata, store from memories where content = 'one'") == [
        {"metadata": {"answer": None, "n": 1}, "store": "episodic"}
    ]
