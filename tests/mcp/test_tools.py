"""What the tools do, asked as a host asks them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import anyio
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import TextResourceContents

from pgcortex import Cortex, Settings
from tests.mcp.conftest import Host

HostOf = Callable[[UUID], Host]


def read_resource(host: Host, uri: str) -> Any:
    async def read() -> str | MCPError:
        async with Client(host.server) as client:
            try:
                (contents,) = (await client.read_resource(uri)).contents
            except MCPError as error:
                return error
            assert isinstance(contents, TextResourceContents)
            return contents.text

    answer = anyio.run(read)
    return answer if isinstance(answer, MCPError) else json.loads(answer)


def test_a_captured_thought_is_found_by_its_meaning_with_its_labels_and_the_reason(host: Host) -> None:
    stored = host.ask("capture_thought", content="We are spending too much on API calls")["captured"]
    found = host.ask("search_thoughts", query="budget concerns")
    (memory,) = found["memories"]
    assert memory["id"] == stored["id"]
    assert memory["text"] == "We are spending too much on API calls"
    assert datetime.fromisoformat(memory["date"]) > datetime.now(UTC) - timedelta(minutes=5)
    assert memory["source"] == "conversation"
    assert memory["why"]["found_by"] == ["vector"]
    assert {"score", "relevance", "similarity", "strength", "recency", "access"} <= set(memory["why"])
    assert "no authority" in found["note"]


def test_a_whole_day_remember_recall_why_know_checkpoint_wake(host: Host) -> None:
    assert "empty" in host.ask("cortex_wake")["notice"]
    old = host.ask(
        "cortex_remember",
        content="We decided to narrate with the voice Ben because it was the default",
        category="decision",
        store="semantic",
    )["remembered"]["id"]
    new = host.ask(
        "cortex_remember",
        content="We decided to narrate with the voice Laura because listeners found Ben flat",
        title="Laura voice selected for German narration",
        category="decision",
        store="semantic",
        tags=["video-pipeline", "tts"],
        supersedes=old,
    )["remembered"]["id"]
    host.ask("cortex_remember", content="Send the narration to Mia", due=datetime.now(UTC).isoformat())
    recalled = host.ask("cortex_recall", query="which voice narrates?")["memories"]
    assert recalled[0]["id"] == new
    assert old not in [memory["id"] for memory in recalled]
    why = host.ask("cortex_why_did_we", question="why did we choose the voice Laura?")
    assert {memory["id"] for memory in why["decisions"]} == {old, new}
    known = host.ask("cortex_what_do_i_know", topic="narration")
    assert known["memories_on_topic"] >= 1
    host.ask(
        "cortex_checkpoint",
        summary="Working on the video pipeline v3",
        open_questions=["Which music?"],
        session="video",
    )
    morning = host.ask("cortex_wake")
    assert morning["last_checkpoint"]["state"] == {
        "summary": "Working on the video pipeline v3",
        "open_questions": ["Which music?"],
    }
    assert morning["overdue"]["tasks"][0]["text"] == "Send the narration to Mia"
    assert [decision["id"] for decision in morning["recent_decisions"]] == [new]
    assert host.ask("cortex_stats")["stats"]["superseded"] == 1


def test_a_forgotten_memory_is_gone_from_every_tool(host: Host) -> None:
    """Case C14, through MCP."""
    kept = host.ask("capture_thought", content="The office cat is called Miso")["captured"]["id"]
    gone = host.ask("capture_thought", content="The office cat was called Tofu")["captured"]["id"]
    assert host.ask("cortex_forget", id=gone, reason="wrong name")["forgotten"]["status"] == "forgotten"
    for tool, arguments in (
        ("search_thoughts", {"query": "office cat"}),
        ("cortex_recall", {"query": "office cat", "include_archived": True}),
        ("list_thoughts", {}),
    ):
        assert [memory["id"] for memory in host.ask(tool, **arguments)["memories"]] == [kept]
    assert host.ask("thought_stats")["stats"]["total"] == 1
    assert "no such memory" in host.refusal("list_thoughts", ids=[gone])


def test_recalling_reinforces_and_searching_does_not(host: Host) -> None:
    host.ask("capture_thought", content="The deploy command is make ship")
    for _ in range(2):
        host.ask("search_thoughts", query="deploy command")
    assert host.ask("search_thoughts", query="deploy command")["memories"][0]["why"]["access"] == 0
    host.ask("cortex_recall", query="deploy command")
    assert host.ask("search_thoughts", query="deploy command")["memories"][0]["why"]["access"] > 0


def test_pages_of_a_list_follow_each_other(host: Host, brain: Cortex) -> None:
    brain.capture_many([{"content": f"entry number {n}"} for n in range(7)])
    seen: list[str] = []
    cursor = ""
    while True:
        page = host.ask("list_thoughts", limit=3, cursor=cursor)
        seen += [memory["text"] for memory in page["memories"]]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    assert sorted(seen) == [f"entry number {n}" for n in range(7)]


def test_long_texts_are_previewed_within_a_budget_and_read_in_full_by_id(
    host: Host, settings: Settings
) -> None:
    long = "the beginning " + "and so on " * 2_500 + "the end"
    with Cortex(settings.model_copy(update={"embedder": "none"})) as brain:
        id = str(brain.capture(long).id)
        brain.capture_many([{"content": f"filler {n} " + "and more " * 300} for n in range(9)])
    page = host.ask("list_thoughts", limit=10)
    assert sum(len(memory["text"]) for memory in page["memories"]) <= 12_000
    cut = next(memory for memory in page["memories"] if memory["id"] == id)
    assert cut["characters"] == len(long)
    assert cut["text"].endswith("…")
    assert "ids" in page["more"]
    first = host.ask("list_thoughts", ids=[id])["memories"][0]
    rest = host.ask("list_thoughts", ids=[id], from_character=first["next_from_character"])["memories"][0]
    assert first["text"] + rest["text"] == long
    assert "next_from_character" not in rest


def test_a_memory_and_the_recent_ones_can_be_read_as_resources(host: Host) -> None:
    id = host.ask("capture_thought", content="The wifi is called Olm")["captured"]["id"]
    assert read_resource(host, f"memory://{id}")["memories"][0]["text"] == "The wifi is called Olm"
    assert [memory["id"] for memory in read_resource(host, "memory://recent")["memories"]] == [id]
    assert "not_found" in str(read_resource(host, f"memory://{uuid4()}"))


def test_two_users_do_not_see_each_other(host_of: HostOf) -> None:
    """Case C40, through MCP: search, list, read by id, forget, stats."""
    ada, ben = host_of(uuid4()), host_of(uuid4())
    hers = ada.ask("capture_thought", content="my home is the lighthouse")["captured"]["id"]
    assert ben.ask("search_thoughts", query="home lighthouse")["found"] == 0
    assert ben.ask("list_thoughts")["listed"] == 0
    assert ben.ask("thought_stats")["stats"]["total"] == 0
    assert "no such memory" in ben.refusal("list_thoughts", ids=[hers])
    assert "not_found" in ben.refusal("cortex_forget", id=hers)
    assert ada.ask("search_thoughts", query="home lighthouse")["found"] == 1


def test_nothing_stored_and_nothing_close_enough_are_different_answers(host: Host) -> None:
    """Case C09."""
    assert "Nothing is stored" in host.ask("search_thoughts", query="invoices")["notice"]
    host.ask("capture_thought", content="Bananas ripen faster beside apples")
    far = host.ask("search_thoughts", query="quarterly tax filing deadline", threshold=0.9)
    assert far["found"] == 0
    assert "threshold" in far["notice"] or "matches" in far["notice"]
