"""The pgTAP suite of `supabase/tests/database`, which `supabase test db` also runs, by pg_prove."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.hosted.stack import ADMIN, HostedStack
from tests.support.node import REPOSITORY

SUITE = REPOSITORY / "supabase" / "tests" / "database"
TESTS = sorted(SUITE.glob("*.test.sql"))


@pytest.fixture(scope="module")
def pgtap(stack: HostedStack, project: str) -> Iterator[None]:
    """pgTAP is there while its tests run and at no other time: lint looks at what is installed."""
    with psycopg.connect(stack.dsn(ADMIN), autocommit=True) as admin:
        admin.execute("create extension pgtap with schema extensions")
        yield
        admin.execute("drop extension pgtap")


@pytest.fixture(scope="module")
def suite(stack: HostedStack) -> Path:
    """The test files, where pg_prove in the image finds them."""
    return shutil.copytree(SUITE, stack.run / "pgtap")


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name.removesuffix(".test.sql"))
def test_pgtap(path: Path, stack: HostedStack, suite: Path, pgtap: None) -> None:
    inside = f"/{(suite / path.name).relative_to(stack.root)}"
    connection = ["--host=127.0.0.1", f"--port={stack.port}", "--username=postgres", "--dbname=postgres"]
    proved = stack.execute_inside(["pg_prove", "--verbose", *connection, inside])
    if proved.returncode:
        pytest.fail(f"{proved.stdout}\n{proved.stderr}", pytrace=False)
