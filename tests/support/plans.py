"""The plans of what a function really ran, as Postgres reports them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg


@contextmanager
def watched_plans(conn: psycopg.Connection[Any]) -> Iterator[list[str]]:
    """Collect the text plan of every statement on this connection that reads memories, nested ones too.

    The connection belongs to the database owner; what it runs in another role is seen as well.
    """
    plans: list[str] = []

    def note(diagnostic: psycopg.errors.Diagnostic) -> None:
        message = diagnostic.message_primary or ""
        if "plan:" in message and " on memories m" in message:
            plans.append(message)

    conn.execute("load 'auto_explain'")
    conn.execute("set auto_explain.log_nested_statements = on")
    conn.execute("set auto_explain.log_level = notice")
    conn.execute("set auto_explain.log_min_duration = 0")
    conn.add_notice_handler(note)
    try:
        yield plans
    finally:
        conn.remove_notice_handler(note)
        conn.execute("set auto_explain.log_min_duration = -1")
