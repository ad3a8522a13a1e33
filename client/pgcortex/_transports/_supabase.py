"""RPCs over HTTP with supabase-py, as the user whose access token is sent."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx
from pydantic import SecretStr

from pgcortex._errors import DatabaseUnavailable, InvalidInput, NotAuthorized
from pgcortex._transports._failures import failure_from

if TYPE_CHECKING:
    from supabase import Client


class SupabaseTransport:
    """Calls RPCs of a Supabase project, or of anything that speaks PostgREST."""

    def __init__(
        self,
        url: str,
        key: SecretStr,
        access_token: SecretStr | None = None,
        *,
        timeout: float = 10.0,
        allow_service_key: bool = False,
    ) -> None:
        if not allow_service_key and _is_service_key(key.get_secret_value()):
            raise NotAuthorized(
                "this is a service key: it sees every owner's memories",
                hint="use the publishable (anon) key with the user's access token; "
                "PGCORTEX_ALLOW_SERVICE_KEY=true if you mean it",
            )
        self._url = url
        self._key = key
        self._access_token = access_token
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"SupabaseTransport(url={self._url!r})"

    @cached_property
    def _http(self) -> httpx.Client:
        return httpx.Client(timeout=self._timeout)

    @cached_property
    def _client(self) -> Client:
        from supabase import ClientOptions, SupabaseException, create_client

        token = self._access_token or self._key
        options = ClientOptions(
            headers={"Authorization": f"Bearer {token.get_secret_value()}"},
            httpx_client=self._http,
            auto_refresh_token=False,
            persist_session=False,
        )
        try:
            return create_client(self._url, self._key.get_secret_value(), options)
        except SupabaseException:
            raise InvalidInput(
                "supabase_url",
                "is not the address of a project",
                hint="set PGCORTEX_SUPABASE_URL to https://<ref>.supabase.co, and PGCORTEX_SUPABASE_KEY",
            ) from None

    def call(
        self, function: str, arguments: Mapping[str, Any], *, many: bool = False, repeatable: bool = False
    ) -> Any:
        """See `Transport.call`."""
        given = {name: _json(value) for name, value in arguments.items() if value is not None}
        try:
            return self._send(function, given, many)
        except DatabaseUnavailable:
            if not repeatable:
                raise
            return self._send(function, given, many)

    def close(self) -> None:
        """See `Transport.close`."""
        if "_http" in self.__dict__:
            self._http.close()

    def _send(self, function: str, given: dict[str, Any], many: bool) -> Any:
        from postgrest.exceptions import APIError

        try:
            data = self._client.rpc(function, given).execute().data
        except APIError as error:
            raise failure_from(
                str(error.code) if error.code else None,
                error.message or "the API refused",
                error.hint,
                error.details,
            ) from None
        except httpx.TimeoutException:
            raise DatabaseUnavailable(
                "the API did not answer in time", hint="try again in a moment"
            ) from None
        except httpx.HTTPError as error:
            raise DatabaseUnavailable(
                f"the API cannot be reached ({type(error).__name__})", hint="check PGCORTEX_SUPABASE_URL"
            ) from None
        if many:
            return data if isinstance(data, list) else [] if data is None else [data]
        return data[0] if isinstance(data, list) and data else data


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    return value


def _is_service_key(key: str) -> bool:
    if key.startswith("sb_secret_"):
        return True
    parts = key.split(".")
    if len(parts) != 3:
        return False
    try:
        payload = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return False
    return isinstance(payload, dict) and payload.get("role") == "service_role"
