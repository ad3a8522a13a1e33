"""The functions in front of a REST API, as with a hosted project: the token decides what a caller sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from psycopg.conninfo import make_conninfo

from tests.support.functions import Functions
from tests.support.lite import Lite, lite
from tests.support.provider import Provider


@pytest.fixture(scope="module")
def api(functions_database: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lite]:
    with lite(make_conninfo(**functions_database), tmp_path_factory.mktemp("lite")) as api:
        yield api


@pytest.fixture(scope="module")
def hosted(api: Lite, environment: dict[str, str]) -> Iterator[Functions]:
    settings = {name: value for name, value in environment.items() if name != "PGCORTEX_DATABASE_URL"}
    settings |= {
        "PGCORTEX_SUPABASE_URL": api.url,
        "PGCORTEX_SUPABASE_KEY": api.publishable_key,
        "PGCORTEX_SERVICE_KEY": api.secret_key,
        "PGCORTEX_JWT_SECRET": api.jwt_secret,
    }
    with Functions(settings) as functions:
        yield functions


def test_a_thought_is_captured_and_found_by_its_owner_alone(
    hosted: Functions, api: Lite, db: Any, provider: Provider
) -> None:
    ada, ben = api.token(uuid4()), api.token(uuid4())
    stored = hosted.post("/capture", {"content": "Ada's home is in Oslo"}, bearer=ada)
    assert (stored.status_code, stored.json().get("enrichment_status")) == (201, "done")
    for path in ("/search", "/recall"):
        hits = hosted.post(path, {"query": "home in Oslo"}, bearer=ada).json()["hits"]
        assert [hit["id"] for hit in hits] == [stored.json()["id"]]
        assert hosted.post(path, {"query": "home in Oslo"}, bearer=ben).json()["hits"] == []


def test_the_worker_finishes_over_rest_what_was_left_open(
    hosted: Functions, api: Lite, db: Any, provider: Provider
) -> None:
    ada = api.token(uuid4())
    provider.always("400")
    assert hosted.post("/capture", {"content": "to be finished"}, bearer=ada).status_code == 202
    provider.reset()
    assert hosted.enrich()["done"] == 1
    assert hosted.client.get("/health").json()["status"] == "ok"


def test_a_refusal_of_the_database_keeps_its_field(
    hosted: Functions, api: Lite, db: Any, provider: Provider
) -> None:
    answer = hosted.post("/capture", {"content": "a", "session_id": "s" * 300}, bearer=api.token(uuid4()))
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "session_id")
