"""The typed filters of the reads: what they keep, how they are served, and what is no filter."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import ADA, Person
from tests.support.filling import fill_many
from tests.support.plans import watched_plans

SPRING, SUMMER = datetime(2025, 4, 1, tzinfo=UTC), datetime(2025, 7, 1, tzinfo=UTC)

KEPT: dict[str, Any] = {
    "thought_type": "task",
    "store": "procedural",
    "category": "decision",
    "source": "cron",
    "topics": ["home", "tea"],
    "people": ["Rae Sato"],
    "tags": ["green"],
    "namespace": "project",
    "session_id": "monday",
    "occurred_at": SUMMER,
    "confidence": 0.9,
}
OTHER: dict[str, Any] = {
    "topics": ["work"],
    "people": ["Rae"],
    "tags": ["Green"],
    "session_id": "tuesday",
    "occurred_at": SPRING,
    "confidence": 0.8,
}
FILTERS: list[dict[str, Any]] = [
    {"thought_type": "task"},
    {"store": "procedural"},
    {"category": "decision"},
    {"source": "cron"},
    {"topics": ["tea"]},
    {"topics": ["tea", "never"]},
    {"people": ["Rae Sato"]},
    {"tags": ["green"]},
    {"namespace": "project"},
    {"session_id": "monday"},
    {"since": SUMMER},
    {"since": datetime(2025, 4, 1, 0, 0, 1, tzinfo=UTC), "until": datetime(2025, 8, 1, tzinfo=UTC)},
    {"min_confidence": 0.9},
    {"topics": ["home"], "people": ["Rae Sato"], "since": SPRING, "thought_type": "task"},
]


def _ids(rows: list[dict[str, Any]]) -> set[UUID]:
    return {row["id"] for row in rows}


def _all_reads(person: Person, **filters: Any) -> list[set[UUID]]:
    """What each way to read finds."""
    return [
        _ids(person.call("search_thoughts", query_embedding="[1,0,0]", **filters)),
        _ids(person.call("search_thoughts", query_text="the cup", **filters)),
        _ids(person.call("search_thoughts", query_embedding="[1,0,0]", query_text="cup", **filters)),
        _ids(person.call("recall", query_embedding="[1,0,0]", query_text="cup", reinforce=False, **filters)),
        _ids(person.call("list_thoughts", **filters)),
    ]


def test_each_filter_keeps_what_it_names_in_every_read(ada: Person) -> None:
    kept = ada.capture("the cup is green", embedding="[1,0.1,0]", **KEPT)
    ada.capture("the cup is red", embedding="[1,0,0]", **OTHER)
    for filters in FILTERS:
        assert _all_reads(ada, **filters) == [{kept}] * 5, filters
        explained = ada.call("explain_search", query_embedding="[1,0,0]", query_text="cup", **filters)
        assert (explained["memories"], explained["hits"]) == (1, 1)


def test_the_end_of_a_time_range_is_not_in_it(ada: Person) -> None:
    ada.capture("the cup is green", embedding="[1,0.1,0]", **KEPT)
    spring = ada.capture("the cup is red", embedding="[1,0,0]", **OTHER)
    for found in _all_reads(ada, until=SUMMER):
        assert found == {spring}


def test_an_empty_list_does_not_filter(ada: Person) -> None:
    ids = {ada.capture("a cup", embedding="[1,0,0]"), ada.capture("the cup", embedding="[1,0,0]", **KEPT)}
    for found in _all_reads(ada, topics=[], people=[], tags=[]):
        assert found == ids


@pytest.fixture
def four_states(ada: Person, db: psycopg.Connection[Any]) -> dict[str, UUID]:
    """A live, an archived, a superseded and a forgotten memory of the cup."""
    ids = {
        state: ada.capture(f"the cup was {state}", embedding="[1,0,0]")
        for state in ("live", "faded", "replaced", "forgotten")
    }
    ada.call("supersede", old_id=ids["replaced"], new_id=ids["live"])
    ada.call("forget", id=ids["forgotten"])
    db.execute(
        "update memories set archived_at = now(), archive_reason = 'faded' where id = %s", [ids["faded"]]
    )
    return ids


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, {"live"}),
        ({"include_archived": True}, {"live", "faded"}),
        ({"include_superseded": True}, {"live", "replaced"}),
        ({"include_archived": True, "include_superseded": True}, {"live", "faded", "replaced"}),
    ],
)
def test_what_is_not_live_comes_on_request_and_the_forgotten_never(
    ada: Person, four_states: dict[str, UUID], asked: dict[str, bool], found: set[str]
) -> None:
    for ids in _all_reads(ada, **asked):
        assert {state for state, memory_id in four_states.items() if memory_id in ids} == found


@pytest.mark.parametrize("function", ["search_thoughts", "explain_search", "recall", "list_thoughts"])
def test_an_unknown_argument_fails_by_name_case_c12(ada: Person, function: str) -> None:
    for unknown in ("sensitivity", "filter", "metadata", "owner_id", "topic"):
        with pytest.raises(psycopg.errors.UndefinedFunction, match=f"{unknown} => .* does not exist"):
            ada.call(function, **{unknown: "x"})


def test_an_unknown_filter_fails_by_name_in_the_core_too_case_c12(ada: Person) -> None:
    """The core function may be called directly by whoever may search."""
    ada.capture("the cup")
    with pytest.raises(psycopg.Error, match="sensitivity: is not a filter") as refused:
        ada.query("""select cortex.search(null, null, 5, 'cup', '{"sensitivity": "high"}', '{}')""")
    assert refused.value.sqlstate == "PT400"


@pytest.mark.parametrize("function", ["search_thoughts", "explain_search", "recall", "list_thoughts"])
@pytest.mark.parametrize("name", ["thought_type", "store", "category", "source"])
def test_a_misspelt_filter_value_is_refused_by_name(ada: Person, function: str, name: str) -> None:
    """An empty answer would look as if nothing were stored."""
    asked = {} if function == "list_thoughts" else {"query_text": "cup"}
    with pytest.raises(psycopg.Error, match=f"^{name}: tsk is none") as refused:
        ada.call(function, **asked, **{name: "tsk"})
    assert refused.value.sqlstate == "PT400"


@pytest.mark.parametrize("name", ["topics", "namespace", "since"])
def test_a_filter_value_is_never_read_as_sql(ada: Person, name: str) -> None:
    ada.capture("the cup", embedding="[1,0,0]")
    hostile = "x' or m.owner_id is not null -- \\"
    if name == "since":
        with pytest.raises(psycopg.errors.InvalidDatetimeFormat):
            ada.call("search_thoughts", query_text="cup", since=hostile)
    else:
        value = [hostile] if name == "topics" else hostile
        assert ada.call("search_thoughts", query_text="cup", **{name: value}) == []


def test_a_wrong_weight_is_refused_by_name(ada: Person) -> None:
    for wrong, name in (
        ('{"relevence": 1}', "relevence"),
        ('{"access": 2}', "access"),
        ('{"recency": "1"}', "recency"),
    ):
        with pytest.raises(psycopg.Error, match=rf"weights.{name}: is not a weight") as refused:
            ada.call("search_thoughts", query_text="cup", weights=f'{{"{name}": {wrong}}}')
        assert refused.value.sqlstate == "PT400"


@pytest.mark.parametrize("weights", ["[]", "5", '"abc"', '"{bad"', "1e400", '"[1]"'])
def test_weights_that_are_no_object_are_refused_in_every_search(ada: Person, weights: str) -> None:
    for function in ("search_thoughts", "recall", "explain_search"):
        with pytest.raises(psycopg.Error, match="weights: is no object") as refused:
            ada.call(function, query_text="cup", weights=weights)
        assert refused.value.sqlstate == "PT400"


def test_a_weight_too_large_or_small_for_a_float_is_no_raw_error(ada: Person) -> None:
    ada.capture("the cup")
    with pytest.raises(psycopg.Error, match=r"weights.access: is not a weight"):
        ada.call("search_thoughts", query_text="cup", weights='{"access": 1e400}')
    [hit] = ada.call("search_thoughts", query_text="cup", weights='{"access": 1e-400}')
    assert hit["score"] > 0


def test_a_word_common_in_the_brain_is_found_in_a_namespace_without_the_rare_one(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    db.execute("update cortex.settings set value = '10' where key = 'lexeme_rows'")
    for n in range(12):
        ada.capture(f"meeting number {n}")
    ada.capture("kubernetes upgrade")
    wanted = ada.capture("meeting with Ann", namespace="small")
    [hit] = ada.call("search_thoughts", query_text="kubernetes meeting", namespace="small")
    assert hit["id"] == wanted


def test_a_common_word_is_found_where_the_rare_ones_memories_are_forgotten(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    db.execute("update cortex.settings set value = '10' where key = 'lexeme_rows'")
    for n in range(12):
        ada.capture(f"meeting number {n}")
    ada.call("forget", id=ada.capture("kubernetes upgrade"))
    assert len(ada.call("search_thoughts", query_text="kubernetes meeting")) == 10


ROWS = 12_000


@pytest.fixture
def big(db: psycopg.Connection[Any]) -> None:
    """A brain of 12,000, in which a topic, a person and a day are rare. Few have vectors, to save time."""
    fill_many(
        db,
        ADA,
        ROWS,
        {
            "fts": "(case when n % 1000 in (0, 7) then 'cup:1C' else 'plate:1C' end)::tsvector",
            "topics": "case when n % 1000 = 7 then '{rare}' else '{common}' end::text[]",
            "people": "case when n % 1000 = 7 then '{Rae}' else '{Ben}' end::text[]",
            "occurred_at": "timestamptz '2025-01-01Z' + n * interval '1 minute'",
            "embedding": "case when n % 1000 in (0, 7) then array[1, n, 3]::extensions.halfvec end",
        },
    )
    db.execute("analyze public.memories")


NARROW: list[tuple[dict[str, Any], str]] = [
    ({"topics": ["rare"]}, "memories_words_idx"),
    ({"people": ["Rae"]}, "memories_words_idx"),
    ({"since": datetime(2025, 1, 9, 7, tzinfo=UTC)}, "memories_time_idx"),
]


def test_topics_people_and_time_are_served_by_an_index(
    ada: Person, db: psycopg.Connection[Any], big: None
) -> None:
    reads: list[tuple[str, dict[str, Any]]] = [
        ("search_thoughts", {"query_embedding": "[1,0,0]", "match_threshold": -1}),
        ("search_thoughts", {"query_text": "cup"}),
        ("list_thoughts", {}),
    ]
    for filters, index in NARROW:
        for function, arguments in reads:
            with watched_plans(db) as plans:
                assert ada.call(function, **arguments, **filters)
            assert any(index in plan for plan in plans), plans
            assert [plan for plan in plans if "Seq Scan on memories" in plan] == []
