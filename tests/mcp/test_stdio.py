"""`pgcortex mcp` as a host starts it: a process that speaks on standard input and output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import psutil
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult

import pgcortex
from tests.mcp.conftest import text_of

REPOSITORY = Path(pgcortex.__file__).parents[2]
COMMAND = [sys.executable, "-m", "pgcortex", "mcp"]

# The same server among libraries that print whenever they can: when imported, from a thread of their own,
# at exit, with and without a line break, and past Python.
CHATTY = """
import atexit, os, sys, threading, time
from importlib.abc import MetaPathFinder

def chat():
    while True:
        print("chat")
        os.write(1, b"chat past Python\\n")
        time.sleep(0.02)

class Chatty(MetaPathFinder):
    met = set()
    def find_spec(self, name, path=None, target=None):
        if name in ("mcp.server", "psycopg", "onnxruntime", "yake") and name not in self.met:
            self.met.add(name)
            print("importing", name)
            sys.stdout.write("no line break")
            os.write(1, b"importing past Python\\n")
            if name == "psycopg":
                threading.Thread(target=chat, daemon=True).start()

sys.meta_path.insert(0, Chatty())
atexit.register(lambda: print("goodbye"))
atexit.register(lambda: os.write(1, b"goodbye past Python\\n"))
sys.argv = ["pgcortex", "mcp"]
from pgcortex.cli import main
main()
"""


def environment(dsn: str, owner: UUID, **more: str) -> dict[str, str]:
    """Of a server whose brain is that of `owner`."""
    settings = {"PGCORTEX_DATABASE_URL": dsn, "PGCORTEX_OWNER_ID": str(owner)}
    path = os.pathsep.join([str(REPOSITORY / "client"), str(REPOSITORY / "functions")])
    return {**os.environ, "PYTHONPATH": path, **settings, **more}


class Wire:
    """A server, line by line, as it really comes over the pipe."""

    def __init__(self, command: list[str], env: dict[str, str], folder: Path) -> None:
        with (folder / "stderr").open("wb") as log:
            self.process = subprocess.Popen(
                command,
                env=env,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.lines: list[str] = []
        self._id = 0

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and read lines until its answer."""
        self._id += 1
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            message = json.loads(line)
            if message.get("id") == self._id:
                return message["result"]
        raise AssertionError(f"no answer to {method}")

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def start(self) -> Any:
        """The handshake."""
        answer = self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def end(self) -> int:
        """Close standard input, read what is left, and wait."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.drain()

    def drain(self) -> int:
        assert self.process.stdout is not None
        self.lines += self.process.stdout.readlines()
        return self.process.wait(timeout=30)


@pytest.fixture
def start(owner: UUID, tmp_path: Path) -> Iterator[Callable[..., Wire]]:
    """Starts servers that are gone when the test is."""
    opened: list[Wire] = []

    def begin(dsn: str, command: list[str] = COMMAND, **more: str) -> Wire:
        opened.append(Wire(command, environment(dsn, owner, **more), tmp_path))
        return opened[-1]

    yield begin
    for wire in opened:
        if wire.process.poll() is None:
            wire.process.kill()
            wire.process.wait()
        for stream in (wire.process.stdin, wire.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()


def assert_only_protocol(wire: Wire) -> None:
    assert wire.lines
    for line in wire.lines:
        assert json.loads(line)["jsonrpc"] == "2.0", line


@pytest.mark.parametrize("ending", ["input closed", "SIGTERM", "SIGINT"])
def test_every_line_on_stdout_is_protocol_whatever_libraries_print(
    start: Callable[..., Wire], dsn: str, tmp_path: Path, ending: str
) -> None:
    """Case C55: in success, in error, and when it ends."""
    wire = start(dsn, [sys.executable, "-c", CHATTY], PYTHONWARNINGS="always")
    wire.start()
    assert len(wire.ask("tools/list")["tools"]) == 12
    assert not wire.call("capture_thought", content="Stdout is for the protocol").get("isError")
    assert not wire.call("cortex_recall", query="what is stdout for?").get("isError")
    assert wire.call("cortex_forget", id="nonsense")["isError"]
    assert wire.call("list_thoughts", limit="many")["isError"]
    if ending == "input closed":
        assert wire.end() == 0
    else:
        wire.process.send_signal(getattr(signal, ending))
        assert wire.drain() != 0
    assert_only_protocol(wire)
    said = (tmp_path / "stderr").read_text()
    for words in ("importing mcp.server", "importing past Python", "chat past Python"):
        assert words in said
    if ending == "input closed":
        assert "goodbye past Python" in said


def test_a_database_that_is_down_is_an_error_with_advice_and_not_an_empty_memory(
    start: Callable[..., Wire], tmp_path: Path
) -> None:
    """Case C55 in the error path; and "away" never looks like "nothing stored"."""
    wire = start(f"host={tmp_path} dbname=nowhere", PGCORTEX_TIMEOUT="1")
    wire.start()
    for tool, arguments in (("search_thoughts", {"query": "tea"}), ("cortex_wake", {})):
        answer = wire.call(tool, **arguments)
        assert answer["isError"]
        (block,) = answer["content"]
        assert "database_unavailable" in block["text"]
        assert "do not conclude" in block["text"]
        assert "Traceback" not in block["text"]
    assert wire.end() == 0
    assert_only_protocol(wire)


def test_tools_are_listed_within_two_seconds_of_processor_time(start: Callable[..., Wire], dsn: str) -> None:
    """The wall clock of a busy machine says little; what the start costs is the processor's time."""
    costs = []
    for _ in range(2):
        wire = start(dsn)
        wire.start()
        wire.ask("tools/list")
        used = psutil.Process(wire.process.pid).cpu_times()
        costs.append(used.user + used.system)
        wire.end()
    assert min(costs) < 2.0


def test_a_new_process_wakes_to_the_checkpoint_of_the_one_before(dsn: str, owner: UUID) -> None:
    """A whole working day, with the official Python client over stdio."""
    server = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=environment(dsn, owner), cwd=REPOSITORY
    )

    async def session(*calls: tuple[str, dict[str, Any]]) -> list[Any]:
        async with Client(stdio_client(server)) as client:
            results: list[CallToolResult] = [await client.call_tool(tool, args) for tool, args in calls]
            assert not any(result.is_error for result in results), [text_of(one) for one in results]
            return [json.loads(text_of(result)) for result in results]

    day = anyio.run(
        lambda: session(
            ("cortex_wake", {}),
            (
                "cortex_remember",
                {
                    "content": "We decided on annual pricing because churn was highest in month two",
                    "category": "decision",
                    "store": "semantic",
                    "tags": '["pricing"]',
                },
            ),
            ("capture_thought", {"content": "Rae prefers calls before ten"}),
            ("cortex_recall", {"query": "when does Rae like to talk?", "limit": "1"}),
            ("cortex_why_did_we", {"question": "why annual pricing?"}),
            ("cortex_checkpoint", {"summary": "Pricing page drafted", "next_steps": "publish it"}),
        )
    )
    assert day[3]["memories"][0]["text"] == "Rae prefers calls before ten"
    assert "churn" in day[4]["decisions"][0]["text"]
    (morning,) = anyio.run(lambda: session(("cortex_wake", {})))
    assert morning["last_checkpoint"]["state"] == {
        "summary": "Pricing page drafted",
        "next_steps": ["publish it"],
    }
    assert "annual pricing" in morning["recent_decisions"][0]["text"]
