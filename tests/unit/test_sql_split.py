"""A migration's script falls into the statements a person sees in it."""

from __future__ import annotations

import pytest

from pgcortex._sql_split import split_statements


@pytest.mark.parametrize(
    ("script", "statements"),
    [
        ("", []),
        (" ;\n;; ", []),
        ("select 1", ["select 1"]),
        ("select 1;\n\nselect 2;\n", ["select 1", "select 2"]),
        (
            "-- why; and how\nselect 1; -- done;\nselect 2",
            ["-- why; and how\nselect 1", "-- done;\nselect 2"],
        ),
        ("select 1;\n-- the end", ["select 1", "-- the end"]),
        (
            "select 1 /* a; /* nested; */ b; */ + 1; select 2",
            ["select 1 /* a; /* nested; */ b; */ + 1", "select 2"],
        ),
        ("select 4/2; select 2*3-1", ["select 4/2", "select 2*3-1"]),
        ("select 'it''s; so'; select 2", ["select 'it''s; so'", "select 2"]),
        (r"select E'\';'; select 2", [r"select E'\';'", "select 2"]),
        (r"select 'C:\'; select 2", [r"select 'C:\'", "select 2"]),
        (r"select type'\'; select 2", [r"select type'\'", "select 2"]),
        ('create table "a;""b" (c int); select 2', ['create table "a;""b" (c int)', "select 2"]),
        ("do $$ begin; end $$; select 2", ["do $$ begin; end $$", "select 2"]),
        ("select $a$ ; $$ ; $b$ ; $a$; select 2", ["select $a$ ; $$ ; $b$ ; $a$", "select 2"]),
        ("select $été$;$été$; select 2", ["select $été$;$été$", "select 2"]),
        ("select a$b$ from t; select c$b$ from t", ["select a$b$ from t", "select c$b$ from t"]),
        ("prepare p as select $1; execute p(';')", ["prepare p as select $1", "execute p(';')"]),
        (
            "create rule r as on insert to t do also (delete from a; delete from b); select 2",
            ["create rule r as on insert to t do also (delete from a; delete from b)", "select 2"],
        ),
        ("begin; select 1; end; select 2", ["begin", "select 1", "end", "select 2"]),
    ],
)
def test_statements_end_at_the_semicolons_that_are_sql(script: str, statements: list[str]) -> None:
    assert split_statements(script) == statements


def test_a_begin_atomic_body_stays_in_one_piece() -> None:
    body = (
        "create function f(a int) returns int begin atomic\n"
        "  select case when a > 0 then 1 else 0 end;\n"
        "  select case a when 1 then case when true then 2 end end;\n"
        "end"
    )

    assert split_statements(f"{body};\nselect 2;") == [body, "select 2"]


@pytest.mark.parametrize(
    "unfinished", ["select 'a;", "select $$a;", "/* a;", 'select "a;', "select (1;", "-- a;"]
)
def test_an_unfinished_script_is_one_statement_for_postgres_to_refuse(unfinished: str) -> None:
    assert split_statements(unfinished) == [unfinished]


def test_a_long_script_is_split_in_linear_time() -> None:
    statement = "insert into t values (1, 'x') /* why */"

    assert split_statements(f"{statement};\n" * 5000) == [statement] * 5000
