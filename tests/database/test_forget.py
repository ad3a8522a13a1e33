"""Forgotten is gone from every read; erased is gone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.database.conftest import Person


def every_read(person: Person, words: str, vector: str = "[1,0,0]") -> dict[str, Any]:
    """Whatever a caller can see of a memory, by every door there is."""
    return {
        "search": person.call("search_thoughts", query_text=words, query_embedding=vector),
        "search archived": person.call(
            "search_thoughts", query_text=words, query_embedding=vector, include_archived=True
        ),
        "recall": person.call("recall", query_text=words, query_embedding=vector, reinforce=False),
        "list": person.call("list_thoughts", include_archived=True, include_superseded=True),
        "thoughts": person.query("select id from thoughts"),
        "topic": person.call("what_do_i_know", topic=words, query_embedding=vector)["top"],
        "why": [v for v in person.call("why_did_we", question=words).values() if isinstance(v, list) and v],
        "total": person.call("thought_stats")["total"],
        "size": person.call("wake")["size"]["memories"],
        "review": person.call("review_queue"),
    }


def test_a_forgotten_memory_is_in_no_read_case_c14(ada: Person, db: psycopg.Connection[Any]) -> None:
    ada.capture("The zeppelin lands at noon", embedding="[1,0,0.01]")
    memory = ada.capture("The zeppelin lands at night", embedding="[1,0,0]", category="decision")
    assert all(every_read(ada, "zeppelin").values())
    kept = ada.query("select id from thoughts where id <> %s", [memory])[0]["id"]
    ada.call("forget", id=memory)
    ada.call("forget", id=kept)
    db.execute("select cortex.reindex_text()")
    assert not any(every_read(ada, "zeppelin").values())
    assert ada.call("thought_stats")["archived"] == 0


def test_a_forgotten_memory_can_be_restored(ada: Person) -> None:
    memory = ada.capture("The zeppelin lands at noon")
    assert ada.call("forget", id=memory)["status"] == "forgotten"
    assert ada.call("forget", id=memory)["status"] == "forgotten"
    assert ada.call("restore", id=memory) == {"id": str(memory), "status": "restored", "was": "forgotten"}
    assert [row["id"] for row in ada.call("search_thoughts", query_text="zeppelin")] == [memory]
    assert ada.call("restore", id=memory)["status"] == "live"


def test_a_restored_memory_is_as_strong_as_new(ada: Person, db: psycopg.Connection[Any]) -> None:
    memory = ada.capture("long ago", created_at="2026-01-01")
    db.execute("select cortex.archive_faded('2026-06-01')")
    ada.call("restore", id=memory, as_of="2026-06-02")
    db.execute("select cortex.archive_faded('2026-06-03')")
    assert [row["id"] for row in ada.call("list_thoughts")] == [memory]


def test_words_captured_again_since_are_not_restored_twice(ada: Person) -> None:
    memory = ada.capture("The zeppelin lands at noon")
    ada.call("forget", id=memory)
    again = ada.capture("The zeppelin lands at noon")
    assert again != memory
    with pytest.raises(psycopg.Error, match=f"live as {again}") as refused:
        ada.call("restore", id=memory)
    assert refused.value.sqlstate == "PT409"


def test_an_erased_memory_leaves_nothing_in_the_database_case_c38(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    memory = ada.capture("The pin is swordfish", embedding="[1,0,0]", session_id="s", people=["Swordfisher"])
    ada.call("update_thought", id=memory, content="The new pin is swordfish", title="swordfish")
    ada.capture("Thanks, noted", embedding="[0,1,0]", session_id="s")
    removed = ada.call("forget", id=memory, hard=True)["removed"]
    assert (removed["memories"], removed["links"]) == (1, 1)
    for table in ("memories", "memory_activation", "memory_links", "memory_events"):
        dump = db.execute(f"select string_agg(t::text, ' ') from public.{table} t".encode()).fetchone()
        assert dump is not None
        assert "swordfish" not in (dump[0] or "").lower()
        assert str(memory) not in (dump[0] or "") or table == "memory_events"
    assert [row["content"] for row in ada.call("list_thoughts", include_archived=True)] == ["Thanks, noted"]


def test_the_next_turn_is_embedded_anew_without_the_erased_one_case_c38(ada: Person) -> None:
    memory = ada.capture("The pin is swordfish", session_id="s")
    answer = ada.capture("Thanks, noted", embedding="[0,1,0]", session_id="s", extractor="caller")
    assert ada.call("search_thoughts", query_text="swordfish")
    removed = ada.call("forget", id=memory, hard=True)["removed"]
    assert removed["reembed"] == [str(answer)]
    [row] = ada.query("select embedding, enrichment_status, fts::text as fts from memories")
    assert (row["embedding"], row["enrichment_status"]) == (None, "pending")
    assert "swordfish" not in row["fts"]


def test_the_audit_trail_still_says_that_something_was_erased(ada: Person) -> None:
    memory = ada.capture("The pin is swordfish")
    ada.call("forget", id=memory, hard=True, reason="asked to")
    events = ada.query("select action, reason, before, after from memory_events order by id")
    assert [e["action"] for e in events] == ["capture", "delete", "erase"]
    assert all(e["before"] is None and e["after"] is None for e in events)
    assert events[-1]["reason"] == "asked to"


def test_an_import_does_not_bring_an_erased_memory_back_case_c38(ada: Person) -> None:
    memory = uuid4()
    ada.call("capture_thought", content="The pin is swordfish", id=memory)
    ada.call("forget", id=memory, hard=True)
    assert ada.call("forget", id=memory, hard=True)["status"] == "erased"
    again = ada.call("capture_thought", content="The pin is swordfish", id=memory)
    assert again["status"] == "forgotten"
    assert ada.call("list_thoughts", include_archived=True) == []
    with pytest.raises(psycopg.Error, match="was erased") as refused:
        ada.call("restore", id=memory)
    assert refused.value.sqlstate == "PT410"


def test_forgetting_softly_keeps_an_import_from_reviving_it_case_c38(ada: Person) -> None:
    memory = uuid4()
    ada.call("capture_thought", content="The pin is swordfish", id=memory)
    ada.call("forget", id=memory)
    assert ada.call("capture_thought", content="The pin is swordfish", id=memory)["status"] == "forgotten"
    assert ada.call("list_thoughts") == []


def consolidated(ada: Person, db: psycopg.Connection[Any], *contents: str) -> tuple[UUID, list[UUID]]:
    sources = [
        ada.capture(c, store="sensory", embedding=f"[1,0.0{n},0]", people=[f"Person{n}"])
        for n, c in enumerate(contents)
    ]
    db.execute("select cortex.consolidate()")
    [summary] = ada.call("list_thoughts")
    return summary["id"], sources


def everything(db: psycopg.Connection[Any]) -> str:
    tables = ("memories", "memory_events", "memory_links", "memory_activation")
    return " ".join(
        str(db.execute(f"select string_agg(t::text, ' ') from public.{t} t".encode()).fetchone())
        for t in tables
    )


def test_a_summary_is_made_anew_without_the_erased_source_case_c38(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    summary, sources = consolidated(ada, db, "Budget is 4000.", "The swordfish costs 77.", "Budget was 3000.")
    ada.call("update_thought", id=summary, title="About the swordfish")
    removed = ada.call("forget", id=sources[1], hard=True)["removed"]
    assert removed["summary"] == {"id": str(summary), "action": "rewritten"}
    assert "swordfish" not in everything(db)
    assert "Person1" not in everything(db)
    [left] = ada.call("list_thoughts")
    assert (left["id"], "4000" in left["content"], "3000" in left["content"]) == (summary, True, True)
    assert ada.call("search_thoughts", query_embedding="[1,0,0]")


def test_a_source_put_aside_leaves_the_words_its_owner_gave_the_summary(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    said = ("Budget is 4000.", "The swordfish costs 77.", "Budget was 3000.", "Rent is 900.")
    summary, sources = consolidated(ada, db, *said)
    assert ada.call("forget", id=sources[0])["removed"]["summary"]["action"] == "rewritten"
    ada.call("update_thought", id=summary, content="The swordfish is paid from a budget of 3000.")
    assert ada.call("forget", id=sources[1])["removed"]["summary"] == {"id": str(summary), "action": "kept"}
    assert "paid from" in ada.call("list_thoughts")[0]["content"]
    ada.call("forget", id=sources[1], hard=True)
    assert "swordfish" not in everything(db)


def test_a_summary_of_two_goes_with_one_of_them_and_the_other_returns_case_c38(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    summary, sources = consolidated(ada, db, "Budget is 4000.", "The swordfish costs 77.")
    removed = ada.call("forget", id=sources[1], hard=True)["removed"]
    assert removed["summary"] == {"id": str(summary), "action": "erased", "restored": [str(sources[0])]}
    assert "swordfish" not in everything(db)
    assert [(r["id"], r["store"]) for r in ada.call("list_thoughts")] == [(sources[0], "episodic")]


@pytest.mark.parametrize("hard", [False, True])
def test_forgetting_a_summary_forgets_what_it_was_made_of_case_c38(
    ada: Person, db: psycopg.Connection[Any], hard: bool
) -> None:
    summary, sources = consolidated(ada, db, "The swordfish costs 76.", "The swordfish costs 77.")
    removed = ada.call("forget", id=summary, hard=hard)["removed"]
    assert set(removed["sources"]) == {str(s) for s in sources}
    assert ada.call("list_thoughts", include_archived=True) == []
    assert ("swordfish" in everything(db)) is not hard
    if not hard:
        ada.call("restore", id=summary)
        assert [r["id"] for r in ada.call("list_thoughts")] == [summary]
        assert len(ada.call("list_thoughts", include_archived=True)) == 3


def test_a_source_erased_after_its_summary_was_forgotten_takes_the_summary_along_case_c38(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    summary, sources = consolidated(ada, db, "Budget is 4000.", "The swordfish costs 77.")
    ada.call("forget", id=summary)
    ada.call("forget", id=sources[1], hard=True)
    assert "swordfish" not in everything(db)


def test_words_in_a_second_summary_are_erased_too_case_c38(ada: Person, db: psycopg.Connection[Any]) -> None:
    said = ["Ann owes 50 euros.", "Ann owes money to Bob.", "Ann pays Bob back in May."]
    ids = [ada.capture(words, store="sensory", embedding=f"[1,0.0{n},0]") for n, words in enumerate(said)]
    db.execute("select cortex.consolidate(now())")
    for memory in ids[:2]:
        ada.call("restore", id=memory)
        db.execute("update memories set store = 'sensory' where id = %s", [memory])
    db.execute("select cortex.consolidate(now() + interval '1 hour')")
    summaries = "select content from memories where metadata ->> 'kind' = 'consolidation'"
    assert len(ada.query(summaries)) == 2
    ada.call("forget", id=ids[2], hard=True)
    ada.call("forget", id=ids[0], hard=True)
    assert ada.query("select content from memories where content like '%%50 euros%%'") == []


@pytest.mark.parametrize("hard", [True, False])
def test_what_a_forgotten_memory_replaced_is_current_again(ada: Person, hard: bool) -> None:
    old, mistaken = ada.capture("I like tea"), ada.capture("I no longer like tea")
    ada.call("forget", id=mistaken, hard=hard)
    assert [row["id"] for row in ada.call("list_thoughts")] == [old]
    if not hard:
        ada.call("restore", id=mistaken)
        assert [row["id"] for row in ada.call("list_thoughts")] == [mistaken]


def test_a_chain_closes_over_an_erased_memory(ada: Person) -> None:
    chain = [ada.capture(f"We use database {n}", category="decision") for n in range(3)]
    for old, new in pairwise(chain):
        ada.call("supersede", old_id=old, new_id=new)
    ada.call("forget", id=chain[1], hard=True)
    assert [row["id"] for row in ada.call("list_thoughts")] == [chain[2]]
    story = ada.call("why_did_we", question="database 2")
    assert {d["id"] for d in story["decisions"] + story["chain"]} == {str(chain[0]), str(chain[2])}
    [first] = ada.query("select superseded_by from memories where id = %s", [chain[0]])
    assert first["superseded_by"] == chain[2]


@pytest.mark.parametrize("function", ["forget", "restore", "pin", "undo_consolidation", "update_thought"])
def test_anothers_memory_looks_like_none(ada: Person, ben: Person, function: str) -> None:
    theirs = ben.capture("mine alone")
    for unknown in (theirs, uuid4()):
        with pytest.raises(psycopg.Error, match="id: is no memory of yours") as refused:
            ada.call(function, id=unknown)
        assert refused.value.sqlstate == "PT404"
    assert ben.query("select archived_at, pinned from memories") == [{"archived_at": None, "pinned": False}]
