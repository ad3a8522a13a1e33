"""A day at the command line."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg

from pgcortex import InvalidInput, NotFound
from pgcortex.cli._app import app
from tests.cli.conftest import Shell


def test_a_day_from_remember_to_wake(shell: Shell) -> None:
    assert "Nothing is remembered yet" in shell.say("wake")
    old = shell.json("remember", "We decided to rent a van because it was cheap", "--category", "decision")
    new = shell.json(
        "remember",
        "We decided to buy a van because renting took a day",
        *("--category", "decision", "--store", "semantic", "--tag", "van", "--supersedes", old["id"]),
    )
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    shell.say("remember", "Register the van", "--due", tomorrow)
    assert [hit["id"] for hit in shell.json("recall", "buy a van", "--tag", "van")["hits"]] == [new["id"]]
    why = shell.say("why", "why buy a van?")
    assert "because renting took a day" in why
    assert "replaced" in why
    assert "memories about van" in shell.say("know", "van")
    shell.say("checkpoint", "Van bought", "--next", "register it", "--open", "which colour?")
    morning = shell.say("wake")
    for words in ("Van bought", "register it", "which colour?", "Due", "Register the van", "Decided lately"):
        assert words in morning


def test_show_forget_restore_and_erase(shell: Shell) -> None:
    id = shell.json("capture", "The spare key is under the pot")["id"]
    assert "under the pot" in shell.say("show", id)
    assert "forgotten" in shell.say("forget", id, "--reason", "moved")
    assert isinstance(shell.refusal("show", id), NotFound)
    assert "restored" in shell.say("restore", id)
    refused = shell.run("forget", id, "--erase", typed="n\n")
    assert refused.exit_code != 0
    assert "under the pot" in shell.say("show", id)
    assert "erased" in shell.say("forget", id, "--erase", "--yes")
    assert isinstance(shell.refusal("restore", id), NotFound)


def test_recall_reinforces_unless_it_only_peeks(shell: Shell) -> None:
    shell.say("capture", "The boiler is serviced in May")
    assert shell.json("recall", "boiler", "--peek")["hits"][0]["access"] == 0
    shell.say("recall", "boiler")
    assert shell.json("recall", "boiler", "--peek")["hits"][0]["access"] > 0


def test_errors_are_one_sentence_with_advice(shell: Shell) -> None:
    error = shell.refusal("list", "--since", "yesterday")
    assert isinstance(error, InvalidInput)
    assert "2026-06-01" in (error.hint or "")
    assert isinstance(shell.refusal("forget", str(uuid4())), NotFound)
    assert isinstance(shell.refusal("remember", "x", "--store", "attic"), InvalidInput)


def test_stats_tell_what_models_cost(shell: Shell, dsn: str) -> None:
    assert "cost" not in shell.say("stats")
    with psycopg.connect(dsn) as conn:
        conn.execute(
            "insert into public.model_calls (owner_id, purpose, model, cost_usd)"
            " values (%s, 'embedding', 'm', 0.0125), (%s, 'embedding', 'm', 0.01)",
            [os.environ["PGCORTEX_OWNER_ID"]] * 2,
        )
    assert "cost       2 calls, 0.0225 US dollars this month" in shell.say("stats")


def test_every_command_explains_itself_and_those_that_print_speak_json(shell: Shell) -> None:
    commands = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    wanted = {"capture", "search", "list", "stats", "remember", "recall", "why", "know", "forget", "wake"}
    wanted |= {"checkpoint", "review", "mcp", "install", "doctor", "up", "down", "status", "import", "export"}
    assert wanted <= commands
    for name in sorted(commands):
        told = re.sub(r"\x1b\[[0-9;]*m", "", shell.say(name, "--help"))
        assert re.search(r"[A-Z][^.]{15,}\.", told), name
        if name not in {"mcp", "psql"}:
            assert "--json" in told, name
