"""One server for all hosted tests; the project in it is deployed by the real CLI before the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tests.hosted.cli import supabase
from tests.hosted.stack import HostedStack
from tests.support import node


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.hosted)


@pytest.fixture(scope="session")
def stack() -> Iterator[HostedStack]:
    with ThreadPoolExecutor() as pool:
        programs = pool.submit(node.install)  # on a fresh machine, while the image is made
        with HostedStack.start() as stack:
            programs.result()
            yield stack


@pytest.fixture(scope="session")
def project(stack: HostedStack) -> str:
    """The connection string of a project that `supabase db push` was run on, as its owner."""
    supabase(stack.dsn(), "db", "push")
    return stack.dsn()


@pytest.fixture
def owner(project: str) -> Iterator[psycopg.Connection]:
    """A connection of the project's owner; each statement commits."""
    with psycopg.connect(project, autocommit=True) as connection:
        yield connection
