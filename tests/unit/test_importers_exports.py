"""Exports of other services are read in their public formats; one bad element costs itself only."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pgcortex.importers import ImportItem, Problem, Result, detect, walk
from pgcortex.importers._chatgpt import read_chatgpt
from pgcortex.importers._claude import read_claude
from pgcortex.importers._items import make_item
from pgcortex.importers._rows import mem0_fields, open_brain_fields, our_fields

NOON = datetime(2026, 6, 3, 12, tzinfo=UTC)


def read(folder: Path, name: str, value: Any) -> list[Result]:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return list(walk([path]))


def contents(results: list[Result]) -> list[str]:
    return [result.content for result in results if isinstance(result, ImportItem)]


def reasons(results: list[Result]) -> list[str]:
    return [str(result) for result in results if isinstance(result, Problem)]


def chatgpt_message(role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    content = {"content_type": more.pop("content_type", "text"), "parts": list(parts)}
    return {"author": {"role": role}, "create_time": NOON.timestamp(), "content": content, **more}


def chatgpt_export() -> list[dict[str, Any]]:
    chain = {
        "root": (None, None),
        "sys": ("root", chatgpt_message("system", "be helpful")),
        "q": ("sys", chatgpt_message("user", "Which port?")),
        "q-edited-away": ("sys", chatgpt_message("user", "Which prot?")),
        "tool": ("q", chatgpt_message("assistant", "search()", recipient="browser")),
        "think": ("tool", chatgpt_message("assistant", "hmm", content_type="thoughts")),
        "hidden": (
            "think",
            chatgpt_message("user", "x", metadata={"is_visually_hidden_from_conversation": True}),
        ),
        "a": (
            "hidden",
            chatgpt_message("assistant", "Port 5432.", {"asset_pointer": "file-1"}, "By default."),
        ),
        "pic": ("a", chatgpt_message("user", {"asset_pointer": "file-2"}, content_type="multimodal_text")),
    }
    mapping = {
        key: {
            "id": key,
            "parent": parent,
            "message": message,
            "children": [k for k, v in chain.items() if v[0] == key],
        }
        for key, (parent, message) in chain.items()
    }
    return [{"title": "Ports", "id": "c1", "create_time": 1, "mapping": mapping, "current_node": "pic"}]


def test_chatgpt_keeps_the_visible_path_and_who_spoke(tmp_path: Path) -> None:
    results = read(tmp_path, "conversations.json", chatgpt_export())
    assert contents(results) == ["Which port?", "Port 5432.\n\nBy default."]
    assert reasons(results) == ["conversations.json item 1 message 3: no text in it (a picture or a file)"]
    first = results[0]
    assert isinstance(first, ImportItem)
    assert (first.title, first.session_id, first.occurred_at, first.source) == (
        "Ports",
        "c1",
        NOON,
        "conversation",
    )
    assert first.metadata == {"provider": "chatgpt", "role": "user"}


def test_chatgpt_without_a_pointer_follows_the_newest_leaf_and_survives_a_cycle(tmp_path: Path) -> None:
    (export,) = chatgpt_export()
    del export["current_node"]
    assert "Which port?" in contents(read(tmp_path, "a.json", [export]))
    export["mapping"]["root"]["parent"] = "q"
    assert contents(read(tmp_path, "b.json", [{**export, "current_node": "q"}])) == ["Which port?"]


def test_an_archive_is_read_without_unpacking(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("export/conversations.json", json.dumps(chatgpt_export()))
        archive.writestr("export/user.json", "{}")
    assert detect(path) == "chatgpt"
    assert len(contents(list(walk([path])))) == 2


def test_claude_reads_text_blocks_and_attachments(tmp_path: Path) -> None:
    message = {"uuid": "m", "created_at": "2026-06-03T12:00:00.000000Z"}
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Use a queue."},
        {"type": "tool_use"},
    ]
    export = [
        {
            "uuid": "c9",
            "name": "Queues",
            "created_at": "2026-06-01T08:00:00Z",
            "chat_messages": [
                {
                    **message,
                    "sender": "human",
                    "text": "How?",
                    "attachments": [{"file_name": "log.txt", "extracted_content": "E42"}],
                },
                {**message, "sender": "assistant", "text": "placeholder", "content": blocks},
                {**message, "sender": "assistant", "text": "", "content": [{"type": "tool_use"}]},
                "not a message",
            ],
        }
    ]
    results = read(tmp_path, "conversations.json", export)
    assert contents(results) == ["How?", "E42", "Use a queue."]
    assert len(reasons(results)) == 2
    attachment = results[1]
    assert isinstance(attachment, ImportItem)
    assert (attachment.title, attachment.session_id, attachment.occurred_at) == ("log.txt", "c9", NOON)


@pytest.mark.parametrize(
    "wrap", [lambda rows: rows, lambda rows: {"results": rows}, lambda rows: {"memories": rows}]
)
def test_mem0_dumps_keep_scope_and_categories(tmp_path: Path, wrap: Any) -> None:
    row = {
        "id": "892db2ae",
        "memory": "Prefers tea",
        "user_id": "alex",
        "run_id": "s1",
        "hash": "bae224",
        "metadata": {"k": "v"},
        "categories": ["food"],
        "created_at": "2026-06-03T12:00:00Z",
        "updated_at": None,
    }
    (item,) = read(tmp_path, "mem0.json", wrap([row]))
    assert isinstance(item, ImportItem)
    assert (item.content, item.topics, item.session_id, item.occurred_at) == (
        "Prefers tea",
        ["food"],
        "s1",
        NOON,
    )
    assert item.metadata == {"k": "v", "user_id": "alex", "mem0_id": "892db2ae"}


def test_open_brain_rows_unfold_their_metadata(tmp_path: Path) -> None:
    row = {
        "id": 1,
        "content": "Sarah will send the draft",
        "embedding": "[0.1,0.2]",
        "metadata": {
            "type": "task",
            "topics": ["draft"],
            "people": ["Sarah"],
            "action_items": ["send"],
            "source": "slack",
        },
        "created_at": "2026-06-03T12:00:00+00:00",
    }
    (item,) = read(tmp_path, "thoughts.json", [row])
    assert isinstance(item, ImportItem)
    assert (item.thought_type, item.people, item.actions, item.occurred_at) == (
        "task",
        ["Sarah"],
        ["send"],
        NOON,
    )
    assert item.metadata == {"source": "slack"}


def test_open_brain_tables_come_as_csv_too(tmp_path: Path) -> None:
    table = (
        "id,content,embedding,thought_type,topics,people,actions,created_at\n"
        '1,"Two\nlines",[],idea,"{""big ideas"",small}",{},{},2026-06-03 12:00:00+00\n'
    )
    (item,) = read(tmp_path, "thoughts.csv", table)
    assert isinstance(item, ImportItem)
    assert (item.content, item.thought_type, item.topics) == ("Two\nlines", "idea", ["big ideas", "small"])
    assert (item.people, item.occurred_at) == ([], NOON)


def test_json_lines_take_simple_rows_and_report_bad_ones_c23(tmp_path: Path) -> None:
    lines = [
        '{"content": "a", "tags": "x", "store": "attic", "mood": 3, "created_at": "2026-06-03T12:00:00Z"}',
        "{broken",
        '{"content": " "}',
        "[1]",
        '{"content": 5}',
        '{"text": "b\\u0000c", "metadata": {"k\\u0000": "\\ud83d"}}',
    ]
    results = read(tmp_path, "notes.jsonl", "\n".join(lines) + "\n\n")
    assert contents(results) == ["a", "bc"]
    assert [reason.split(":")[0] for reason in reasons(results)] == [
        f"notes.jsonl line {n}" for n in (2, 3, 4, 5)
    ]
    first, last = results[0], results[-1]
    assert isinstance(first, ImportItem)
    assert isinstance(last, ImportItem)
    assert first.metadata == {"mood": 3, "store": "attic"}
    assert (first.tags, first.occurred_at) == (["x"], NOON)
    assert "store" in first.warnings[0]
    assert last.metadata == {"k": "\ufffd"}
    assert len(last.warnings) == 2


def test_a_row_as_the_database_lists_it_is_taken_without_what_is_derived(tmp_path: Path) -> None:
    row = {
        "id": "11111111-1111-4111-8111-111111111111",
        "content": "a",
        "store": "semantic",
        "embedding": [0.1],
        "enrichment_status": "done",
        "cursor": "x",
        "valid_to": None,
        "archived_at": None,
    }
    (item,) = read(tmp_path, "rows.jsonl", json.dumps(row))
    assert isinstance(item, ImportItem)
    assert (str(item.id), item.store, item.metadata, item.warnings) == (row["id"], "semantic", {}, [])


def test_a_list_cut_off_in_the_middle_gives_what_came_before(tmp_path: Path) -> None:
    results = read(tmp_path, "cut.json", '[{"content": "a"}, {"content": "b"}, {"con')
    assert contents(results) == ["a", "b"]
    assert "not JSON" in reasons(results)[0]
    assert "middle of the list" in reasons(read(tmp_path, "open.json", '[{"content": "a"}, '))[0]


def test_a_long_list_is_read_one_element_at_a_time(tmp_path: Path) -> None:
    rows = [{"content": f"{number} " + "x" * (number * 1_000)} for number in range(200)]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(rows, indent=1))
    found = walk([path])
    first = next(found)
    assert isinstance(first, ImportItem)
    assert first.content.startswith("0 ")
    assert len(list(found)) == 199


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("first.jsonl", '{"content": \n{"content": "good"}\n', "first.jsonl line 1: not JSON"),
        ("nokey.jsonl", '{"mood": 3}\n{"content": "good"}\n', "nokey.jsonl line 1: content is not text"),
        ("nokey.json", '[{"mood": 3}, {"content": "good"}]', "nokey.json item 1: content is not text"),
    ],
)
def test_a_bad_first_row_costs_itself_only(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)
    results = list(walk([tmp_path]))
    assert contents(results) == ["good"]
    (reason,) = reasons(results)
    assert reason.startswith(told)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("broken.json", '{"broken": '),
        ("other.json", '{"a": 1}'),
        ("none.jsonl", "words"),
        ("a.csv", "a,b\n1,2\n"),
    ],
)
def test_a_table_or_json_in_a_folder_is_never_passed_over_in_silence(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    (reason,) = reasons(list(walk([tmp_path])))
    assert reason.startswith(name)


@pytest.mark.parametrize("table", ["Content,Topics\nTea; green,x\n", 'content;topics\n"Tea; green";x\n'])
def test_headings_may_be_in_capitals_and_parted_by_semicolons(tmp_path: Path, table: str) -> None:
    (item,) = read(tmp_path, "thoughts.csv", table)
    assert isinstance(item, ImportItem)
    assert (item.content, item.topics) == ("Tea; green", ["x"])


def test_a_row_with_more_values_than_headings_keeps_them(tmp_path: Path) -> None:
    (item,) = read(tmp_path, "thoughts.csv", "content,mood\nTea,good,really\n")
    assert isinstance(item, ImportItem)
    assert item.metadata == {"mood": "good", "without heading": ["really"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.jsonl", b'{"content": "caf\xe9"}\n{"content": "good"}\n'),
        ("rows.json", b'{"results": [{"content": "good"}, {"content": "a", "tags": ["caf\xe9"]}]}'),
        ("rows.csv", b"content,mood\ncaf\xe9,x\ngood,y\n"),
    ],
)
def test_a_row_that_is_not_utf8_is_told_and_not_stored_mangled(
    tmp_path: Path, name: str, text: bytes
) -> None:
    (tmp_path / name).write_bytes(text)
    results = list(walk([tmp_path]))
    assert contents(results) == ["good"]
    (reason,) = reasons(results)
    assert "not UTF-8" in reason


def test_a_date_that_utc_does_not_have_costs_no_memory(tmp_path: Path) -> None:
    dates = ["2026-06-03T12:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"]
    rows = [json.dumps({"content": f"row {n}", "occurred_at": date}) for n, date in enumerate(dates)]
    results = read(tmp_path, "dates.jsonl", "\n".join(rows))
    assert contents(results) == ["row 0", "row 1", "row 2"]
    assert isinstance(results[1], ImportItem)
    assert results[1].warnings == ["occurred_at: is outside the years 1 to 9999 in UTC; kept in metadata"]
    kept = [item.metadata for item in results if isinstance(item, ImportItem)]
    assert kept == [{}, {"occurred_at": dates[1]}, {"occurred_at": dates[2]}]


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["user", "text", "human"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "mapping",
        "current_node",
        "message",
        "author",
        "role",
        "content",
        "content_type",
        "parts",
        "children",
        "parent",
        "chat_messages",
        "sender",
        "text",
        "attachments",
        "extracted_content",
        "metadata",
        "created_at",
        "memory",
        "create_time",
        "categories",
        "id",
        "tags",
        "topics",
        "occurred_at",
        "confidence",
        "user",
        "a",
    ]
)
SHAPES = st.recursive(
    ANYTHING,
    lambda inner: st.dictionaries(KEYS, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS, SHAPES, max_size=6))
def test_no_shape_of_json_stops_a_reader(value: dict[str, Any]) -> None:
    results = [*read_chatgpt(value, "x"), *read_claude(value, "x")]
    results += [make_item("x", fields(value)) for fields in (our_fields, mem0_fields, open_brain_fields)]
    assert all(isinstance(result, (ImportItem, Problem)) for result in results)
