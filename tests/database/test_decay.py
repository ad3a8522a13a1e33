"""Strength fades by the clock alone; what has faded is archived, once, and comes back when asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.database.conftest import ADA, Person

BORN = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = (0, 1, 10, 44, 45, 46, 89, 90, 91)
EMOTION = {"calm": (0.2, 0.2), "moved": (-0.9, 0.8)}
RATE = {"calm": 0.02, "moved": 0.01}


def after(days: float) -> datetime:
    return BORN + timedelta(days=days)


def feel(ada: Person, emotion: str, **facts: Any) -> UUID:
    valence, arousal = EMOTION[emotion]
    facts = {"content": f"a {emotion} zeppelin", "created_at": BORN} | facts
    return ada.capture(facts.pop("content"), valence=valence, arousal=arousal, **facts)


def archive(db: psycopg.Connection[Any], at: datetime) -> int:
    row = db.execute("select cortex.archive_faded(%s)", [at]).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("days", DAYS)
@pytest.mark.parametrize("emotion", EMOTION)
def test_strength_and_archive_follow_the_write_up(
    ada: Person, db: psycopg.Connection[Any], emotion: str, days: int
) -> None:
    # The write-up: max(0, strength - rate * daysSinceAccess), archived below 0.1, in double precision.
    expected = max(0.0, 1.0 - RATE[emotion] * days)
    feel(ada, emotion)
    [hit] = ada.call("search_thoughts", query_text="zeppelin", as_of=after(days))
    assert hit["strength"] == pytest.approx(expected, abs=1e-12)
    assert ada.call("memory_stats", as_of=after(days))["mean_strength"] == pytest.approx(expected, abs=1e-12)
    assert archive(db, after(days)) == (1 if expected < 0.1 else 0)


def test_a_run_repeated_late_or_never_changes_no_strength_case_c31(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    for n in range(20):
        feel(ada, "calm", content=f"memory {n}", created_at=after(n))
    stored = ada.query("select memory_id, strength, last_accessed_at from memory_activation order by 1")
    first, again = archive(db, after(50)), archive(db, after(50))
    assert (first, again) == (6, 0)
    assert (
        ada.query("select memory_id, strength, last_accessed_at from memory_activation order by 1") == stored
    )
    # Ten nights missed: one run catches up with all of them.
    assert archive(db, after(60)) == 10


def test_a_naive_daily_loop_archives_on_day_nine_and_ours_does_not_case_c31(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    strength, day = 1.0, 0
    while strength >= 0.1:
        day += 1
        strength = max(0.0, strength - 0.02 * day)  # the write-up's cron, its result written back every night
    assert day == 9

    feel(ada, "calm")
    assert [archive(db, after(n)) for n in range(1, 45)] == [0] * 44
    [hit] = ada.call("search_thoughts", query_text="zeppelin", as_of=after(44))
    assert hit["strength"] == pytest.approx(0.12)


def test_an_archived_memory_is_found_only_when_asked_for_and_can_return_case_c32(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    memory = feel(ada, "calm")
    archive(db, after(60))
    assert ada.call("search_thoughts", query_text="zeppelin") == []
    assert ada.call("recall", query_text="zeppelin") == []
    [found] = ada.call("search_thoughts", query_text="zeppelin", include_archived=True)
    assert (found["id"], found["archived_at"]) == (memory, after(60))
    [event] = ada.query(
        "select action, reason from memory_events where memory_id = %s and action = 'archive'", [memory]
    )
    assert event == {"action": "archive", "reason": "faded"}
    assert ada.call("restore", id=memory)["was"] == "faded"
    assert len(ada.call("search_thoughts", query_text="zeppelin")) == 1


@pytest.mark.parametrize("kept", [{"pinned": True}, {"store": "prospective"}])
def test_pins_and_intentions_never_fade_case_c32(
    ada: Person, db: psycopg.Connection[Any], kept: dict[str, Any]
) -> None:
    feel(ada, "calm", confidence=0.9, **kept)
    assert archive(db, after(36500)) == 0
    [hit] = ada.call("search_thoughts", query_text="zeppelin", as_of=after(90))
    assert hit["strength"] == 1


def test_strong_emotion_doubles_the_time_a_memory_stays_case_c32(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    feel(ada, "calm")
    moved = feel(ada, "moved")
    assert archive(db, after(50)) == 1
    assert [row["id"] for row in ada.call("list_thoughts")] == [moved]


def test_a_memory_starts_to_fade_when_its_pin_is_taken_out(ada: Person, db: psycopg.Connection[Any]) -> None:
    memory = feel(ada, "calm", pinned=True)
    ada.call("pin", id=memory, pinned=False)
    [row] = ada.query(
        "select strength, now() - last_accessed_at < interval '1 minute' as fresh from memory_activation"
    )
    assert row == {"strength": 1.0, "fresh": True}
    assert archive(db, datetime.now(UTC)) == 0


def test_an_intention_carried_out_fades_from_then_on(ada: Person, db: psycopg.Connection[Any]) -> None:
    task = feel(ada, "calm", store="prospective", due_at=after(3))
    ada.call("update_thought", id=task, done=True)
    assert archive(db, datetime.now(UTC)) == 0
    assert archive(db, datetime.now(UTC) + timedelta(days=46)) == 1


def test_late_metadata_does_not_restart_the_clock(ada: Person, db: psycopg.Connection[Any]) -> None:
    memory = feel(ada, "calm", embedding="[1,0,0]")
    db.execute(
        "update memories set valence = 0.9, arousal = 0.9, enrichment_status = 'done' where id = %s", [memory]
    )
    assert ada.query("select last_accessed_at from memory_activation") == [{"last_accessed_at": BORN}]


def test_old_notes_imported_with_their_date_start_fading_today(
    ada: Person, db: psycopg.Connection[Any]
) -> None:
    ada.capture("note of 2019", occurred_at="2019-05-01")
    restored_history = ada.capture("memory of 2019", created_at="2019-05-01")
    assert archive(db, datetime.now(UTC)) == 1
    assert ada.query("select id from memories where archived_at is not null") == [{"id": restored_history}]


def test_recall_strengthens_step_by_step_and_each_memory_fades_from_there(ada: Person) -> None:
    feel(ada, "calm")
    for days, strength in ((10, 0.8 + 0.2 * 0.2), (20, 0.64 + 0.36 * 0.2), (30, 0.512 + 0.488 * 0.2)):
        ada.call("recall", query_text="zeppelin", as_of=after(days))
        [row] = ada.query("select strength, last_accessed_at from memory_activation")
        assert row["strength"] == pytest.approx(strength, abs=1e-6)
        assert row["last_accessed_at"] == after(days)


def test_whoever_is_recalled_while_the_job_runs_stays(
    ada: Person, db: psycopg.Connection[Any], worker_database: str
) -> None:
    memory = feel(ada, "calm")
    with psycopg.connect(worker_database) as other:
        other.execute("select cortex.touch(%s, array[%s::uuid], %s)", [ADA, memory, after(50)])
        assert archive(db, after(50)) == 0
    assert archive(db, after(50)) == 0
    assert len(ada.call("list_thoughts")) == 1


def test_a_large_night_goes_in_batches(ada: Person, db: psycopg.Connection[Any]) -> None:
    for n in range(25):
        feel(ada, "calm", content=f"memory {n}")
    assert db.execute("select cortex.archive_faded(%s, 4)", [after(50)]).fetchone() == (25,)


def test_the_settings_are_read_at_every_run(ada: Person, db: psycopg.Connection[Any]) -> None:
    feel(ada, "calm")
    db.execute("update cortex.settings set value = '0.5' where key = 'archive_below'")
    assert [archive(db, after(25)), archive(db, after(26))] == [0, 1]


def test_an_open_task_does_not_fade_before_it_is_due(ada: Person, db: psycopg.Connection[Any]) -> None:
    task = ada.capture(
        "Cancel the gym", thought_type="task", due_at="2026-12-05T12:00Z", created_at="2026-10-01"
    )
    db.execute("select cortex.archive_faded('2026-11-30')")
    woken = ada.call("wake", as_of="2026-12-04T12:00Z")
    assert [due["id"] for due in woken["due"]["tasks"]] == [str(task)]
