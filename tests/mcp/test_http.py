"""`pgcortex mcp --http`: many users, each with their own token, and no state between requests."""

from __future__ import annotations

import base64
import hmac
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import UUID, uuid4

import anyio
import httpx
import jwt
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from pgcortex import InvalidInput
from pgcortex.mcp._http import app
from pgcortex.mcp._settings import ServerSettings
from tests.mcp.conftest import text_of
from tests.mcp.test_stdio import environment

SECRET = token_hex(32)
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def token(user: UUID | str, *, secret: str = SECRET, seconds: float = 600, **claims: object) -> str:
    standard = {"sub": str(user), "role": "authenticated", "aud": "authenticated"}
    return jwt.encode({**standard, "exp": int(time.time() + seconds), **claims}, secret, algorithm="HS256")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(env: dict[str, str], port: int, folder: Path) -> Iterator[str]:
    """The server's address, while it runs."""
    with (folder / "http.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pgcortex", "mcp", "--http", "--port", str(port)],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                httpx.get(f"http://127.0.0.1:{port}/mcp", timeout=5)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            raise AssertionError((folder / "http.log").read_text())
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def url(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    env = environment(dsn, uuid4(), PGCORTEX_JWT_SECRET=SECRET)
    with serving(env, free_port(), tmp_path_factory.mktemp("http")) as address:
        yield address


def ask(url: str, user: UUID, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """What the official client gets as this user."""

    async def session() -> list[Any]:
        headers = {"Authorization": f"Bearer {token(user)}"}
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert len((await client.list_tools()).tools) == 12
            return [json.loads(text_of(await client.call_tool(tool, args))) for tool, args in calls]

    return anyio.run(session)


def post(url: str, message: dict[str, Any], bearer: str | None = None, **headers: str) -> httpx.Response:
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    return httpx.post(url, json={"jsonrpc": "2.0", **message}, headers={**HEADERS, **headers}, timeout=60)


LIST = {"id": 1, "method": "tools/list", "params": {}}


def test_a_day_over_http_and_two_users_who_do_not_see_each_other(url: str) -> None:
    """Case C40: the token decides whose brain it is, call by call on the same server."""
    ada, ben = uuid4(), uuid4()
    captured, recalled, why, saved = ask(
        url,
        ada,
        (
            "cortex_remember",
            {"content": "We decided to paint the shed green because moss hides", "category": "decision"},
        ),
        ("cortex_recall", {"query": "what colour is the shed?"}),
        ("cortex_why_did_we", {"question": "why green?"}),
        ("cortex_checkpoint", {"summary": "Shed half painted"}),
    )
    id = captured["remembered"]["id"]
    assert recalled["memories"][0]["id"] == why["decisions"][0]["id"] == id
    assert saved["saved"]["status"] == "created"
    found, listed, stats, woken = ask(
        url,
        ben,
        ("search_thoughts", {"query": "what colour is the shed?"}),
        ("list_thoughts", {}),
        ("thought_stats", {}),
        ("cortex_wake", {}),
    )
    assert (found["found"], listed["listed"], stats["stats"]["total"]) == (0, 0, 0)
    assert "last_checkpoint" not in woken
    (woken,) = ask(url, ada, ("cortex_wake", {}))
    assert woken["last_checkpoint"]["state"] == {"summary": "Shed half painted"}


@pytest.mark.parametrize(
    "bearer",
    [
        None,
        "nonsense",
        token(uuid4(), secret=token_hex(32)),
        token(uuid4(), seconds=-60),
        token(uuid4(), aud="somebody else"),
        token(uuid4(), role="service_role"),
        token(uuid4(), role="anon"),
        token("not-a-user"),
        jwt.encode(
            {"sub": str(uuid4()), "role": "authenticated", "aud": "authenticated", "exp": 4102444800},
            None,
            algorithm="none",
        ),
    ],
    ids=["none", "nonsense", "forged", "expired", "audience", "service", "anon", "nobody", "unsigned"],
)
def test_without_a_good_token_the_answer_is_401_and_says_where_to_sign_in(
    url: str, bearer: str | None
) -> None:
    answer = post(url, LIST, bearer)
    assert answer.status_code == 401
    challenge = answer.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    where = challenge.partition('resource_metadata="')[2].partition('"')[0]
    assert httpx.get(where).json()["resource"] == url


def test_a_token_in_the_url_is_not_looked_at(url: str) -> None:
    good = token(uuid4())
    assert post(f"{url}?access_token={good}&token={good}&apikey={good}", LIST).status_code == 401


def test_a_page_under_another_name_cannot_reach_a_server_on_this_machine(url: str) -> None:
    good = token(uuid4())
    assert post(url, LIST, good, Host="evil.example").status_code in (403, 421)
    assert post(url, LIST, good, Origin="https://evil.example").status_code == 403


@pytest.mark.slow
def test_a_call_with_an_old_session_id_succeeds_after_a_restart(dsn: str, tmp_path: Path) -> None:
    """Case C61: nothing about a client lives in the server's memory."""
    env, port = environment(dsn, uuid4(), PGCORTEX_JWT_SECRET=SECRET), free_port()
    good = token(uuid4())
    with serving(env, port, tmp_path) as url:
        hello = {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
        assert post(url, hello, good).json()["result"]["serverInfo"]["name"] == "pgcortex"
    with serving(env, port, tmp_path) as url:
        call = {"id": 2, "method": "tools/call", "params": {"name": "thought_stats", "arguments": {}}}
        answer = post(url, call, good, **{"Mcp-Session-Id": "from-before-the-restart"})
        assert answer.status_code == 200
        assert not answer.json()["result"].get("isError")


def test_a_server_for_others_without_sign_in_is_refused() -> None:
    settings = ServerSettings(_env_file=None)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="sign in"):
        app(settings, "0.0.0.0", 8765)


def test_a_supabase_project_is_named_as_the_place_to_sign_in() -> None:
    """RFC 9728: hosts such as claude.ai find Supabase Auth from here."""
    from starlette.testclient import TestClient

    settings = ServerSettings(
        _env_file=None,  # type: ignore[call-arg]
        supabase_url="https://abc.supabase.co",
        supabase_key="sb_publishable_x",  # type: ignore[arg-type]
        public_url="https://memory.example.com",
    )
    client = TestClient(app(settings, "0.0.0.0", 8765), base_url="https://memory.example.com")
    answer = client.get("/.well-known/oauth-protected-resource/mcp").json()
    assert answer["resource"] == "https://memory.example.com/mcp"
    assert answer["authorization_servers"] == ["https://abc.supabase.co/auth/v1"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """A Supabase project's signing key, its public half served as JWKS on this machine."""
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
    (tmp_path / "jwks.json").write_text(json.dumps({"keys": [{**public, "kid": "one", "alg": "ES256"}]}))
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    (tmp_path / "url").write_text(f"http://127.0.0.1:{port}/jwks.json")

    def sign(user: str) -> str:
        claims = {"sub": user, "role": "authenticated", "aud": "authenticated", "exp": time.time() + 60}
        return jwt.encode(claims, key, algorithm="ES256", headers={"kid": "one"})

    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            httpx.get(f"http://127.0.0.1:{port}/jwks.json")
            break
        except httpx.TransportError:
            time.sleep(0.1)
    yield sign
    server.terminate()
    server.wait()


def test_tokens_of_a_project_with_signing_keys_are_verified_by_its_jwks(
    project: Callable[[str], str], tmp_path: Path
) -> None:
    from pgcortex.mcp._auth import SupabaseTokens

    settings = ServerSettings(_env_file=None, jwks_url=(tmp_path / "url").read_text())  # type: ignore[call-arg]
    verifier = SupabaseTokens(settings)
    user = str(uuid4())
    accepted = anyio.run(verifier.verify_token, project(user))
    assert accepted is not None
    assert accepted.subject == user
    for forged in (token(user), signed_with_the_public_key(user, tmp_path / "jwks.json")):
        assert anyio.run(verifier.verify_token, forged) is None


def signed_with_the_public_key(user: str, keys: Path) -> str:
    """What a forger would try: HS256 with the key that everybody knows, under its name."""
    (key,) = json.loads(keys.read_text())["keys"]
    body = token(user).split(".")[1]
    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "one"}).encode()).decode().rstrip("=")
    seal = hmac.new(json.dumps(key).encode(), f"{head}.{body}".encode(), "sha256").digest()
    return f"{head}.{body}.{base64.urlsafe_b64encode(seal).decode().rstrip('=')}"
