"""What a host reads before it calls anything."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.types import Tool

from pgcortex.mcp._server import build

TWELVE = [
    "capture_thought",
    "search_thoughts",
    "list_thoughts",
    "thought_stats",
    "cortex_remember",
    "cortex_recall",
    "cortex_what_do_i_know",
    "cortex_why_did_we",
    "cortex_forget",
    "cortex_stats",
    "cortex_checkpoint",
    "cortex_wake",
]


def no_brain() -> Any:
    raise AssertionError("listing tools must not open a brain")


@pytest.fixture(scope="module")
def tools() -> list[Tool]:
    async def ask() -> list[Tool]:
        async with Client(build(no_brain)) as client:
            return (await client.list_tools()).tools

    return anyio.run(ask)


def test_the_twelve_tools_of_the_write_ups_are_offered_and_no_others(tools: list[Tool]) -> None:
    assert [tool.name for tool in tools] == TWELVE


def test_every_parameter_has_one_plain_type_and_a_description(tools: list[Tool]) -> None:
    for tool in tools:
        assert set(tool.input_schema) <= {"type", "properties", "required", "title"}, tool.name
        for name, schema in tool.input_schema["properties"].items():
            where = f"{tool.name}.{name}"
            assert schema["type"] in {"string", "integer", "number", "boolean", "array"}, where
            assert set(schema) <= {
                "type",
                "title",
                "description",
                "default",
                "items",
                "minimum",
                "maximum",
            }, where
            assert schema.get("items", {"type": "string"}) == {"type": "string"}, where
            assert schema["description"], where


def test_what_is_not_required_has_an_empty_default(tools: list[Tool]) -> None:
    for tool in tools:
        for name, schema in tool.input_schema["properties"].items():
            if name not in tool.input_schema.get("required", []):
                assert schema["default"] in ("", [], 0, False, 5, 10, 20), f"{tool.name}.{name}"


def test_hints_say_what_reads_and_what_destroys(tools: list[Tool]) -> None:
    hints = {tool.name: tool.annotations for tool in tools}
    reads = {name for name, hint in hints.items() if hint and hint.read_only_hint}
    assert reads == {
        "search_thoughts",
        "list_thoughts",
        "thought_stats",
        "cortex_what_do_i_know",
        "cortex_why_did_we",
        "cortex_stats",
        "cortex_wake",
    }
    assert [name for name, hint in hints.items() if hint and hint.destructive_hint] == ["cortex_forget"]
    assert all(hint and hint.open_world_hint is False for hint in hints.values())


def test_descriptions_say_when_to_use_a_tool(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.description
        assert len(tool.description) > 90, tool.name
        if tool.name in {"search_thoughts", "list_thoughts", "cortex_recall", "cortex_wake"}:
            assert "no authority" in " ".join(tool.description.split())


def test_instructions_make_an_agent_orient_itself_and_capture_on_its_own() -> None:
    async def ask() -> str | None:
        async with Client(build(no_brain)) as client:
            return client.instructions

    instructions = anyio.run(ask) or ""
    assert instructions.index("cortex_wake") < instructions.index("capture_thought")
    assert "without being asked" in instructions


def test_prompts_and_resources_are_offered() -> None:
    async def ask() -> tuple[list[str], list[str], list[str]]:
        async with Client(build(no_brain)) as client:
            prompts = [prompt.title or "" for prompt in (await client.list_prompts()).prompts]
            resources = [resource.uri for resource in (await client.list_resources()).resources]
            templates = (await client.list_resource_templates()).resource_templates
            return prompts, [str(uri) for uri in resources], [one.uri_template for one in templates]

    assert anyio.run(ask) == (["Morning briefing", "Weekly review"], ["memory://recent"], ["memory://{id}"])
