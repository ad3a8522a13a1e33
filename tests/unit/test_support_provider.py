"""The tests' own provider, run as its own process: what it records and how it is told to misbehave."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping

import httpx
import pytest


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.support.provider"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def control(url: str, **what: object) -> None:
    httpx.post(url.replace("/v1", "/control"), json={"reset": True, **what}).raise_for_status()


def chat(url: str, text: str, schema: Mapping[str, object] | None = None) -> str:
    body: dict[str, object] = {"model": "m", "messages": [{"role": "user", "content": text}]}
    if schema:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    reply = httpx.post(f"{url}/chat/completions", json=body).raise_for_status().json()
    assert reply["usage"]["total_tokens"] > 0
    return str(reply["choices"][0]["message"]["content"])


def test_a_good_answer_has_the_asked_shape(url: str) -> None:
    control(url)
    schema = {
        "type": "object",
        "properties": {
            "metadata": {"type": "object", "properties": {"title": {"type": "string"}}},
            "mood": {"enum": ["calm", "tense"]},
        },
    }
    answer = json.loads(chat(url, "We decided to keep Postgres", schema))
    assert answer == {"metadata": {"title": "We decided to keep Postgres"}, "mood": "calm"}


@pytest.mark.parametrize("fault", ["fenced", "prose", "trailing_comma", "bad_escape", "cut"])
def test_a_spoilt_answer_is_not_json(url: str, fault: str) -> None:
    control(url, always=fault)
    with pytest.raises(ValueError):
        json.loads(chat(url, "We decided to keep Postgres"))


def test_faults_are_taken_in_turn_and_requests_are_recorded(url: str) -> None:
    control(url, next=["500", "429:3"])
    body = {"model": "m", "input": "hello", "dimensions": 8}
    replies = [httpx.post(f"{url}/embeddings", json=body) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [500, 429, 200]
    assert replies[1].headers["retry-after"] == "3"
    recorded = httpx.get(url.replace("/v1", "/control")).json()["requests"]
    assert [request["fault"] for request in recorded] == ["500", "429:3", None]
    assert recorded[2]["body"] == body


def test_random_failures_repeat_with_their_seed(url: str) -> None:
    runs = []
    for _ in range(2):
        control(url, failure_rate=0.5, seed=4)
        with httpx.Client() as client:
            for _ in range(12):
                try:
                    client.post(f"{url}/embeddings", json={"input": "a", "dimensions": 4})
                except httpx.HTTPError as error:
                    assert "disconnected" in str(error)
        recorded = httpx.get(url.replace("/v1", "/control")).json()["requests"]
        runs.append([request["fault"] for request in recorded])
    assert runs[0] == runs[1]
    assert 2 <= sum(fault is not None for fault in runs[0]) <= 10
