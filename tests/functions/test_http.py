"""What the functions let in, how errors look, and what the log says."""

from __future__ import annotations

import json
from typing import Any

import jwt
import pytest

from tests.functions.conftest import ADA, memories
from tests.support.functions import JWT_SECRET, WORKER_SECRET, Functions, token

BODY = {"content": "a note", "query": "note"}


def error(answer: Any) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "field", "hint"}
    found: dict[str, Any] = body["error"]
    return found


def test_no_token_a_wrong_one_and_an_old_one_are_refused(functions: Functions, db: Any) -> None:
    forged = jwt.encode(
        {"sub": str(ADA), "role": "authenticated", "aud": "authenticated", "exp": 9e9}, "x" * 40
    )
    unsigned = jwt.encode({"sub": str(ADA), "role": "authenticated", "exp": 9e9}, None, algorithm="none")
    for bearer in (
        None,
        "nonsense",
        forged,
        unsigned,
        token(ADA, ttl=-60),
        token(ADA, aud="other"),
        token(None),
    ):
        for path in ("/capture", "/search", "/recall"):
            answer = functions.post(path, BODY, bearer=bearer)
            assert (answer.status_code, error(answer)["code"]) == (401, "not_authorized")
    assert memories(db) == []


@pytest.mark.parametrize("role", ["anon", "service_role"])
def test_a_persons_paths_take_no_other_role(functions: Functions, db: Any, role: str) -> None:
    answer = functions.post("/capture", BODY, bearer=token(ADA, role=role))
    assert (answer.status_code, error(answer)["code"]) == (403, "forbidden")


@pytest.mark.parametrize("path", ["/enrich", "/consolidate"])
def test_the_workers_paths_take_its_secret_or_the_service_role(
    functions: Functions, db: Any, path: str
) -> None:
    for bearer in (None, "wrong", token(ADA)):
        assert functions.post(path, {}, bearer=bearer).status_code == 401
    for bearer in (WORKER_SECRET, token(None, role="service_role")):
        assert functions.post(path, {}, bearer=bearer).status_code == 200


def test_nobody_reads_anothers_memories(functions: Functions, db: Any, ada: str, ben: str) -> None:
    functions.post("/capture", {"content": "Ada's home is in Oslo"}, bearer=ada)
    functions.post("/capture", {"content": "Ben's home is in Rome"}, bearer=ben)
    for path in ("/search", "/recall"):
        hits = functions.post(path, {"query": "where is home", "threshold": -1}, bearer=ben).json()["hits"]
        assert [hit["content"] for hit in hits] == ["Ben's home is in Rome"]


def test_method_type_size_and_shape_are_checked(functions: Functions, ada: str) -> None:
    auth = {"authorization": f"Bearer {ada}"}
    wrong_method = functions.client.get("/capture", headers=auth)
    assert (wrong_method.status_code, wrong_method.headers["allow"]) == (405, "POST, OPTIONS")
    assert functions.client.post("/capture", content="x=1", headers=auth).status_code == 415
    kind = auth | {"content-type": "application/json"}
    assert functions.client.post("/capture", content="{", headers=kind).status_code == 400
    assert functions.client.post("/capture", content="[1]", headers=kind).status_code == 400
    assert (
        error(functions.client.post("/capture", content=b" " * 1_500_001, headers=kind))["code"]
        == "too_large"
    )
    chunked = functions.client.post("/capture", content=iter([b" " * 1_000_000] * 2), headers=kind)
    assert error(chunked)["code"] == "too_large"
    assert error(functions.post("/nothing", {}, bearer=ada))["code"] == "not_found"


def test_a_body_nested_too_deeply_is_refused_by_its_field(functions: Functions, db: Any, ada: str) -> None:
    headers = {"authorization": f"Bearer {ada}", "content-type": "application/json"}
    endless = functions.client.post("/capture", content="[" * 200_000, headers=headers)
    assert (endless.status_code, error(endless)["code"]) == (400, "invalid_json")
    deep = '{"content": "a note", "metadata": ' + '{"a":' * 900 + "1" + "}" * 901
    answer = functions.client.post("/capture", content=deep, headers=headers)
    assert (answer.status_code, error(answer)["field"]) == (400, "metadata")
    metadata: dict[str, Any] = {}
    for _ in range(50):
        metadata = {"a": metadata}
    assert functions.post("/capture", {"content": "x", "metadata": metadata}, bearer=ada).status_code == 201


def test_only_named_origins_may_call_from_a_browser(functions: Functions, ada: str) -> None:
    asked = {"access-control-request-method": "POST", "origin": "https://app.example"}
    allowed = functions.client.options("/capture", headers=asked)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    assert "authorization" in allowed.headers["access-control-allow-headers"]
    other = functions.client.options("/capture", headers=asked | {"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers
    answer = functions.post("/search", {"query": "x"}, bearer=ada, origin="https://app.example")
    assert answer.headers["access-control-allow-origin"] == "https://app.example"


def test_each_request_is_one_log_line_with_its_id_and_without_its_words(
    functions: Functions, db: Any, ada: str
) -> None:
    functions.post("/capture", {"content": "the secret plan is zebra"}, bearer=ada, x_request_id="req-42")
    functions.post(
        "/capture", {"content": "zebra", "thought_type": "zebra"}, bearer=ada, x_request_id="req-43"
    )
    lines = {line["request_id"]: line for line in functions.log_lines() if "request_id" in line}
    assert (lines["req-42"]["status"], lines["req-42"]["route"]) == (201, "capture")
    assert lines["req-42"]["milliseconds"] > 0
    assert (lines["req-43"]["status"], lines["req-43"]["error_code"]) == (400, "invalid_input")
    for secret in ("zebra", ada, JWT_SECRET, WORKER_SECRET, "sk-tests-only"):
        assert secret not in functions.log()


def test_a_request_id_that_is_no_id_is_replaced(functions: Functions, ada: str) -> None:
    answer = functions.post("/search", {"query": "x"}, bearer=ada, x_request_id='bad id {"a": 1}')
    assert len(answer.headers["x-request-id"]) == 32


def test_health_tells_anyone_little_and_the_worker_all(functions: Functions, db: Any) -> None:
    short = functions.client.get("/health")
    assert short.status_code == 200
    checks = {"database": True, "embedder": True, "language_model": True}
    assert short.json() == {"status": "ok", "checks": checks}
    long = functions.client.get("/health", headers={"authorization": f"Bearer {WORKER_SECRET}"}).json()
    assert long["brain"]["embedding_dimensions"] == 64
    assert long["brain"]["pending"] == 0
    assert functions.client.get("/health", headers={"authorization": "Bearer wrong"}).status_code == 401


def test_c07_health_names_an_embedder_that_does_not_fit(functions: Functions, db: Any) -> None:
    db.execute(
        "update cortex.settings set value = to_jsonb('other-model@64'::text) where key = 'embedding_model'"
    )
    answer = functions.client.get("/health", headers={"authorization": f"Bearer {WORKER_SECRET}"})
    assert answer.status_code == 503
    message = json.dumps(answer.json()["checks"]["embedder"])
    assert "other-model@64" in message
    assert "text-embedding-3-small@64" in message
