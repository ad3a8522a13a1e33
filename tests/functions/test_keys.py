"""Tokens signed with a published key, as current Supabase projects sign them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm
from pydantic import SecretStr

from pgcortex import DatabaseUnavailable, NotAuthorized
from pgcortex_functions import FunctionSettings
from pgcortex_functions._auth import Verifier

ADA = UUID("aaaaaaaa-0000-4000-8000-000000000001")
KEY = ec.generate_private_key(ec.SECP256R1())


@pytest.fixture(scope="module")
def jwks_url() -> Iterator[str]:
    """The key set of a sign-in service, over HTTP."""
    public = json.loads(ECAlgorithm.to_jwk(KEY.public_key())) | {"kid": "k1", "alg": "ES256", "use": "sig"}
    body = json.dumps({"keys": [public]}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/jwks"
    server.shutdown()
    server.server_close()


def verifier(**settings: object) -> Verifier:
    return Verifier(FunctionSettings(_env_file=None, **settings))  # type: ignore[arg-type]


def signed(key: object, algorithm: str = "ES256", kid: str = "k1", **claims: object) -> str:
    payload = {
        "sub": str(ADA),
        "role": "authenticated",
        "aud": "authenticated",
        "exp": time.time() + 60,
    } | claims
    return "Bearer " + jwt.encode(payload, key, algorithm=algorithm, headers={"kid": kid})  # type: ignore[arg-type]


def test_a_token_signed_with_the_published_key_is_accepted(jwks_url: str) -> None:
    user = verifier(jwks_url=jwks_url).user(signed(KEY))
    assert user.id == ADA
    assert user.token.get_secret_value() not in repr(user)


def test_a_token_of_another_key_or_an_unknown_one_is_refused(jwks_url: str) -> None:
    checker = verifier(jwks_url=jwks_url)
    stranger = ec.generate_private_key(ec.SECP256R1())
    for header in (
        signed(stranger),
        signed(KEY, kid="k2"),
        signed(rsa.generate_private_key(65537, 2048), "RS256"),
    ):
        with pytest.raises(NotAuthorized):
            checker.user(header)


def test_a_public_key_is_never_taken_for_a_shared_secret(jwks_url: str) -> None:
    forged = signed("guessed secret that is long enough for it", "HS256")
    for checker in (verifier(jwks_url=jwks_url), verifier(jwks_url=jwks_url, jwt_secret=SecretStr("s" * 40))):
        with pytest.raises(NotAuthorized):
            checker.user(forged)


def test_the_issuer_is_checked_where_it_is_set(jwks_url: str) -> None:
    checker = verifier(jwks_url=jwks_url, jwt_issuer="https://x.supabase.co/auth/v1")
    assert checker.user(signed(KEY, iss="https://x.supabase.co/auth/v1")).id == ADA
    with pytest.raises(NotAuthorized):
        checker.user(signed(KEY, iss="https://y.supabase.co/auth/v1"))


def test_keys_that_cannot_be_fetched_are_not_a_wrong_token() -> None:
    with pytest.raises(DatabaseUnavailable):
        verifier(jwks_url="http://127.0.0.1:9/jwks").user(signed(KEY))


def test_a_supabase_project_brings_its_own_key_set() -> None:
    settings = FunctionSettings(_env_file=None, supabase_url="https://x.supabase.co/")
    assert settings.effective_jwks_url == "https://x.supabase.co/auth/v1/.well-known/jwks.json"
