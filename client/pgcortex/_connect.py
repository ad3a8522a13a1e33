"""From settings to a transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgcortex._errors import DatabaseUnavailable, InvalidInput, LocalBrainError
from pgcortex._settings import Settings
from pgcortex._transports import Transport


def connect_or_wait(settings: Settings) -> Transport:
    """As `connect`; with a mirror, a local brain that cannot be started is away and tried at each call."""
    if settings.mirror_dir is None:
        return connect(settings)
    try:
        return connect(settings)
    except LocalBrainError:
        return _Waiting(settings)


class _Waiting:
    """A transport to a local brain that could not be started yet."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._found: Transport | None = None

    def call(
        self, function: str, arguments: Mapping[str, Any], *, many: bool = False, repeatable: bool = False
    ) -> Any:
        """See `Transport.call`. Raises DatabaseUnavailable while the brain cannot be started."""
        if self._found is None:
            try:
                self._found = connect(self._settings)
            except LocalBrainError as error:
                raise DatabaseUnavailable(error.message, hint=error.hint) from error
        return self._found.call(function, arguments, many=many, repeatable=repeatable)

    def close(self) -> None:
        """Give connections back, if there are any."""
        if self._found is not None:
            self._found.close()


def connect(settings: Settings) -> Transport:
    """The transport the settings describe: Supabase, a database URL, or the local brain (started if need be).

    Raises InvalidInput when they describe none fully, and what `pgcortex.local.up` raises.
    """
    if settings.supabase_url:
        if settings.supabase_key is None:
            raise InvalidInput(
                "supabase_key", "is missing", hint="set PGCORTEX_SUPABASE_KEY to the publishable key"
            )
        from pgcortex._transports._supabase import SupabaseTransport

        return SupabaseTransport(
            settings.supabase_url,
            settings.supabase_key,
            settings.access_token,
            timeout=settings.timeout,
            allow_service_key=settings.allow_service_key,
        )
    from pgcortex._transports._postgres import PostgresTransport

    if settings.database_url is not None:
        if settings.owner_id is None:
            raise InvalidInput(
                "owner_id", "is missing", hint="set PGCORTEX_OWNER_ID to the user's id in auth.users"
            )
        return PostgresTransport(
            settings.database_url.get_secret_value(), settings.owner_id, timeout=settings.timeout
        )
    from pgcortex.local import up

    brain = up(settings.data_dir)
    return PostgresTransport(brain.dsn, settings.owner_id or brain.owner_id, timeout=settings.timeout)
