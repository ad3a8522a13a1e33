"""The client's settings and what the functions need besides, from `PGCORTEX_*` variables."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import SettingsError

from pgcortex import Settings
from pgcortex._errors import CortexError


class Misconfigured(CortexError):
    """A setting without which no request can be answered is missing or wrong."""

    code = "misconfigured"


class FunctionSettings(Settings):
    """How the functions reach the database, whom they trust, and how hard they try.

    The database is either a Supabase project (`supabase_url` with the publishable `supabase_key`; the
    worker also needs `service_key`) or a `database_url` whose user may take the roles `authenticated` and
    `service_role`.
    """

    embedder: Literal["local", "openai", "none"] = "openai"
    llm_model: str | None = Field(default=None, description="model for metadata; none means the rules")

    # None is held while a provider is awaited. More than the server has processors make all of them slower.
    database_connections: int = Field(default=4, ge=1, le=100, description="to `database_url`, a process")
    service_key: SecretStr | None = Field(default=None, description="only enrich and consolidate use it")
    worker_secret: SecretStr | None = Field(
        default=None, description="bearer token of enrich and consolidate"
    )
    jwt_secret: SecretStr | None = Field(default=None, description="verifies HS256 tokens")
    jwks_url: str | None = Field(default=None, description="verifies RS256, ES256 and EdDSA tokens")
    jwt_audience: str | None = "authenticated"
    jwt_issuer: str | None = None

    cors_origins: list[str] = Field(default=[], description='JSON list of origins; ["*"] for any')
    max_body_bytes: int = Field(default=2_500_000, gt=0)
    provider_attempts: int = Field(default=3, ge=1, le=10, description="tries within one request")
    provider_wait: float = Field(default=2.0, ge=0, description="longest wait between them, in seconds")
    worker_seconds: float = Field(default=50.0, gt=0, description="how long one enrich call goes on claiming")
    worker_batch: int = Field(default=20, ge=1, le=200)
    concurrency: int = Field(default=8, ge=1, le=64, description="calls to the language model at a time")

    @property
    def effective_jwks_url(self) -> str | None:
        """The key set to verify with: the one set, or the Supabase project's own."""
        if self.jwks_url or self.jwt_secret or not self.supabase_url:
            return self.jwks_url
        return f"{self.supabase_url.rstrip('/')}/auth/v1/.well-known/jwks.json"


def read_settings() -> FunctionSettings:
    """Return the settings of the environment. Raises `Misconfigured`, with the variable, not its value."""
    try:
        return FunctionSettings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise Misconfigured(f"{_variable(first['loc'][0])}: {first['msg']}") from None
    except SettingsError as error:
        field = re.search(r'field "(\w+)"', str(error))
        raise Misconfigured(f"{_variable(field[1] if field else '*')}: is not JSON") from None


def _variable(field: object) -> str:
    return f"PGCORTEX_{str(field).removeprefix('PGCORTEX_').upper()}"
