"""The two clients: the same operations, called or awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, update_wrapper
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from pgcortex._connect import connect_or_wait
from pgcortex._core import Core
from pgcortex._operations import _browse, _capture, _edit, _life, _review, _search, _session
from pgcortex._settings import Settings, read_settings

if TYPE_CHECKING:
    from pgcortex._transports import Transport
    from pgcortex.embedding import Embedder

P = ParamSpec("P")
R = TypeVar("R")


class _Operation(Generic[P, R]):
    """Binds an operation to a client: a plain call on Cortex, an awaitable one on AsyncCortex."""

    def __init__(self, function: Callable[Concatenate[Core, P], R]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, client: Cortex, owner: Any = None) -> Callable[P, R]: ...
    @overload
    def __get__(self, client: AsyncCortex, owner: Any = None) -> Callable[P, Awaitable[R]]: ...
    @overload
    def __get__(self, client: None, owner: Any = None) -> Self: ...
    def __get__(self, client: Cortex | AsyncCortex | None, owner: Any = None) -> Any:
        if client is None:
            return self
        bound = partial(self.function, client.core)
        if isinstance(client, AsyncCortex):

            async def in_thread(*args: P.args, **kwargs: P.kwargs) -> R:
                from anyio.to_thread import run_sync

                return await run_sync(partial(bound, *args, **kwargs))

            return update_wrapper(in_thread, self.function)
        return update_wrapper(bound, self.function)


class _Operations:
    """Every operation of a brain, in the order an agent meets them."""

    capture = _Operation(_capture.capture)
    capture_many = _Operation(_capture.capture_many)
    capture_each = _Operation(_capture.capture_each)
    search = _Operation(_search.search)
    recall = _Operation(_search.recall)
    explain = _Operation(_search.explain)
    list_thoughts = _Operation(_browse.list_thoughts)
    iterate = _Operation(_browse.iterate)
    get = _Operation(_browse.get)
    get_many = _Operation(_browse.get_many)
    stats = _Operation(_browse.stats)

    remember = _Operation(_life.remember)
    mark_used = _Operation(_life.mark_used)
    what_do_i_know = _Operation(_life.what_do_i_know)
    why_did_we = _Operation(_life.why_did_we)
    update_thought = _Operation(_edit.update_thought)
    pin = _Operation(_edit.pin)
    forget = _Operation(_life.forget)
    restore = _Operation(_life.restore)
    memory_stats = _Operation(_life.memory_stats)
    checkpoint = _Operation(_session.checkpoint)
    wake = _Operation(_session.wake)

    supersede = _Operation(_review.supersede)
    link_memories = _Operation(_review.link_memories)
    review_queue = _Operation(_review.review_queue)
    resolve_review = _Operation(_review.resolve_review)

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        transport: Transport | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        settings = settings or read_settings(Settings)
        self.core = Core(settings, transport or connect_or_wait(settings), embedder)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.core.transport!r})"


class Cortex(_Operations):
    """A brain. Without settings it is the local one, started when first needed.

    with Cortex() as brain:
        brain.capture("We are spending too much on API calls")
        brain.search("budget concerns")[0].content
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give connections back; a local brain's server stays up."""
        self.core.close()


class AsyncCortex(_Operations):
    """The same brain for asyncio and trio: every operation is awaited and runs in a worker thread."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give connections back; a local brain's server stays up."""
        from anyio.to_thread import run_sync

        await run_sync(self.core.close)
