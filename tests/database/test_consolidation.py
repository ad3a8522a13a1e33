"""Sensory memories of one subject become one episodic memory; nothing they said is lost."""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import ADA, Person

NOTES = (
    "On 2026-03-01 the budget was 4000 euros.",
    "Laura raised the budget to 5500 euros. The budget was agreed.",
    "By May the budget is 6100 euros. The budget was agreed.",
)


def sense(ada: Person, content: str, vector: str = "[1,0,0]", **facts: Any) -> UUID:
    return ada.capture(content, store="sensory", embedding=vector, **facts)


def notes(ada: Person, **facts: Any) -> list[UUID]:
    return [
        sense(ada, note, f"[1,0.{n},0]", occurred_at=f"2026-03-0{n + 1}", people=[f"Person {n}"], **facts)
        for n, note in enumerate(NOTES)
    ]


def consolidate(db: psycopg.Connection[Any]) -> dict[str, Any]:
    row = db.execute("select cortex.consolidate()").fetchone()
    assert row is not None
    outcome: dict[str, Any] = row[0]
    return outcome


def test_a_cluster_becomes_one_episodic_memory_with_every_number_and_person_case_c36(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    sources = notes(ada)
    assert consolidate(db) == {"consolidated": 1, "sources": 3, "problems": []}
    [summary] = ada.call("list_thoughts")
    assert (summary["store"], summary["source"]) == ("episodic", "inference")
    assert all(part in summary["content"] for part in ("2026-03-01", "4000", "5500", "6100", "May", "Laura"))
    assert summary["content"].count("The budget was agreed.") == 1
    assert summary["people"] == ["Person 0", "Person 1", "Person 2"]
    assert summary["occurred_at"].date().isoformat() == "2026-03-01"
    assert [UUID(s["id"]) for s in summary["metadata"]["sources"]] == sources
    kept = ada.query(
        "select id, archive_reason from memories where id <> %s order by occurred_at", [summary["id"]]
    )
    assert kept == [{"id": source, "archive_reason": "consolidated"} for source in sources]
    ties = ada.query("select from_id, to_id from memory_links where type = 'part_of'")
    assert {(t["from_id"], t["to_id"]) for t in ties} == {(source, summary["id"]) for source in sources}


def test_both_numbers_of_two_notes_remain_retrievable_case_c36(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    sense(ada, "The rent is 900", "[1,0,0]")
    sense(ada, "The rent is 950", "[1,0.01,0]")
    consolidate(db)
    for question in ("900", "950"):
        [hit] = ada.call("search_thoughts", query_text=question)
        assert "900" in hit["content"]
        assert "950" in hit["content"]
    assert len(ada.call("search_thoughts", query_embedding="[1,0,0]")) == 1


def test_signs_and_negations_make_two_sentences_not_one(ada: Person, db: psycopg.Connection[Any]) -> None:
    sense(ada, "The balance is -5.")
    sense(ada, "The balance is 5.", "[1,0.01,0]")
    consolidate(db)
    [summary] = ada.call("list_thoughts")
    assert "is -5." in summary["content"]
    assert "is 5." in summary["content"]


def test_only_what_is_alike_is_merged(ada: Person, db: psycopg.Connection[Any]) -> None:
    sense(ada, "about the budget", "[1,0,0]")
    sense(ada, "about the garden", "[0,1,0]")
    sense(ada, "between the two", "[1,0.9,0]")  # cosine 0.743 to the first, 0.669 to the second
    assert consolidate(db)["consolidated"] == 0
    assert len(ada.call("list_thoughts")) == 3


@pytest.mark.parametrize(
    "apart",
    [{"namespace": "work"}, {"pinned": True}, {"embedding_model": "other"}, {"store": "episodic"}],
)
def test_what_does_not_belong_together_stays_apart(
    ada: Person, db: psycopg.Connection[Any], apart: dict[str, Any]
) -> None:
    sense(ada, "the budget is 4000")
    ada.capture("the budget is 5000", **({"store": "sensory", "embedding": "[1,0.01,0]"} | apart))
    assert consolidate(db)["consolidated"] == 0


def test_two_owners_are_never_merged(ada: Person, ben: Person, db: psycopg.Connection[Any]) -> None:
    sense(ada, "the budget is 4000")
    sense(ben, "the budget is 5000")
    assert consolidate(db)["consolidated"] == 0
    sense(ada, "the budget is 4100", "[1,0.01,0]")
    consolidate(db)
    assert [row["content"] for row in ben.call("list_thoughts")] == ["the budget is 5000"]
    assert "5000" not in ada.call("list_thoughts")[0]["content"]


def test_summaries_are_never_summarised_again_case_c36(ada: Person, db: psycopg.Connection[Any]) -> None:
    notes(ada)
    consolidate(db)
    sense(ada, "The budget is 7000 euros.", "[1,0.1,0.01]")
    assert consolidate(db)["consolidated"] == 0
    sense(ada, "The budget is 8000 euros.", "[1,0.1,0.02]")
    assert consolidate(db) == {"consolidated": 1, "sources": 2, "problems": []}
    assert len(ada.call("list_thoughts")) == 2


def test_a_large_heap_is_cut_into_several_case_c36(ada: Person, db: psycopg.Connection[Any]) -> None:
    db.execute("update cortex.settings set value = '4' where key = 'consolidation_sources'")
    for n in range(9):
        sense(ada, f"budget line {n}", f"[1,0.0{n},0]")
    assert consolidate(db) == {"consolidated": 2, "sources": 8, "problems": []}


def test_what_the_sources_were_tied_to_the_summary_is_tied_to(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    outcome = ada.capture("we hired a bookkeeper", embedding="[0,0,1]")
    sources = notes(ada)
    ada.call("link_memories", from_id=sources[1], to_id=outcome, type="caused")
    ada.call("mark_used", ids=sources)
    consolidate(db)
    [summary] = ada.call("list_thoughts", store="episodic", category="fact", source="inference")
    assert ada.query(
        "select to_id from memory_links where from_id = %s and type = 'caused'", [summary["id"]]
    ) == [{"to_id": outcome}]
    [row] = ada.query("select access_count from memory_activation where memory_id = %s", [summary["id"]])
    assert row["access_count"] == 3


def test_undoing_brings_the_originals_back_for_good(ada: Person, db: psycopg.Connection[Any]) -> None:
    sources = notes(ada)
    consolidate(db)
    [summary] = ada.call("list_thoughts")
    undone = ada.call("undo_consolidation", id=summary["id"])
    assert {UUID(i) for i in undone["restored"]} == set(sources)
    assert {row["id"] for row in ada.call("list_thoughts")} == set(sources)
    consolidate(db)
    db.execute("select cortex.clean_up(now() + interval '10 days')")
    assert {row["id"] for row in ada.call("list_thoughts")} == set(sources)


def test_only_a_consolidation_can_be_undone(ada: Person) -> None:
    memory = ada.capture("just a thought")
    with pytest.raises(psycopg.Error, match="id: is no consolidation"):
        ada.call("undo_consolidation", id=memory)


def test_a_models_text_keeps_the_numbers_it_left_out(ada: Person, service: Person) -> None:
    notes(ada)
    [cluster] = [
        row["consolidation_candidates"] for row in service.query("select * from consolidation_candidates()")
    ]
    assert [m["content"] for m in cluster["memories"]] == list(NOTES)
    answer = service.call(
        "apply_consolidation",
        owner_id=cluster["owner_id"],
        memory_ids=[UUID(i) for i in cluster["memory_ids"]],
        content="The budget rose to 6100 euros in May; Laura had raised it before.",
        extractor="llm/test/1",
        seen_at=cluster["seen_at"],
    )
    assert answer["status"] == "consolidated"
    [summary] = ada.call("list_thoughts")
    assert summary["content"].startswith("The budget rose to 6100")
    assert all(number in summary["content"] for number in ("4000", "5500", "2026-03-01"))
    assert summary["extractor"] == "llm/test/1"


def test_no_number_date_or_name_is_lost_because_its_parts_are_in_a_models_text(
    ada: Person, service: Person
) -> None:
    sources = [
        sense(ada, note) for note in ("Pay 1,500 euros to Bob on Friday.", "Meet Zoe in March at 3.5 km.")
    ]
    sources += [sense(ada, note) for note in ("The balance is -5.", "See her in may.", "Nothing else.")]
    text = "Two errands: 500 m away, 1 payment, 5 and 3."
    service.call("apply_consolidation", owner_id=ADA, memory_ids=sources, content=text)
    [summary] = ada.call("list_thoughts")
    assert summary["content"].startswith(text)
    kept = ("1,500", "Bob", "Friday", "Zoe", "March", "3.5", "-5", "may")
    assert [fact for fact in kept if fact not in summary["content"]] == []
    assert "Nothing" not in summary["content"]


def test_a_models_text_that_says_everything_in_its_own_way_stays_as_it_is(
    ada: Person, service: Person
) -> None:
    sources = [
        sense(ada, note) for note in ("Pay 1,500 euros to Bob on Friday.", "Meet Zoe in March at 3.5 km.")
    ]
    text = "Friday: 1500 euros for Bob. In march, 3.5 km away, there is Zoe's party."
    service.call("apply_consolidation", owner_id=ADA, memory_ids=sources, content=text)
    assert [row["content"] for row in ada.call("list_thoughts")] == [text]


def test_a_source_changed_since_it_was_read_makes_the_text_stale(ada: Person, service: Person) -> None:
    sources = notes(ada)
    [cluster] = [
        row["consolidation_candidates"] for row in service.query("select * from consolidation_candidates()")
    ]
    ada.call("update_thought", id=sources[0], content="The budget is a secret.", embedding="[1,0,0]")
    answer = service.call(
        "apply_consolidation",
        owner_id=ADA,
        memory_ids=sources,
        content="All about 4000",
        seen_at=cluster["seen_at"],
    )
    assert answer == {"id": None, "status": "stale"}
    assert len(ada.call("list_thoughts")) == 3


def test_what_one_worker_claimed_no_other_gets_until_the_claim_lapses(
    ada: Person, service: Person, db: psycopg.Connection[Any]
) -> None:
    notes(ada)
    assert len(service.query("select * from consolidation_candidates(claim_minutes => 5)")) == 1
    assert service.query("select * from consolidation_candidates()") == []
    assert consolidate(db)["consolidated"] == 0
    later = service.query("select * from consolidation_candidates(as_of => now() + interval '6 minutes')")
    assert len(later) == 1


@pytest.mark.parametrize("function", ["consolidation_candidates", "apply_consolidation"])
def test_owners_cannot_act_for_everybody(ada: Person, function: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ada.query(f"select public.{function}({'null, null' if function.startswith('apply') else ''})")


def test_one_cluster_that_cannot_be_written_does_not_stop_the_others(
    ada: Person, ben: Person, db: psycopg.Connection[Any]
) -> None:
    notes(ada)
    notes(ben)
    db.execute("""
        create function pg_temp.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no room'; end $$;
        create trigger refuse before insert on public.memories for each row
        when (new.metadata ->> 'kind' = 'consolidation' and new.owner_id::text ^@ 'aaaaaaaa')
        execute function pg_temp.refuse();
    """)
    try:
        outcome = consolidate(db)
    finally:
        db.execute("drop trigger refuse on public.memories")
    assert (outcome["consolidated"], outcome["problems"]) == (1, ["no room"])
    assert len(ada.call("list_thoughts")) == 3
    assert ada.query("select 1 from memory_links where type = 'part_of'") == []
    assert len(ben.call("list_thoughts")) == 1


@pytest.mark.slow
def test_captures_during_the_run_survive_and_nothing_is_merged_twice(
    ada: Person, db: psycopg.Connection[Any], worker_database: str
) -> None:
    for race in range(50):
        base = [f"race {race} said {n}" for n in range(4)]
        for n, content in enumerate(base):
            sense(ada, content, f"[1,0.0{n},0]")
        start = threading.Barrier(3)
        outcomes: list[Any] = []

        def run(start: threading.Barrier = start, outcomes: list[Any] = outcomes) -> None:
            with psycopg.connect(worker_database, autocommit=True) as conn:
                start.wait()
                outcomes.append(consolidate(conn))

        runs = [threading.Thread(target=run) for _ in range(2)]
        for thread in runs:
            thread.start()
        start.wait()
        late = [sense(ada, f"race {race} late {n}", f"[1,0.0{n},0.01]") for n in range(3)]
        repeat = ada.call("capture_thought", content=base[0], store="sensory", embedding="[1,0,0]")
        for thread in runs:
            thread.join()
        assert [o["problems"] for o in outcomes] == [[], []]
        assert repeat["id"] is not None

        texts = " | ".join(row["content"] for row in ada.call("list_thoughts", match_count=1000))
        assert all(said in texts for said in [*base, *(f"race {race} late {n}" for n in range(3))])
        owners = ada.query(
            "select from_id from memory_links where type = 'part_of' group by 1 having count(*) > 1"
        )
        assert owners == []
        assert ada.query("select 1 from memories where id = any(%s)", [late])
        db.execute("delete from public.memories")
