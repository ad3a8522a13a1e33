"""Ties between memories: made at capture, made by hand, and settled by review."""

from __future__ import annotations

import psycopg
import pytest

from tests.database.conftest import Person


def test_the_nearest_memories_are_tied_by_likeness(ada: Person) -> None:
    near = ada.capture("about the garden", embedding="[1,0.1,0]")
    ada.capture("about taxes", embedding="[0,0,1]")
    new = ada.capture("about the roses", embedding="[1,0,0]")
    [tie] = ada.query("select from_id, to_id, weight from memory_links where type = 'related'")
    assert (tie["from_id"], tie["to_id"]) == (new, near)
    assert tie["weight"] == pytest.approx(0.995, abs=0.001)


def test_a_tie_made_by_hand_can_be_changed(ada: Person) -> None:
    cause, effect = ada.capture("the disk was full"), ada.capture("the deploy failed")
    first = ada.call("link_memories", from_id=cause, to_id=effect, type="caused", weight=0.5)
    again = ada.call("link_memories", from_id=cause, to_id=effect, type="caused", weight=0.25)
    assert (first["status"], again["status"], again["weight"]) == ("created", "updated", 0.25)


def test_a_supersedes_tie_ends_the_old_memory(ada: Person) -> None:
    old, new = ada.capture("the port is 80"), ada.capture("the port is 81")
    ada.call("link_memories", from_id=new, to_id=old, type="supersedes")
    assert [row["id"] for row in ada.call("list_thoughts")] == [new]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"type": "hates"}, "type"),
        ({"weight": 2.0}, "weight"),
        ({"weight": None}, "weight"),
        ({"from_id": None}, "from_id"),
    ],
)
def test_a_wrong_tie_is_refused_by_field(ada: Person, wrong: dict[str, object], field: str) -> None:
    one, other = ada.capture("one"), ada.capture("other")
    with pytest.raises(psycopg.Error, match=f"^{field}: ") as refused:
        ada.call("link_memories", **({"from_id": one, "to_id": other} | wrong))
    assert refused.value.sqlstate == "PT400"


def test_a_tie_to_anothers_memory_is_refused(ada: Person, ben: Person) -> None:
    mine, theirs = ada.capture("mine"), ben.capture("theirs")
    with pytest.raises(psycopg.Error, match="to_id: is no memory of yours"):
        ada.call("link_memories", from_id=mine, to_id=theirs)


def test_near_duplicates_are_offered_for_review(ada: Person) -> None:
    old = ada.capture("The office is in Graz", embedding="[1,0,0]")
    new = ada.capture("Our office: Graz", embedding="[1,0.05,0]")
    [pair] = ada.call("review_queue")
    assert (pair["kind"], pair["from_id"], pair["to_id"]) == ("duplicate", new, old)


def test_a_suspected_contradiction_is_offered_first(ada: Person) -> None:
    ada.capture("The office is in Graz", embedding="[1,0,0]")
    ada.capture("Our office: Graz", embedding="[1,0.05,0]")
    ada.capture("The office was never in the city of Graz", embedding="[1,0.5,0]")
    kinds = [row["kind"] for row in ada.call("review_queue")]
    assert kinds == ["contradiction", "contradiction", "duplicate"]
    assert len(ada.call("list_thoughts")) == 3


@pytest.mark.parametrize(
    ("verdict", "left"), [("keep", {0, 1}), ("dismiss", {0, 1}), ("supersede", {1}), ("superseded", {0})]
)
def test_a_settled_pair_leaves_the_queue(ada: Person, verdict: str, left: set[int]) -> None:
    ids = [ada.capture("The office is in Graz", embedding="[1,0,0]")]
    ids.append(ada.capture("Our office: Graz", embedding="[1,0.05,0]"))
    ada.call("resolve_review", from_id=ids[1], to_id=ids[0], type="related", verdict=verdict)
    assert ada.call("review_queue") == []
    assert {row["id"] for row in ada.call("list_thoughts")} == {ids[n] for n in left}


def test_a_dismissed_pair_stays_dismissed(ada: Person) -> None:
    old = ada.capture("The office is in Graz", embedding="[1,0,0]")
    new = ada.capture("We sit by the river", embedding="[1,0.05,0]")
    ada.call("resolve_review", from_id=new, to_id=old, type="related", verdict="dismiss")
    # With another vector it is the older one that looks for its kin.
    ada.call("update_thought", id=old, embedding="[1,0.01,0]")
    assert ada.call("review_queue") == []
    assert [hit["id"] for hit in ada.call("recall", query_text="river")] == [new]


@pytest.mark.parametrize("cells", [10_000_000, 0], ids=["exact", "hnsw"])
def test_no_tie_joins_two_namespaces(ada: Person, db: psycopg.Connection[object], cells: int) -> None:
    db.execute("update cortex.settings set value = to_jsonb(%s) where key = 'exact_scan_cells'", [cells])
    for n in range(20):
        ada.capture(f"secret salary {n}", namespace="private", embedding=f"[1,0.0{n:02},0]")
    work = [
        ada.capture(f"team budget {n}", namespace="work", embedding=f"[1,0.1,{n / 10}]") for n in range(2)
    ]
    ties = ada.query("""
        select l.from_id, l.to_id, f.namespace as one, t.namespace as other from memory_links l
        join memories f on f.id = l.from_id join memories t on t.id = l.to_id where l.type = 'related'
    """)
    assert [tie for tie in ties if tie["one"] != tie["other"]] == []
    assert (work[1], work[0]) in {(tie["from_id"], tie["to_id"]) for tie in ties}
    assert {row["from_content"][:6] for row in ada.call("review_queue", namespace="work")} <= {"team b"}


def test_a_pair_of_two_namespaces_shows_in_neither(ada: Person) -> None:
    mine = ada.capture("The salary of Ann is 90k", namespace="private")
    ours = ada.capture("Ann earns nothing", namespace="work")
    ada.call("link_memories", from_id=ours, to_id=mine, type="contradicts")
    assert [ada.call("review_queue", namespace=name) for name in ("work", "private")] == [[], []]
    assert len(ada.call("review_queue")) == 1


def test_an_ordinary_tie_is_no_pair_to_review(ada: Person) -> None:
    first, second = ada.capture("one", session_id="s"), ada.capture("two", session_id="s")
    with pytest.raises(psycopg.Error, match="is no pair to review"):
        ada.call("resolve_review", from_id=second, to_id=first, type="follows", verdict="dismiss")


def test_the_queue_is_the_owners_alone(ada: Person, ben: Person) -> None:
    one = ada.capture("The office is in Graz", embedding="[1,0,0]")
    two = ada.capture("Our office: Graz", embedding="[1,0.05,0]")
    assert ben.call("review_queue") == []
    with pytest.raises(psycopg.Error, match="is no pair to review") as refused:
        ben.call("resolve_review", from_id=two, to_id=one, type="related", verdict="keep")
    assert refused.value.sqlstate == "PT404"
