"""The threshold of likeness, what it keeps out, and vectors that cannot be compared."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.database.conftest import Person

# Cosine similarity 0.46 to [1,0,0].
JUST_BELOW = "[0.46,0.888,0]"
QUERY = "[1,0,0]"


def explain(person: Person, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = person.call("explain_search", query_embedding=QUERY, **arguments)
    return answer


def test_nothing_stored_and_nothing_near_enough_differ_case_c09(ada: Person) -> None:
    assert ada.call("search_thoughts", query_embedding=QUERY, match_threshold=0.5) == []
    nothing = explain(ada, match_threshold=0.5)
    assert (nothing["memories"], nothing["hits"], nothing["below_threshold"]) == (0, 0, 0)
    assert nothing["best_below_threshold"] is None

    ada.capture("on topic", embedding=JUST_BELOW)
    ada.capture("off topic", embedding="[0,0,1]")
    assert ada.call("search_thoughts", query_embedding=QUERY, match_threshold=0.5) == []
    below = explain(ada, match_threshold=0.5)
    assert (below["memories"], below["hits"], below["below_threshold"]) == (2, 0, 2)
    assert below["best_below_threshold"] == pytest.approx(0.46, abs=1e-3)
    assert below["match_threshold"] == 0.5


def test_the_caller_sets_the_threshold_case_c09(ada: Person) -> None:
    wanted = ada.capture("on topic", embedding=JUST_BELOW)
    [hit] = ada.call("search_thoughts", query_embedding=QUERY, match_threshold=0.45)
    assert (hit["id"], hit["similarity"]) == (wanted, pytest.approx(0.46, abs=1e-3))


def test_without_one_the_brains_threshold_holds(ada: Person, db: psycopg.Connection[Any]) -> None:
    ada.capture("on topic", embedding=JUST_BELOW)
    assert len(ada.call("search_thoughts", query_embedding=QUERY)) == 1
    assert explain(ada)["match_threshold"] == 0.3
    db.execute("update cortex.settings set value = '0.5' where key = 'match_threshold'")
    assert ada.call("search_thoughts", query_embedding=QUERY) == []
    assert explain(ada)["below_threshold"] == 1


def test_a_match_by_words_needs_no_likeness(ada: Person) -> None:
    wanted = ada.capture("coffee with Rae", embedding="[0,0,1]")
    arguments = {"query_embedding": QUERY, "query_text": "coffee", "match_threshold": 0.5}
    [hit] = ada.call("search_thoughts", **arguments)
    assert (hit["id"], hit["similarity"]) == (wanted, pytest.approx(0, abs=1e-3))
    explained = ada.call("explain_search", **arguments)
    assert (explained["hits"], explained["below_threshold"]) == (1, 0)


def test_what_was_left_uncompared_is_told(ada: Person) -> None:
    ada.capture("no vector yet, about coffee")
    ada.capture("coffee of another model", embedding=QUERY, embedding_model="older@3")
    explained = explain(ada, query_text="coffee")
    assert (explained["hits"], explained["without_vector"], explained["vector_candidates"]) == (2, 2, 0)


def test_the_words_of_a_query_are_told_with_their_worth(ada: Person) -> None:
    ada.capture("coffee with Rae")
    ada.capture("coffee with Ben")
    words = {w["lexeme"]: w for w in ada.call("explain_search", query_text="coffee Rae unheard")["words"]}
    assert {name: word["memories"] for name, word in words.items()} == {"coffe": 2, "rae": 1, "unheard": 0}
    assert words["rae"]["idf"] > words["coffe"]["idf"] > 0
    assert not words["unheard"]["chooses_candidates"]


BAD: list[tuple[str, str]] = [
    ("[1,0]", "embedding: has 2 dimensions, this brain stores 3"),
    ("[1,0,0,0]", "embedding: has 4 dimensions, this brain stores 3"),
    ("[0,0,0]", "embedding: is all zero"),
]


SEARCHES = ("search_thoughts", "recall", "explain_search")


@pytest.mark.parametrize(("vector", "message"), BAD)
def test_a_vector_that_cannot_be_compared_is_refused_by_field(ada: Person, vector: str, message: str) -> None:
    ada.capture("on topic", embedding=QUERY)
    for function in SEARCHES:
        with pytest.raises(psycopg.Error, match=message) as refused:
            ada.call(function, query_embedding=vector, query_text="topic")
        assert refused.value.sqlstate == "PT400"
        assert refused.value.diag.message_hint


def test_a_number_no_vector_holds_is_refused(ada: Person) -> None:
    ada.capture("on topic", embedding=QUERY)
    for function in SEARCHES:
        for number in ("NaN", "Infinity", "-Infinity", "1e6", "x"):
            with pytest.raises(psycopg.errors.DataError, match="halfvec"):
                ada.call(function, query_embedding=f"[1,{number},0]")


def test_a_wrong_match_count_is_refused_by_field(ada: Person) -> None:
    for function in SEARCHES:
        for count in (0, -1, 201, None):
            with pytest.raises(psycopg.Error, match=r"^match_count: is ") as refused:
                ada.call(function, query_text="coffee", match_count=count)
            assert refused.value.sqlstate == "PT400"


@pytest.mark.parametrize("function", SEARCHES)
@pytest.mark.parametrize("threshold", ["infinity", "-infinity", "nan"])
def test_a_threshold_that_is_no_finite_number_is_refused_by_field(
    ada: Person, function: str, threshold: str
) -> None:
    ada.capture("on topic", embedding=QUERY)
    with pytest.raises(psycopg.Error, match="match_threshold: is not a finite number") as refused:
        ada.call(function, query_embedding=QUERY, match_threshold=float(threshold))
    assert refused.value.sqlstate == "PT400"


def test_an_infinite_moment_is_refused_by_field(ada: Person) -> None:
    pinned = ada.capture("on topic", embedding=QUERY, pinned=True)
    for moment in ("infinity", "-infinity"):
        calls = [(function, {"query_embedding": QUERY}) for function in SEARCHES]
        for function, arguments in [*calls, ("mark_used", {"ids": [pinned]})]:
            with pytest.raises(psycopg.Error, match="as_of: is infinite") as refused:
                ada.call(function, as_of=moment, **arguments)
            assert refused.value.sqlstate == "PT400"


def test_memories_of_another_century_are_found_and_at_any_moment(ada: Person) -> None:
    ada.capture("on topic", embedding=QUERY)
    ada.capture("long ago on topic", embedding=QUERY, occurred_at="0001-01-02T00:00:00Z")
    for moment in (None, "9999-01-01", "0001-01-01T00:00:00Z"):
        assert len(ada.call("recall", query_embedding=QUERY, as_of=moment)) == 2


def test_an_explanation_of_a_search_for_nothing_is_refused_as_the_search_is(ada: Person) -> None:
    for function in SEARCHES:
        with pytest.raises(psycopg.Error, match="query_text: is blank and there is no query_embedding"):
            ada.call(function, query_text=" ")


def test_a_match_by_words_is_never_the_best_of_what_the_threshold_kept_out(ada: Person) -> None:
    ada.capture("coffee with Rae", embedding="[0,0,1]")
    told = ada.call("explain_search", query_embedding=QUERY, query_text="coffee")
    assert (told["below_threshold"], told["best_below_threshold"]) == (0, None)


def test_without_any_weight_the_most_relevant_comes_first(ada: Person) -> None:
    ids = ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002")
    for memory, vector in zip(ids, ("[1,0.1,0]", QUERY), strict=True):
        ada.capture(f"on topic {memory}", id=memory, embedding=vector)
    weights = '{"relevance": 0, "strength": 0, "recency": 0, "access": 0}'
    hits = ada.call("search_thoughts", query_embedding=QUERY, weights=weights)
    assert [str(hit["id"]) for hit in hits] == [ids[1], ids[0]]
