"""Who is calling: a person with a Supabase access token, or the worker with its secret."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import jwt
from pydantic import SecretStr

from pgcortex._errors import DatabaseUnavailable, NotAuthorized
from pgcortex_functions._settings import FunctionSettings

_ASYMMETRIC = ["RS256", "ES256", "EdDSA"]
_LEEWAY_SECONDS = 10


class Forbidden(NotAuthorized):
    """The caller is known, but this is not for them."""

    code = "forbidden"


@dataclass(frozen=True)
class User:
    """A verified person and the token that the database will see."""

    id: UUID
    token: SecretStr


class Verifier:
    """Checks tokens against the project's secret (HS256) or its published keys, whichever they name."""

    def __init__(self, settings: FunctionSettings) -> None:
        self._secret = settings.jwt_secret
        self._worker_secret = settings.worker_secret
        self._audience = settings.jwt_audience
        self._issuer = settings.jwt_issuer
        url = settings.effective_jwks_url
        self._keys = jwt.PyJWKClient(url, cache_jwk_set=True, lifespan=300, timeout=5) if url else None

    def user(self, header: str | None) -> User:
        """Return the person an `Authorization` header names.

        Raises `NotAuthorized` for a missing, forged or expired token, `Forbidden` for a token of another
        role, and `DatabaseUnavailable` when the published keys cannot be fetched.
        """
        token = _bearer(header)
        claims = self._claims(token)
        if claims.get("role") != "authenticated":
            raise Forbidden("this token is not a signed-in user's", hint="send the user's access token")
        try:
            return User(UUID(str(claims.get("sub"))), SecretStr(token))
        except ValueError:
            raise NotAuthorized("the token's subject is not a user id") from None

    def worker(self, header: str | None) -> None:
        """Accept the shared secret or a service-role token; raise `NotAuthorized` otherwise."""
        token = _bearer(header)
        secret = self._worker_secret
        if secret and hmac.compare_digest(secret.get_secret_value().encode(), token.encode()):
            return
        if token.count(".") == 2 and self._claims(token, audience=False).get("role") == "service_role":
            return
        raise NotAuthorized(
            "the worker's secret does not match", hint="send PGCORTEX_WORKER_SECRET as bearer token"
        )

    def _claims(self, token: str, *, audience: bool = True) -> dict[str, Any]:
        try:
            algorithm = jwt.get_unverified_header(token).get("alg")
            key, allowed = self._key(token, str(algorithm))
            return jwt.decode(
                token,
                key,
                algorithms=allowed,
                audience=self._audience if audience else None,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp"], "verify_aud": audience and self._audience is not None},
            )
        except jwt.PyJWKClientConnectionError:
            raise DatabaseUnavailable(
                "the sign-in service's keys cannot be fetched", hint="try again in a moment"
            ) from None
        except jwt.ExpiredSignatureError:
            raise NotAuthorized("the access token has expired", hint="sign in again") from None
        except jwt.PyJWTError as error:
            raise NotAuthorized(
                f"the access token is not valid ({type(error).__name__})", hint="sign in again"
            ) from None

    def _key(self, token: str, algorithm: str) -> tuple[Any, list[str]]:
        """Return the key to verify with and the algorithms it may be used for, never both kinds."""
        if algorithm == "HS256" and self._secret is not None:
            return self._secret.get_secret_value(), ["HS256"]
        if algorithm in _ASYMMETRIC and self._keys is not None:
            published = self._keys.get_signing_key_from_jwt(token)
            if published.algorithm_name == algorithm:
                return published.key, [algorithm]
        raise jwt.InvalidAlgorithmError


def _bearer(header: str | None) -> str:
    kind, _, token = (header or "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise NotAuthorized("no access token was sent", hint="send it as `Authorization: Bearer …`")
    return token.strip()
