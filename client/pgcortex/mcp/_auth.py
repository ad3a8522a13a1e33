"""Bearer tokens: JWTs that Supabase Auth issued, verified here before anything else happens."""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

import jwt
from anyio.to_thread import run_sync
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from pgcortex._errors import InvalidInput
from pgcortex.mcp._settings import ServerSettings

log = logging.getLogger("pgcortex.mcp")


def auth_settings(settings: ServerSettings, host: str, port: int, path: str) -> AuthSettings:
    """What the server publishes about itself (RFC 9728), so that a host finds where to sign in."""
    address = settings.public_url or f"http://{host}:{port}"
    resource = f"{address.rstrip('/')}{path}"
    return AuthSettings(
        issuer_url=AnyHttpUrl(settings.issuer or resource),
        resource_server_url=AnyHttpUrl(resource),
        # Supabase tokens carry the audience "authenticated", which SupabaseTokens checks itself.
        validate_token_resource=False,
    )


ASYMMETRIC = ["ES256", "RS256", "EdDSA"]


class SupabaseTokens:
    """Accepts a signed-in user's access token, by the project's JWKS or by its shared secret.

    The secret is used when it is set, with HS256 only; otherwise the keys at `jwks_url` with asymmetric
    algorithms only, so that neither can be passed off as the other. The audience is checked here.
    Only role `authenticated` comes in: a service key is no person.

    Raises InvalidInput when the settings name neither.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._secret = settings.jwt_secret
        self._audience = settings.jwt_audience
        self._issuer = settings.issuer
        url = settings.keys_url
        if self._secret is None and url is None:
            raise InvalidInput(
                "jwt_secret",
                "is missing, and there is no Supabase URL whose keys could be used",
                hint="set PGCORTEX_SUPABASE_URL, PGCORTEX_JWKS_URL or PGCORTEX_JWT_SECRET",
            )
        self._keys = (
            jwt.PyJWKClient(url, cache_keys=True, lifespan=600, timeout=settings.timeout)
            if url and self._secret is None
            else None
        )

    async def verify_token(self, token: str) -> AccessToken | None:
        """Who the token is for; None when it is not one of ours, has expired, or is nobody's."""
        try:
            claims = await run_sync(self._claims, token)
            UUID(claims["sub"])
        except (jwt.PyJWTError, ValueError, KeyError) as error:
            log.info("a bearer token was refused: %s", type(error).__name__)
            return None
        if claims.get("role") != "authenticated":
            log.info("a bearer token of another role was refused")
            return None
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims["sub"]),
            scopes=[],
            expires_at=int(claims["exp"]),
            subject=claims["sub"],
            claims={"iss": claims["iss"]} if "iss" in claims else None,
        )

    def _claims(self, token: str) -> dict[str, Any]:
        key: Any
        if self._secret is not None:
            key, algorithms = self._secret.get_secret_value(), ["HS256"]
        else:
            assert self._keys is not None
            key, algorithms = self._keys.get_signing_key_from_jwt(token).key, ASYMMETRIC
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=algorithms,
            audience=self._audience,
            issuer=self._issuer,
            leeway=10,
            options={"require": ["exp", "sub"]},
        )
        return claims
