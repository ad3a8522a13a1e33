"""Case C40: whatever way is taken, an owner meets only what is theirs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import ADA, Person

HOME = "[1,0,0]"
READS: list[tuple[str, dict[str, Any]]] = [
    ("search_thoughts", {"query_embedding": HOME}),
    ("search_thoughts", {"query_text": "where is home"}),
    ("search_thoughts", {"query_embedding": HOME, "query_text": "home", "include_archived": True}),
    ("search_thoughts", {"query_text": "Ada", "include_superseded": True}),
    ("search_thoughts", {"query_text": "osl"}),
    ("recall", {"query_embedding": HOME, "query_text": "home"}),
    ("list_thoughts", {"topics": ["home"]}),
    ("list_thoughts", {"people": ["Ada"], "include_archived": True}),
]


@pytest.fixture
def homes(ada: Person, ben: Person) -> tuple[list[UUID], UUID]:
    """Ada's memories of her home, tied to each other; Ben's one of his."""
    about = {"topics": ["home"], "people": ["Ada"], "session_id": "s"}
    adas = [
        ada.capture("my home is in Oslo", embedding=HOME, **about),
        ada.capture("the home has a garden", embedding="[1,0.1,0]", **about),
        ada.capture("it used to be a shop", embedding="[0,1,0]", **about),
    ]
    bens = ben.capture("my home is in Rome", embedding="[1,0,0.1]", topics=["home"], session_id="s")
    return adas, bens


def test_no_read_brings_anothers_memory_case_c40(ben: Person, homes: tuple[list[UUID], UUID]) -> None:
    for function, arguments in READS:
        assert {hit["id"] for hit in ben.call(function, **arguments)} <= {homes[1]}


@pytest.mark.parametrize("cells", [0, 10_000_000])
def test_neither_way_of_vector_search_does_case_c40(
    ben: Person, homes: tuple[list[UUID], UUID], db: psycopg.Connection[Any], cells: int
) -> None:
    db.execute("update cortex.settings set value = to_jsonb(%s) where key = 'exact_scan_cells'", [cells])
    hits = ben.call("search_thoughts", query_embedding=HOME, match_threshold=-2)
    assert [hit["id"] for hit in hits] == [homes[1]]


def test_links_lead_nowhere_else_case_c40(
    ada: Person, ben: Person, homes: tuple[list[UUID], UUID], db: psycopg.Connection[Any]
) -> None:
    """Even a tie that Ada's data claims to have with Ben's ids stays inside Ada's brain."""
    adas, bens = homes
    mine = ada.call("recall", query_text="Oslo", reinforce=False)
    assert {hit["id"] for hit in mine} == set(adas)
    assert [hit["id"] for hit in ben.call("recall", query_text="Rome", reinforce=False)] == [bens]
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        db.execute(
            "insert into memory_links (owner_id, from_id, to_id, type) values (%s, %s, %s, 'caused')",
            [ADA, adas[0], bens],
        )


def test_counts_are_of_ones_own_case_c40(ben: Person, homes: tuple[list[UUID], UUID]) -> None:
    stats = ben.call("thought_stats")
    assert (stats["total"], stats["top_people"]) == (1, [])
    explained = ben.call("explain_search", query_embedding=HOME, query_text="home Oslo", match_threshold=-2)
    assert (explained["memories"], explained["vector_candidates"], explained["word_candidates"]) == (1, 1, 1)
    assert {word["lexeme"]: word["memories"] for word in explained["words"]} == {"home": 1, "oslo": 0}


def test_anothers_words_do_not_change_a_score_case_c40(ada: Person, ben: Person) -> None:
    """Rarity and length are those of the owner's brain."""
    ben.capture("coffee with Rae and tea", embedding=HOME)
    ben.capture("tea at home", embedding="[1,1,0]")
    arguments = {"query_text": "coffee tea", "query_embedding": HOME, "as_of": "2030-01-01T00:00Z"}
    alone = ben.call("search_thoughts", **arguments)
    for n in range(20):
        ada.capture(f"coffee and coffee {'and more ' * n}", embedding=HOME)
    assert ben.call("search_thoughts", **arguments) == alone


def test_the_same_words_of_two_owners_are_two_memories_case_c40(ada: Person, ben: Person) -> None:
    adas = ada.call("capture_thought", content="my home is X", idempotency_key="k")
    bens = ben.call("capture_thought", content="my home is X", idempotency_key="k")
    assert (adas["status"], bens["status"]) == ("created", "created")
    assert adas["id"] != bens["id"]


def test_a_later_capture_overwrites_nothing_of_anothers_case_c40(ada: Person, ben: Person) -> None:
    """The id of somebody else's memory is as good as any other."""
    mine = ada.capture("my home is X")
    ben.call("capture_thought", content="my home is Y", id=mine)
    assert [row["content"] for row in ada.call("list_thoughts")] == ["my home is X"]
    assert [row["content"] for row in ben.call("list_thoughts")] == ["my home is Y"]
    assert [hit["content"] for hit in ada.call("search_thoughts", query_text="home")] == ["my home is X"]


def test_another_owner_changes_nothing_case_c40(ada: Person, ben: Person) -> None:
    mine = ada.capture("my home is X", embedding=HOME)
    before = ada.query("select * from memory_activation")
    changes: list[tuple[str, dict[str, str]]] = [
        ("forget", {}),
        ("pin", {}),
        ("update_thought", {"content": "my home is Z"}),
    ]
    for function, arguments in changes:
        with pytest.raises(psycopg.Error) as refused:
            ben.call(function, id=mine, **arguments)
        assert refused.value.sqlstate == "PT404"
    ben.call("mark_used", ids=[mine])
    ben.call("recall", query_embedding=HOME, query_text="home")
    assert ben.query("update memories set content = 'stolen' where id = %s returning id", [mine]) == []
    assert ada.query("select * from memory_activation") == before
    assert ada.query("select content from memories") == [{"content": "my home is X"}]


WITHOUT_SUB = ['{"role": "authenticated"}', '{"role": "authenticated", "sub": ""}', "", "{}"]


CALLS = [
    "search_thoughts(query_text => 'home')",
    "search_thoughts(query_embedding => '[1,0,0]')",
    "recall(query_text => 'home')",
    "explain_search(query_text => 'home')",
    "list_thoughts()",
    "thought_stats()",
]


@pytest.mark.parametrize("claims", WITHOUT_SUB)
def test_without_a_subject_every_read_fails_closed_case_c40(
    db: psycopg.Connection[Any], ada: Person, claims: str
) -> None:
    ada.capture("my home is X", embedding=HOME)
    for call in CALLS:
        with db.transaction(force_rollback=True):
            db.execute("select set_config('request.jwt.claims', %s, true)", [claims])
            db.execute("set local role authenticated")
            with pytest.raises(psycopg.Error) as refused:
                db.execute(f"select * from public.{call}".encode())
        assert refused.value.sqlstate in ("PT401", "22P02")


def test_anon_may_call_none_of_them_case_c40(anon: Person) -> None:
    for function in ("search_thoughts", "recall", "explain_search", "list_thoughts", "thought_stats"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            anon.call(function)
