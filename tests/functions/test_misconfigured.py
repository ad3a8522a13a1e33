"""A server that was set up wrongly keeps every thought and says which setting it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.functions.conftest import login_url, memories, migrated_database
from tests.support.functions import ROOT, WORKER_SECRET, Functions

KEY = "PGCORTEX_OPENAI_API_KEY"


@pytest.fixture(params=["openai", "none"])
def keyless(request: Any, environment: dict[str, str], db: Any) -> Iterator[Functions]:
    """Functions that should ask OpenAI itself, and have no key for it."""
    settings = {name: value for name, value in environment.items() if "_OPENAI_" not in name}
    with Functions(settings | {"PGCORTEX_EMBEDDER": request.param}) as functions:
        yield functions


def test_a_missing_key_costs_no_thought_and_no_attempt(keyless: Functions, db: Any, ada: str) -> None:
    answer = keyless.post("/capture", {"content": "the key is missing"}, bearer=ada)
    assert (answer.status_code, answer.json()["enrichment_status"]) == (202, "pending")
    assert any(KEY in warning for warning in answer.json()["warnings"])
    db.execute("update public.memories set enrichment_next_at = null")
    assert KEY in keyless.enrich()["stopped"]
    [stored] = memories(db)
    assert (stored["enrichment_status"], stored["enrichment_attempts"]) == ("pending", 0)


def test_a_missing_key_leaves_the_search_by_words(keyless: Functions, db: Any, ada: str) -> None:
    keyless.post("/capture", {"content": "the sourdough starter wants rye"}, bearer=ada)
    answer = keyless.post("/search", {"query": "sourdough"}, bearer=ada)
    assert [hit["content"] for hit in answer.json()["hits"]] == ["the sourdough starter wants rye"]


def test_a_missing_key_is_named_by_health(keyless: Functions) -> None:
    assert keyless.client.get("/health").json()["checks"]["language_model"] is False
    answer = keyless.client.get("/health", headers={"authorization": f"Bearer {WORKER_SECRET}"})
    assert (answer.status_code, answer.json()["status"]) == (503, "unwell")
    assert KEY in answer.json()["checks"]["language_model"]["message"]


def test_a_missing_package_costs_no_thought_and_no_attempt(
    environment: dict[str, str], worker_id: str, tmp_path: Path, ada: str
) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ModuleNotFoundError(name='onnxruntime')")
    packages = os.pathsep.join(map(str, [tmp_path, ROOT / "client", ROOT / "functions"]))
    local = {"PGCORTEX_EMBEDDER": "local", "PYTHONPATH": packages}
    with (
        migrated_database(f"packages_{worker_id}", 384) as where,
        psycopg.connect(**where, autocommit=True) as conn,
        Functions(environment | local | {"PGCORTEX_DATABASE_URL": login_url(where)}) as functions,
    ):
        captured = functions.post("/capture", {"content": "the package is missing"}, bearer=ada)
        assert (captured.status_code, captured.json()["enrichment_status"]) == (202, "pending")
        assert any("onnxruntime" in warning for warning in captured.json()["warnings"])
        conn.execute("update public.memories set enrichment_next_at = null")
        assert "onnxruntime" in functions.enrich()["stopped"]
        [stored] = memories(conn)
        assert (stored["enrichment_status"], stored["enrichment_attempts"]) == ("pending", 0)
        found = functions.post("/search", {"query": "package"}, bearer=ada).json()
        assert [hit["content"] for hit in found["hits"]] == ["the package is missing"]
        assert "onnxruntime" in found["notice"]
        health = functions.client.get("/health", headers={"authorization": f"Bearer {WORKER_SECRET}"})
        assert health.status_code == 503
        assert 'pip install "pgcortex[local]"' in health.json()["checks"]["embedder"]["message"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PGCORTEX_DATABASE_URL", None),
        ("PGCORTEX_CORS_ORIGINS", "https://app.example"),
        ("PGCORTEX_CONCURRENCY", "4711"),
    ],
)
def test_a_wrong_setting_is_named_in_json_without_its_value(
    environment: dict[str, str], ada: str, name: str, value: str | None
) -> None:
    settings = {key: given for key, given in environment.items() if key != name}
    with Functions(settings | ({name: value} if value else {})) as functions:
        answers = [
            functions.post("/capture", {"content": "a note"}, bearer=ada, x_request_id="req-9"),
            functions.post("/enrich", {}, bearer=WORKER_SECRET),
            functions.client.get("/health"),
            functions.post("/nothing", {}, bearer=ada),
        ]
        assert name in functions.log_lines()[-1]["why"]
    assert answers[0].headers["x-request-id"] == "req-9"
    for answer in answers:
        told = answer.json()["error"]
        assert (answer.status_code, told["code"]) == (503, "misconfigured")
        assert name in f"{told['message']} {told['hint']}"
        assert value is None or value not in answer.text
