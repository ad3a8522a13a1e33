"""Two tenants and nobody: what each can reach, by every door."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from tests.database.conftest import ADA, Person

TABLES = ("memories", "memory_activation", "memory_links", "memory_events", "thoughts")


@pytest.mark.parametrize("table", TABLES)
def test_another_owner_sees_no_row_case_c40(ada: Person, ben: Person, table: str) -> None:
    ada.capture("Shall we meet?", session_id="s")
    ada.capture("Yes", session_id="s")
    assert ada.query(f"select 1 from {table}")
    assert ben.query(f"select 1 from {table}") == []


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("attack", ["select * from {}", "insert into {} default values", "delete from {}"])
def test_the_public_key_alone_reaches_no_table_case_c43(anon: Person, table: str, attack: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        anon.query(attack.format(table))


def test_the_public_key_alone_cannot_plant_a_memory_case_c43(anon: Person) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        anon.query("insert into memories (owner_id, content) values (%s, 'planted')", [ADA])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        anon.call("capture_thought", content="planted")


def test_an_owner_cannot_write_in_another_name_case_c40(ada: Person, ben: Person) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ben.query("insert into memories (owner_id, content) values (%s, 'forged')", [ADA])
    mine = ben.capture("mine")
    theirs = ada.capture("theirs")
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        ben.query(
            "insert into memory_links (from_id, to_id, type) values (%s, %s, 'related')", [mine, theirs]
        )


def test_every_read_answers_only_the_owner_case_c40(ada: Person, ben: Person) -> None:
    ada.capture("my home is in Oslo", embedding="[1,0,0]", people=["Ada"], topics=["home"])
    home = ben.capture("my home is in Rome", embedding="[1,0,0.1]", people=["Ben"], topics=["home"])
    for hits in (
        ben.call("search_thoughts", query_embedding="[1,0,0]"),
        ben.call("search_thoughts", query_text="where is home"),
        ben.call("recall", query_embedding="[1,0,0]", query_text="home"),
        ben.call("list_thoughts", topics=["home"]),
    ):
        assert [h["id"] for h in hits] == [home]
    assert ben.call("thought_stats")["total"] == 1
    assert [p["name"] for p in ben.call("thought_stats")["top_people"]] == ["Ben"]


def test_another_owners_id_looks_like_one_that_does_not_exist(ada: Person, ben: Person) -> None:
    theirs = ada.capture("theirs")
    for unknown in (theirs, uuid4()):
        assert ben.query("update thoughts set content = 'x' where id = %s returning id", [unknown]) == []
    assert ada.query("select content from thoughts") == [{"content": "theirs"}]


def test_without_an_owner_nothing_runs(db: psycopg.Connection[object]) -> None:
    nobody = Person(db, None)
    for function in ("thought_stats", "list_thoughts"):
        with pytest.raises(psycopg.Error, match="nobody is signed in") as refused:
            nobody.call(function)
        assert refused.value.sqlstate == "PT401"
    with pytest.raises(psycopg.Error, match="nobody is signed in"):
        nobody.call("capture_thought", content="whose is this?")


def test_private_functions_stay_private(ada: Person) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ada.query("select cortex.filter_sql(gen_random_uuid(), '{}')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ada.query("select * from cortex.settings")
