"""A TCP port on 127.0.0.1 in front of a Unix socket, for the clients that know no other way to Postgres."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def tcp_port(socket: Path) -> Iterator[int]:
    """Forward a free port to `socket` (for Postgres `<directory>/.s.PGSQL.<port>`) until the block ends."""
    loop = asyncio.new_event_loop()
    forwarder = loop.run_until_complete(_listen(socket))
    thread = threading.Thread(target=loop.run_forever, name="tcp forwarder", daemon=True)
    thread.start()
    try:
        yield int(forwarder.sockets[0].getsockname()[1])
    finally:
        asyncio.run_coroutine_threadsafe(_close(forwarder), loop).result(timeout=10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()


async def _listen(socket: Path) -> asyncio.Server:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_unix_connection(socket)
        await asyncio.gather(_copy(reader, server_writer), _copy(server_reader, writer))

    return await asyncio.start_server(connected, "127.0.0.1", 0)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until either side ends, then end the other: a Postgres connection is never half open."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass  # the peer hung up; closing our side below is all there is to do
    finally:
        writer.close()


async def _close(forwarder: asyncio.Server) -> None:
    forwarder.close()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
