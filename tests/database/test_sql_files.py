"""Every file under sql/ says what it answers and answers that, on a brain that has lived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from pgcortex._sql_split import split_statements
from tests.database.conftest import ADA, BEN, Person
from tests.support.server import load_schema, shared_server

SQL = Path(__file__).parents[2] / "sql"
Rows = list[dict[str, Any]]


def run(db: psycopg.Connection[Any], file: str) -> Rows:
    with db.cursor(row_factory=dict_row) as cursor:
        cursor.execute((SQL / f"{file}.sql").read_bytes())
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def lived(ada: Person, ben: Person, db: psycopg.Connection[Any]) -> dict[str, Any]:
    """A brain with a bit of everything in it, and the ids a test asks for."""
    ids: dict[str, Any] = {}
    ids["used"] = ada.capture("The wifi code is on the door", embedding="[0,1,0]", extractor="caller")
    ada.call("recall", query_text="wifi")
    ids["office"] = ada.capture("The office is in Graz", embedding="[1,0,0]")
    ids["same"] = ada.capture("Our office: Graz", embedding="[1,0.05,0]")
    ids["tea"] = ada.capture("I like tea")
    ids["no tea"] = ada.capture("I no longer like tea")
    ids["pinned"] = ada.capture("The door is red", pinned=True)
    ids["not red"] = ada.capture("The door is not red")
    ids["faded"] = ada.capture("Long ago", created_at="2026-01-01")
    ids["forgotten"] = ada.capture("Forget me")
    ids["erased"] = ada.capture("Erase me")
    ada.call("update_thought", id=ids["office"], title="Office")
    ada.call("forget", id=ids["forgotten"], reason="asked to")
    ada.call("forget", id=ids["erased"], hard=True)
    for n in range(2):
        ada.capture(f"budget {n}", store="sensory", embedding=f"[0,0.0{n},1]")
    ids["other"] = ben.capture("another model", embedding="[1,0,0]", embedding_model="old-model")
    ids["stuck"] = ben.capture("stuck")
    db.execute(
        "update memories set enrichment_status = 'failed', enrichment_error = 'no key' where id = %s",
        [ids["stuck"]],
    )
    db.execute("select cortex.run_due_jobs()")
    db.execute(
        "insert into model_calls (owner_id, purpose, model, input_tokens, cost_usd)"
        " values (%s, 'embedding', 'm', 7, 0.5)",
        [ADA],
    )
    db.execute("analyze")
    return ids


Check = Callable[[Rows, dict[str, Any]], bool]

ANSWERS: dict[str, Check] = {
    "console/recent_activity": lambda rows, ids: (
        {"capture", "recall", "erase", "archive", "supersede"} <= {r["action"] for r in rows}
    ),
    "console/recalls": lambda rows, ids: [(r["id"], r["action"]) for r in rows] == [(ids["used"], "recall")],
    "console/history_of_a_memory": lambda rows, ids: (
        rows[0]["action"] == "capture" and rows[-1]["after"] is not None
    ),
    "console/strength_histogram": lambda rows, ids: (
        {r["owner_id"] for r in rows} == {ADA, BEN} and all(r["from_strength"] == 0.9 for r in rows)
    ),
    "console/fading_forecast": lambda rows, ids: [r["memories"] for r in rows if r["week"] is None] == [1],
    "console/duplicates": lambda rows, ids: (
        [(r["id"], r["other_id"]) for r in rows] == [(ids["same"], ids["office"])]
    ),
    "console/contradictions": lambda rows, ids: (
        [(r["id"], r["other_id"]) for r in rows] == [(ids["not red"], ids["pinned"])]
    ),
    "console/superseded": lambda rows, ids: (
        [(r["id"], r["by_id"]) for r in rows] == [(ids["tea"], ids["no tea"])]
    ),
    "console/forgotten": lambda rows, ids: (
        [(r["memory_id"], r["state"]) for r in rows]
        == [(ids["erased"], "erased"), (ids["forgotten"], "forgotten")]
    ),
    "console/orphans": lambda rows, ids: rows == [],
    "console/by_agent": lambda rows, ids: (
        {(r["owner_id"], r["actor"]) for r in rows if r["captured"] and r["actor"] == "authenticated"}
        == {(ADA, "authenticated"), (BEN, "authenticated")}
    ),
    "console/embeddings": lambda rows, ids: (
        ("old-model", False) in {(r["model"], r["searched"]) for r in rows}
        and "no vector" in {r["model"] for r in rows}
    ),
    "console/most_used": lambda rows, ids: (rows[0]["id"], rows[0]["access_count"]) == (ids["used"], 1),
    "console/access_check": lambda rows, ids: rows == [],
    "console/storage": lambda rows, ids: "memories" in {r["object"] for r in rows},
    "console/storage_by_owner": lambda rows, ids: (
        {r["owner_id"] for r in rows} == {ADA, BEN} and all(r["bytes"] > 0 for r in rows)
    ),
    "console/cost": lambda rows, ids: (
        [(r["owner_id"], r["calls"], float(r["usd"])) for r in rows] == [(ADA, 1, 0.5)]
    ),
    "operate/job_health": lambda rows, ids: {r["last_status"] for r in rows} == {"done"},
    "operate/job_failures": lambda rows, ids: rows == [],
    "operate/run_due_jobs": lambda rows, ids: rows == [],
    "operate/schedule_jobs": lambda rows, ids: len(rows) == 5,
    "operate/backlog": lambda rows, ids: (
        ("failed", "no key") in {(r["enrichment_status"], r["last_error"]) for r in rows}
    ),
    "operate/retry_failed": lambda rows, ids: [r["id"] for r in rows] == [ids["stuck"]],
    "operate/reembed": lambda rows, ids: rows == [{"owner_id": BEN, "memories": 1}],
    "operate/reindex_text": lambda rows, ids: len(rows) == 1,
    "operate/restore_faded": lambda rows, ids: [r["id"] for r in rows] == [ids["faded"]],
    "operate/vacuum_advice": lambda rows, ids: "memories" in {r["table_name"] for r in rows},
    "operate/vector_index": lambda rows, ids: (
        rows[0]["larger_than_buffers"] is False and rows[0]["archived"] == 2
    ),
    "operate/settings": lambda rows, ids: {"decay_per_day", "match_threshold"} <= {r["key"] for r in rows},
}


@pytest.mark.parametrize("file", ANSWERS)
def test_a_file_answers_what_it_says(file: str, lived: dict[str, Any], db: psycopg.Connection[Any]) -> None:
    rows = run(db, file)
    assert ANSWERS[file](rows, lived), rows


def test_no_file_goes_without_an_answer_here() -> None:
    files = {
        f"{p.parent.name}/{p.stem}" for folder in ("console", "operate") for p in (SQL / folder).glob("*.sql")
    }
    assert files == set(ANSWERS)


@pytest.mark.parametrize("path", sorted(SQL.rglob("*.sql")), ids=lambda p: p.stem)
def test_a_file_is_a_comment_and_one_statement(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("-- ")
    assert len(split_statements(text)) == 1


def test_findings_are_found(lived: dict[str, Any], db: psycopg.Connection[Any]) -> None:
    db.execute("delete from memory_activation where memory_id = %s", [lived["used"]])
    assert [r["id"] for r in run(db, "console/orphans")] == [lived["used"]]
    db.execute("grant select on memories to anon")
    try:
        assert [r["finding"] for r in run(db, "console/access_check")] == ["anon may select"]
    finally:
        db.execute("revoke select on memories from anon")


def test_one_memorys_history_can_be_asked_for(lived: dict[str, Any], db: psycopg.Connection[Any]) -> None:
    db.execute("select set_config('pgcortex.memory', %s, false)", [str(lived["tea"])])
    assert [r["action"] for r in run(db, "console/history_of_a_memory")] == ["capture", "supersede"]


@contextmanager
def database(name: str) -> Iterator[str]:
    server = shared_server()
    where = {"host": server.host, "port": server.port, "user": server.user}
    with psycopg.connect(**where, dbname="postgres", autocommit=True) as conn:
        conn.execute(f"drop database if exists {name} with (force)".encode())
        conn.execute(f"create database {name}".encode())
        yield psycopg.conninfo.make_conninfo(**where, dbname=name)
        conn.execute(f"drop database {name} with (force)".encode())


def test_a_partitioned_brain_does_all_that_a_whole_one_does(worker_id: str) -> None:
    name = f"parts_{worker_id}"
    server = shared_server()
    with database(name) as dsn:
        with psycopg.connect(dsn, autocommit=True) as conn:
            run(conn, "scale/partition")
        load_schema(dimensions=3, host=server.host, port=server.port, user=server.user, dbname=name)
        with psycopg.connect(dsn, autocommit=True) as conn:
            ada, ben = Person(conn, ADA), Person(conn, BEN)
            parts = conn.execute(
                "select count(*) from pg_inherits where inhparent = 'memories'::regclass"
            ).fetchone()
            assert parts == (16,)
            first = ada.capture(
                "the zeppelin lands", embedding="[1,0,0]", session_id="s", created_at="2026-01-01"
            )
            assert ada.capture("the zeppelin lands") == first
            ben.capture("the zeppelin lands", embedding="[1,0,0]")
            later = ada.capture("at noon", embedding="[0,1,0]", session_id="s")
            hits = ada.call("recall", query_embedding="[1,0,0]", query_text="zeppelin")
            assert hits[0]["id"] == first
            ada.call("supersede", old_id=first, new_id=later)
            ada.call("checkpoint", state=Jsonb({"a": 1}))
            assert ada.call("wake")["size"]["memories"] == 2
            assert {r[0]["status"] for r in conn.execute("select cortex.run_due_jobs()").fetchall()} == {
                "done"
            }
            ada.call("forget", id=later, hard=True)
            assert ben.call("thought_stats")["total"] == 1
            plan = conn.execute(
                f"explain select 1 from memories where owner_id = '{ADA}'".encode()
            ).fetchall()
            assert sum("Scan" in line[0] and "memories_" in line[0] for line in plan) <= 2
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ada.query("select 1 from memories_0")
