"""Supabase's own checks of a deployed project, with the exact flags a release is held to.

`db lint --level warning --fail-on warning` runs plpgsql_check over every function of every schema of ours;
`db advisors --type all --fail-on warn` runs the security and performance advisors. Advisors also note, as
INFO, each index that no query has used; in a database nobody has used that is every index, so it is the one
note that is no finding.
"""

from __future__ import annotations

import psycopg

from tests.hosted.cli import supabase, supabase_json
from tests.hosted.stack import HostedStack


def test_db_lint_has_nothing_to_say(project: str) -> None:
    linted = supabase(project, "db", "lint", "--level=warning", "--fail-on=warning")
    assert "Linting schema: cortex" in linted.stderr
    assert "No schema errors found" in linted.stdout + linted.stderr


def test_db_advisors_have_nothing_to_say(project: str) -> None:
    supabase(project, "db", "advisors", "--type=all", "--fail-on=warn")
    notes = supabase_json(project, "db", "advisors", "--type=all", "--level=info")["results"]
    assert [note for note in notes if note["name"] != "unused_index"] == []


def test_the_gates_notice_a_careless_migration(stack: HostedStack) -> None:
    dsn = stack.new_project("careless")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table public.diary (page text)")
        connection.execute(
            "create function public.broken() returns text"
            " language plpgsql as 'begin return nowhere.page; end'"
        )
    assert supabase(dsn, "db", "lint", "--level=warning", "--fail-on=warning", check=False).returncode != 0
    advised = supabase(dsn, "db", "advisors", "--type=all", "--fail-on=warn", check=False)
    assert advised.returncode != 0
    assert "rls_disabled_in_public" in advised.stdout
