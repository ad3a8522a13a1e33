"""The MCP inspector's command line, a host that nobody here wrote, lists the tools and calls each of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.mcp.conftest import Host
from tests.mcp.test_http import SECRET, free_port, serving, token
from tests.mcp.test_schemas import TWELVE
from tests.mcp.test_stdio import COMMAND, environment
from tests.support.node import node_command, node_environment


def inspect(env: dict[str, str], folder: Path, target: list[str], *request: str) -> Any:
    """The inspector's answer to one request; its own state stays in `folder`."""
    home = {"HOME": str(folder), "MCP_CATALOG_PATH": str(folder / "catalog.json")}
    # As hosts do, it hands a server only the variables that it was given for it.
    given = [f"{name}={value}" for name, value in env.items() if name.startswith(("PGCORTEX_", "PYTHONPATH"))]
    variables = [part for pair in given for part in ("-e", pair)] if target == COMMAND else []
    finished = subprocess.run(
        node_command("mcp-inspector", "--cli", *variables, *target, *request),
        env=node_environment(home),
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )
    assert finished.returncode == 0, finished.stderr + finished.stdout
    return json.loads(finished.stdout)


def call(env: dict[str, str], folder: Path, target: list[str], tool: str, *arguments: str) -> Any:
    pairs = [part for argument in arguments for part in ("--tool-arg", argument)]
    answer = inspect(env, folder, target, "--method", "tools/call", "--tool-name", tool, *pairs)
    assert not answer.get("isError"), answer
    return json.loads(answer["content"][0]["text"])


def calls(forgettable: str) -> list[tuple[str, ...]]:
    """One call of every tool, in the order of a day."""
    return [
        ("cortex_wake",),
        ("capture_thought", "content=The inspector was here", 'topics=["tools"]'),
        ("cortex_remember", "content=We decided to inspect because trust is earned", "category=decision"),
        ("search_thoughts", "query=who was here?", "limit=3"),
        ("list_thoughts", "limit=5"),
        ("thought_stats",),
        ("cortex_recall", "query=inspect", "limit=3"),
        ("cortex_what_do_i_know", "topic=inspector"),
        ("cortex_why_did_we", "question=why inspect?"),
        ("cortex_forget", f"id={forgettable}"),
        ("cortex_stats",),
        ("cortex_checkpoint", "summary=Everything inspected"),
    ]


def test_the_inspector_finds_twelve_portable_tools(dsn: str, tmp_path: Path) -> None:
    env = environment(dsn, uuid4())
    listed = inspect(env, tmp_path, COMMAND, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == TWELVE


@pytest.mark.slow
def test_the_inspector_calls_every_tool_over_stdio(dsn: str, owner: UUID, host: Host, tmp_path: Path) -> None:
    gone = host.ask("capture_thought", content="to be forgotten over stdio")["captured"]["id"]
    env = environment(dsn, owner)
    called = [call(env, tmp_path, COMMAND, *one) and one[0] for one in calls(gone)]
    assert sorted(called) == sorted(TWELVE)


@pytest.mark.slow
def test_the_inspector_calls_every_tool_over_http(dsn: str, owner: UUID, host: Host, tmp_path: Path) -> None:
    gone = host.ask("capture_thought", content="to be forgotten over http")["captured"]["id"]
    env = environment(dsn, uuid4(), PGCORTEX_JWT_SECRET=SECRET)
    with serving(env, free_port(), tmp_path) as url:
        target = [url, "--transport", "http", "--header", f"Authorization: Bearer {token(owner)}"]
        listed = inspect(env, tmp_path, target, "--method", "tools/list")
        assert [tool["name"] for tool in listed["tools"]] == TWELVE
        called = [call(env, tmp_path, target, *one) and one[0] for one in calls(gone)]
    assert sorted(called) == sorted(TWELVE)
