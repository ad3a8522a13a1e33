"""What only the HTTP server needs to know."""

from __future__ import annotations

from pydantic import Field, SecretStr

from pgcortex._settings import Settings


class ServerSettings(Settings):
    """`Settings`, and how bearer tokens are verified."""

    jwt_secret: SecretStr | None = Field(
        default=None, description="shared secret (HS256) of projects without signing keys"
    )
    jwks_url: str | None = Field(
        default=None, description="public signing keys; default: the Supabase project's"
    )
    jwt_audience: str = "authenticated"
    jwt_issuer: str | None = Field(default=None, description="default: the Supabase project's Auth")
    public_url: str | None = Field(
        default=None, description="the server's address as hosts see it, such as https://memory.example.com"
    )

    @property
    def verifies(self) -> bool:
        """Whether callers must show a token."""
        return bool(self.jwt_secret or self.keys_url)

    @property
    def keys_url(self) -> str | None:
        """Where the public signing keys are."""
        if self.jwks_url or not self.supabase_url:
            return self.jwks_url
        return f"{self.supabase_url.rstrip('/')}/auth/v1/.well-known/jwks.json"

    @property
    def issuer(self) -> str | None:
        """Who must have issued a token; None accepts any that the key verifies."""
        if self.jwt_issuer or not self.supabase_url:
            return self.jwt_issuer
        return f"{self.supabase_url.rstrip('/')}/auth/v1"
