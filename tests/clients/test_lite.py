"""The official clients, over HTTP: what a user stores they find, and nobody else does."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from postgrest.exceptions import APIError
from supabase import Client, ClientOptions, create_client

from tests.support.lite import Lite
from tests.support.node import node_environment, script_command

Row = dict[str, Any]


@pytest.fixture
def sign_in(api: Lite) -> Iterator[Any]:
    """Sign a user in with supabase-py, with the public key and the user's own token."""
    opened: list[httpx.Client] = []

    def _sign_in(user: UUID | None) -> Client:
        opened.append(httpx.Client(timeout=30))
        headers = api.headers(user) if user else {}
        options = ClientOptions(headers=headers, httpx_client=opened[-1], auto_refresh_token=False)
        return create_client(api.url, api.publishable_key, options=options)

    yield _sign_in
    for client in opened:
        client.close()


def with_supabase_js(api: Lite, user: UUID | None, steps: list[Row]) -> list[Row]:
    """What supabase-js answers to these steps, done by one user."""
    token = [api.token(user)] if user else []
    finished = subprocess.run(
        script_command("steps.mjs", api.url, api.publishable_key, *token),
        env=node_environment(),
        input=json.dumps(steps),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers: list[Row] = json.loads(finished.stdout)
    return answers


def test_supabase_py_stores_and_finds_a_thought_by_its_vector(api: Lite, sign_in: Any) -> None:
    ada = sign_in(uuid4())
    stored = ada.rpc("capture_thought", {"content": "Tea at four", "embedding": "[1,0,0]"}).execute().data
    assert stored["status"] == "created"
    query = {"query_embedding": "[1,0.1,0]", "match_threshold": 0.5}
    found = ada.rpc("search_thoughts", query).execute().data
    assert [(hit["id"], hit["content"]) for hit in found] == [(stored["id"], "Tea at four")]


def test_supabase_py_reads_and_writes_the_thoughts_table(api: Lite, sign_in: Any) -> None:
    ada = sign_in(uuid4())
    row = {"content": "Call Grace", "thought_type": "task", "topics": ["compilers"]}
    ada.table("thoughts").insert(row).execute()
    read = ada.table("thoughts").select("content, thought_type, topics").eq("thought_type", "task").execute()
    assert read.data == [row]


def test_two_users_of_supabase_py_do_not_see_each_other(sign_in: Any) -> None:
    """Case C40: the same words in both brains, and each finds only its own."""
    ada, ben = sign_in(uuid4()), sign_in(uuid4())
    hers = ada.rpc("capture_thought", {"content": "my home is the lighthouse"}).execute().data["id"]
    his = ben.rpc("capture_thought", {"content": "my home is the mill"}).execute().data["id"]
    for client, own in ((ada, hers), (ben, his)):
        assert [
            row["id"] for row in client.rpc("search_thoughts", {"query_text": "home"}).execute().data
        ] == [own]
        assert [row["id"] for row in client.table("memories").select("id").execute().data] == [own]
    assert ben.table("memories").delete().eq("id", hers).execute().data == []
    assert ada.rpc("thought_stats", {}).execute().data["total"] == 1


def test_two_users_of_supabase_js_do_not_see_each_other(api: Lite) -> None:
    ada, ben = uuid4(), uuid4()
    captured, inserted, listed = with_supabase_js(
        api,
        ada,
        [
            {
                "rpc": "capture_thought",
                "args": {"content": "The key is in the pot", "embedding": "[0,1,0]"},
            },
            {"insert": "thoughts", "row": {"content": "The shed is green"}},
            {"select": "thoughts"},
        ],
    )
    assert [captured["error"], inserted["error"], listed["error"]] == [None, None, None]
    assert {row["content"] for row in listed["data"]} == {
        "The key is in the pot",
        "The shed is green",
    }
    search = {"rpc": "search_thoughts", "args": {"query_embedding": "[0,1,0]", "query_text": "key"}}
    (found,) = with_supabase_js(api, ada, [search])
    assert captured["data"]["id"] in [hit["id"] for hit in found["data"]]
    for answer in with_supabase_js(api, ben, [search, {"select": "thoughts"}, {"select": "memory_events"}]):
        assert (answer["data"], answer["error"]) == ([], None)


def test_the_public_key_alone_may_do_nothing(api: Lite, sign_in: Any) -> None:
    """Cases C42 and C43: with the key that everybody has, and no user, every door is shut."""
    with pytest.raises(APIError) as refused:
        sign_in(None).rpc("capture_thought", {"content": "planted"}).execute()
    assert refused.value.code == "42501"
    for answer in with_supabase_js(api, None, [{"select": "memories"}, {"rpc": "thought_stats"}]):
        assert answer["data"] is None
        assert answer["error"]["code"] == "42501"


def test_an_expired_or_forged_token_is_refused(api: Lite) -> None:
    forged = Lite(api.url).token(uuid4())
    for token in (api.token(uuid4(), seconds=-60), forged):
        headers = {"apikey": api.publishable_key, "Authorization": f"Bearer {token}"}
        answer = httpx.get(f"{api.url}/rest/v1/thoughts", headers=headers)
        assert answer.status_code == 401


def test_a_refused_value_comes_back_as_400_with_the_field_and_a_hint(sign_in: Any) -> None:
    """Case C23: blank content costs nothing and says what is wrong."""
    with pytest.raises(APIError) as refused:
        sign_in(uuid4()).rpc("capture_thought", {"content": " \n"}).execute()
    assert refused.value.code == "PT400"
    assert json.loads(refused.value.details or "{}")["field"] == "content"
    assert refused.value.hint
