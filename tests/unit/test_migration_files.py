"""What the migration files must look like for `supabase db push` to run them as they are written."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

MIGRATIONS = sorted((Path(__file__).parents[2] / "supabase" / "migrations").glob("*.sql"))

# What the CLI's splitter looks past: comments, quotes, dollar quotes; and brackets, where its first closing
# one ends them all, however deep they are nested.
_COMMENT_OR_QUOTE = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"|(\$\w*\$).*?\1", re.DOTALL)
_BRACKETS = re.compile(r"\([^)]*\)")
_ATOMIC_BODY = re.compile(r"atomic(.*?end\s*;?)", re.IGNORECASE | re.DOTALL)


def early_ends(script: str) -> list[str]:
    """The bodies that `supabase db push` cuts too soon: it takes the first letters `end` for their end."""
    visible = _BRACKETS.sub("()", _COMMENT_OR_QUOTE.sub("''", script))
    bodies = [body.group(1).strip() for body in _ATOMIC_BODY.finditer(visible)]
    return [body for body in bodies if not re.search(r";\s*end\s*;$", body, re.IGNORECASE)]


@pytest.mark.parametrize("path", MIGRATIONS, ids=lambda path: path.name)
def test_supabase_db_push_splits_every_function_where_it_ends(path: Path) -> None:
    assert early_ends(path.read_text(encoding="utf-8")) == []


def test_a_case_in_an_atomic_body_is_noticed() -> None:
    header = "create function f(x int) returns int begin atomic"
    assert early_ends(f"{header} select case when x > 0 then 1 end; end;")
    assert early_ends(f"{header} select x as weekend from t; end;")
    assert early_ends(f"{header} select 'case end'; end;") == []


@pytest.mark.parametrize("path", MIGRATIONS, ids=lambda path: path.name)
def test_a_migration_is_named_by_a_time_that_exists(path: Path) -> None:
    version, _, name = path.stem.partition("_")
    datetime.strptime(version, "%Y%m%d%H%M%S")
    assert re.fullmatch(r"[a-z0-9_]+", name)
