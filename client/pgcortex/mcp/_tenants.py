"""One server, many owners: each call acts as the user whose token it carries."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import UUID

from mcp.server.auth.middleware.auth_context import get_access_token
from pydantic import SecretStr

from pgcortex._client import Cortex
from pgcortex._connect import connect
from pgcortex._errors import DependencyMissing, NotAuthorized
from pgcortex._transports._postgres import PostgresTransport
from pgcortex.mcp._settings import ServerSettings

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

    from pgcortex._transports import Transport
    from pgcortex.embedding import Embedder

KEPT = 256
"""Clients that stay open between calls; the one unused for longest is closed first."""


class BearersBrain:
    """Gives the brain of the bearer of the current request; the database decides what they may see."""

    def __init__(self, settings: ServerSettings) -> None:
        # A folder of notes is one person's; the bearers of a server must not meet in it.
        self._settings = settings = settings.model_copy(update={"mirror_dir": None})
        self._first = Cortex(settings) if not settings.supabase_url else None
        self._open: OrderedDict[str, Cortex] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self) -> Cortex:
        token = get_access_token()
        if token is None or token.subject is None:
            raise NotAuthorized("nobody is signed in", hint="send the user's access token as a bearer token")
        key = hashlib.sha256(token.token.encode()).hexdigest()
        with self._lock:
            brain = self._open.pop(key, None) or self._for(token)
            self._open[key] = brain
            while len(self._open) > KEPT:
                self._open.popitem(last=False)
        return brain

    def _for(self, token: AccessToken) -> Cortex:
        return Cortex(self._settings, transport=self._transport(token), embedder=self._embedder)

    @cached_property
    def _embedder(self) -> Embedder | None:
        """One model in memory for everybody."""
        from pgcortex.embedding import create_embedder

        try:
            return create_embedder(self._settings)
        except DependencyMissing:
            return None

    def _transport(self, token: AccessToken) -> Transport:
        if self._first is not None:
            shared = self._first.core.transport
            assert isinstance(shared, PostgresTransport)
            return shared.acting_for(UUID(str(token.subject)))
        return connect(self._settings.model_copy(update={"access_token": SecretStr(token.token)}))
