"""What one process of the functions shares: settings, connections, the embedder, a pool of threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from threading import Lock

from pgcortex._errors import CortexError, InvalidInput
from pgcortex._openai_errors import lacks_key
from pgcortex._retry import RetryPolicy
from pgcortex._transports import Transport
from pgcortex._transports._postgres import PostgresTransport
from pgcortex._transports._supabase import SupabaseTransport
from pgcortex.embedding import Embedder, check_brain, create_embedder
from pgcortex_functions._auth import User, Verifier
from pgcortex_functions._keyless import KeylessEmbedder
from pgcortex_functions._settings import FunctionSettings, Misconfigured, read_settings

_CACHED_CLIENTS = 128


class App:
    """Made once a process, by the first request."""

    def __init__(self, settings: FunctionSettings) -> None:
        if settings.database_url is None and (settings.supabase_url is None or settings.supabase_key is None):
            raise Misconfigured(
                "the functions do not know the database",
                hint="set PGCORTEX_SUPABASE_URL and PGCORTEX_SUPABASE_KEY, or PGCORTEX_DATABASE_URL",
            )
        self.settings = settings
        self.verifier = Verifier(settings)
        self.threads = ThreadPoolExecutor(max_workers=32, thread_name_prefix="pgcortex")
        self.enrichers = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="pgcortex-enrich")
        self._clients: OrderedDict[str, Transport] = OrderedDict()
        self._lock = Lock()
        self._pool = _pool(settings)
        self.brain_checked = False

    @cached_property
    def policy(self) -> RetryPolicy:
        """How providers are retried within one request."""
        return RetryPolicy(
            attempts=self.settings.provider_attempts, base=0.2, cap=self.settings.provider_wait
        )

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedder, made by the first request that needs it."""
        if self.settings.embedder == "openai":
            if lacks_key(self.settings.openai_base_url, self.settings.openai_api_key):
                return KeylessEmbedder(self.settings)
            from pgcortex.embedding._openai import OpenAIEmbedder

            return OpenAIEmbedder.from_settings(self.settings, policy=self.policy)
        return create_embedder(self.settings)

    def for_user(self, user: User) -> Transport:
        """The database as this person sees it: their token is forwarded, so row level security decides."""
        if self._pool is not None:
            return self._pool.acting_for(user.id)
        settings = self.settings
        assert settings.supabase_url is not None and settings.supabase_key is not None
        url, key = settings.supabase_url, settings.supabase_key
        return self._client(
            user.token.get_secret_value(),
            lambda: SupabaseTransport(url, key, user.token, timeout=settings.timeout),
        )

    def for_worker(self) -> Transport:
        """The database as the service role. Raises `InvalidInput` where no service key is set."""
        if self._pool is not None:
            return self._pool.acting_for(None, "service_role")
        settings = self.settings
        if settings.service_key is None or settings.supabase_url is None:
            raise InvalidInput("service_key", "the worker needs it", hint="set PGCORTEX_SERVICE_KEY")
        url, key = settings.supabase_url, settings.service_key
        return self._client(
            "worker", lambda: SupabaseTransport(url, key, timeout=settings.timeout, allow_service_key=True)
        )

    def fits(self, dimensions: int, model: str | None) -> CortexError | None:
        """Say why the embedder does not fit the brain; None when it does."""
        if self.embedder is None:
            return None
        try:
            check_brain(self.embedder, dimensions, model)
        except CortexError as error:
            return error
        return None

    def _client(self, key: str, make: Callable[[], Transport]) -> Transport:
        """Return the HTTP client kept for a token; the one unused for longest makes room."""
        with self._lock:
            client = self._clients.pop(key, None) or make()
            self._clients[key] = client
            if len(self._clients) > _CACHED_CLIENTS:
                self._clients.popitem(last=False)
            return client


@lru_cache(maxsize=1)
def get_app() -> App:
    """The process's App, from its environment. Raises `Misconfigured`, anew at each call."""
    return App(read_settings())


def _pool(settings: FunctionSettings) -> PostgresTransport | None:
    """The connections that every request shares, where the database is reached directly."""
    if settings.database_url is None:
        return None
    dsn = settings.database_url.get_secret_value()
    size = settings.database_connections
    return PostgresTransport(dsn, None, timeout=settings.timeout, pool_size=size).acting_for(None)
