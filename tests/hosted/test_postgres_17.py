"""The database tests, at home on the embedded Postgres 18, pass on Supabase's Postgres 17 as well."""

from __future__ import annotations

import os
import subprocess
import sys

import psycopg
import pytest

from tests.hosted.stack import ADMIN, HostedStack
from tests.support.node import REPOSITORY

# These start servers of their own and have nothing to say of this one.
WITHOUT_THIS_SERVER = ("test_local_*", "test_shared_server*")


@pytest.mark.slow
def test_the_database_tests_pass_on_postgres_17(stack: HostedStack) -> None:
    with psycopg.connect(stack.dsn(ADMIN), autocommit=True) as admin:
        # Tests clone a template database, and a clone does not have the template's own search path.
        admin.execute(f"alter role {ADMIN} set search_path = '$user', public, extensions")
    ignored = [f"--ignore-glob=*/{name}.py" for name in WITHOUT_THIS_SERVER]
    finished = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "tests/database",
            "-n",
            "2",
            "-m",
            "not slow",
            "--tb=short",
            *ignored,
        ],
        cwd=REPOSITORY,
        env={**os.environ, "PGCORTEX_TEST_SERVER": stack.dsn(ADMIN)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if finished.returncode:
        pytest.fail(finished.stdout[-20000:], pytrace=False)
