"""A brain with the real local embedder, asked through MCP in one process or in another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import anyio
import pytest
from mcp.client import Client
from mcp.types import CallToolResult, TextContent
from pydantic import SecretStr

from pgcortex import Cortex, Settings
from pgcortex.embedding import Embedder, create_embedder
from pgcortex.mcp._server import CortexServer, build
from tests.support.databases import new_database


@pytest.fixture(scope="session")
def dsn() -> str:
    """One database for all tests of a worker."""
    return new_database("mcp", dimensions=384)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """One model in memory for all tests of a worker."""
    made = create_embedder(Settings(_env_file=None))  # type: ignore[call-arg]
    assert made is not None
    return made


@pytest.fixture
def owner() -> UUID:
    """Somebody with an empty brain."""
    return uuid4()


@dataclass(frozen=True)
class Host:
    """What an AI host does with a server in the same process."""

    server: CortexServer

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """One tool call, as it comes back."""

        async def ask() -> CallToolResult:
            async with Client(self.server) as client:
                return await client.call_tool(tool, arguments)

        return anyio.run(ask)

    def ask(self, tool: str, **arguments: Any) -> Any:
        """The JSON that a tool answers with; fails when it answers with an error."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return json.loads(text_of(result))

    def refusal(self, tool: str, **arguments: Any) -> str:
        """The words of an error."""
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    """The one text block of a result."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.fixture
def settings(dsn: str, owner: UUID) -> Settings:
    """The brain of `owner`."""
    return Settings(_env_file=None, database_url=SecretStr(dsn), owner_id=owner)  # type: ignore[call-arg]


@pytest.fixture
def brain(settings: Settings, embedder: Embedder) -> Iterator[Cortex]:
    """The brain of `owner`, without MCP."""
    with Cortex(settings, embedder=embedder) as opened:
        yield opened


@pytest.fixture
def host(brain: Cortex) -> Host:
    """A host whose user is `owner`."""
    return Host(build(lambda: brain))


@pytest.fixture
def host_of(settings: Settings, embedder: Embedder) -> Iterator[Callable[[UUID], Host]]:
    """Hosts of other users of the same database."""
    opened: list[Cortex] = []

    def make(user: UUID) -> Host:
        brain = Cortex(settings.model_copy(update={"owner_id": user}), embedder=embedder)
        opened.append(brain)
        return Host(build(lambda: brain))

    yield make
    for brain in opened:
        brain.close()
