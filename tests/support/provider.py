"""A small real model provider: an HTTP server with the OpenAI API that misbehaves when told to.

    with Provider() as provider:
        client = OpenAI(base_url=provider.url, api_key="any")
        provider.next("429:1", "ok")      # the next two requests
        provider.always("slow:0.2")       # every request without a fault of its own
        provider.rule = lambda path, body: "500" if "poison" in str(body) else None

From another process: `python -m tests.support.provider --port 8099`, then `POST /control` with the
keyword arguments of `Provider.control` as JSON, and `GET /control` for the recorded requests.

Faults. Any request: `429[:retry-after]`, any other status (`500`, `400`, `401`), `timeout`, `drop`,
`slow:seconds`, `html`. Embeddings: `out_of_order`, `short`, `duplicate_index`, `index_range`, `no_index`,
`wrong_dimension`, `base64`, `nan`, `zero`. Chat: `fenced`, `prose`, `trailing_comma`, `bad_escape`, `cut`,
`off_enum`, `nulls`, `root_list`.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any

from tests.support.provider_answers import (
    Answer,
    Json,
    damaged,
    embedding_items,
    metadata_for,
    tokens_in,
)

RANDOM_FAULTS = ("500", "503", "429", "429:0.01", "drop")


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived, and the fault it met."""

    path: str
    body: Json
    headers: dict[str, str]
    fault: str | None


class Provider:
    """The server, on a free port of this machine unless `port` says which."""

    def __init__(self, *, port: int = 0, answer: Answer = metadata_for) -> None:
        self.answer: Answer = answer
        self.requests: list[Recorded] = []
        self._lock = Lock()
        self._closing = Event()
        self._queue: deque[str] = deque()
        self._always: str | None = None
        self._only: str | None = None
        self.rule: Callable[[str, Json], str | None] | None = None
        self._rate = 0.0
        self._random = random.Random(0)
        self.delay = 0.0
        self.hang = 30.0
        self.context = 8192
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL to give a client, ending in /v1."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Provider:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next(self, *faults: str) -> None:
        """Queue what the coming requests meet, one each; `ok` is a good answer."""
        with self._lock:
            self._queue.extend(faults)

    def always(self, fault: str | None, *, only: str | None = None) -> None:
        """Set what every other request meets, from now on; `only` is `embeddings` or `chat`."""
        with self._lock:
            self._always, self._only = fault, only

    def fail_randomly(self, rate: float, seed: int = 0) -> None:
        """Let this share of the requests meet one of `RANDOM_FAULTS`, drawn with `seed`."""
        with self._lock:
            self._rate, self._random = rate, random.Random(seed)

    def reset(self) -> None:
        """Behave well again and forget the requests."""
        with self._lock:
            self._queue.clear()
            self.requests.clear()
            self._always = self._only = None
            self._rate = self.delay = 0.0
            self.rule = None
        self.answer = metadata_for

    def control(
        self,
        *,
        reset: bool = False,
        next: list[str] | None = None,
        always: str | None = None,
        only: str | None = None,
        failure_rate: float | None = None,
        seed: int = 0,
        delay: float | None = None,
        answer: Any = None,
    ) -> None:
        """Do several of the above at once; what `POST /control` takes. `answer` is a fixed chat answer."""
        if reset:
            self.reset()
        if next:
            self.next(*next)
        if always is not None:
            self.always(always, only=only)
        if failure_rate is not None:
            self.fail_randomly(failure_rate, seed)
        if delay is not None:
            self.delay = delay
        if answer is not None:
            self.answer = lambda _request: answer

    def sent(self, kind: str) -> list[Json]:
        """Return the bodies of the requests so far to `embeddings` or `chat`."""
        with self._lock:
            return [request.body for request in self.requests if kind in request.path]

    def take_fault(self, path: str, body: Json, headers: dict[str, str]) -> str | None:
        """Record a request and return the fault it is to meet."""
        with self._lock:
            ruled = self.rule(path, body) if self.rule else None
            if ruled or self._queue:
                fault: str | None = ruled or self._queue.popleft()
            elif self._rate and self._random.random() < self._rate:
                fault = self._random.choice(RANDOM_FAULTS)
            else:
                fault = self._always if self._only is None or self._only in path else None
            fault = None if fault == "ok" else fault
            self.requests.append(Recorded(path, body, headers, fault))
            return fault

    def wait(self, seconds: float) -> None:
        """Sleep, unless the server is closing."""
        if seconds > 0:
            self._closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], provider: Provider) -> None:
        super().__init__(address, _Handler)
        self.provider = provider

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about clients that hang up: tests make them do so."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet: the requests are recorded instead."""

    def do_GET(self) -> None:
        provider = self.server.provider
        if self.path != "/control":
            self._error(404, "no such path")
            return
        requests = [{"path": r.path, "body": r.body, "fault": r.fault} for r in list(provider.requests)]
        self._reply(200, {"requests": requests})

    def do_POST(self) -> None:
        provider = self.server.provider
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if self.path == "/control":
            provider.control(**body)
            self._reply(200, {})
            return
        fault = provider.take_fault(self.path, body, {k.lower(): v for k, v in self.headers.items()})
        provider.wait(provider.delay)
        if fault and self._refuse(fault):
            return
        if fault and fault.startswith("slow:"):
            provider.wait(float(fault.split(":")[1]))
        if self.path == "/v1/embeddings":
            self._embeddings(body, fault)
        elif self.path == "/v1/chat/completions":
            self._chat(body, fault)
        else:
            self._error(404, "no such path")

    def _refuse(self, fault: str) -> bool:
        """Answer with the fault where it is one of every kind of request; say whether it was."""
        status, _, detail = fault.partition(":")
        if status.isdigit():
            self._error(int(status), "as told", retry_after=detail)
        elif fault == "timeout":
            self.server.provider.wait(self.server.provider.hang)
            self.close_connection = True
        elif fault == "drop":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault == "html":
            self._send(200, b"<html>a proxy's page</html>", "text/html")
        else:
            return False
        return True

    def _embeddings(self, body: Json, fault: str | None) -> None:
        given = body.get("input")
        texts = [given] if isinstance(given, str) else given
        if body.get("encoding_format", "float") not in ("float", "base64"):
            self._error(400, "encoding_format must be float or base64")
        elif not isinstance(texts, list) or not 0 < len(texts) <= 2048:
            self._error(400, "input must hold 1 to 2048 texts")
        elif not all(isinstance(text, str) and text.strip() for text in texts):
            self._error(400, "input cannot be an empty string")
        elif max(map(tokens_in, texts)) > self.server.provider.context:
            self._error(400, f"This model's maximum context length is {self.server.provider.context} tokens.")
        else:
            wanted_base64 = body.get("encoding_format") == "base64"
            items = embedding_items(
                texts,
                body.get("dimensions") or _natural_dimensions(body),
                "base64" if wanted_base64 else fault,
            )
            tokens = sum(map(tokens_in, texts))
            usage = {"prompt_tokens": tokens, "total_tokens": tokens}
            self._reply(200, {"object": "list", "data": items, "model": body.get("model"), "usage": usage})

    def _chat(self, body: Json, fault: str | None) -> None:
        text = damaged(self.server.provider.answer(body), fault)
        prompt = sum(tokens_in(str(message.get("content"))) for message in body.get("messages", []))
        completion = tokens_in(text)
        choice = {
            "index": 0,
            "finish_reason": "length" if fault == "cut" else "stop",
            "message": {"role": "assistant", "content": text, "refusal": None},
            "logprobs": None,
        }
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": int(time.time())}
        self._reply(200, {**reply, "model": body.get("model"), "choices": [choice], "usage": usage})

    def _error(self, status: int, message: str, *, retry_after: str = "") -> None:
        error = {"message": message, "type": "invalid_request_error" if status < 429 else "server_error"}
        headers = {"retry-after": retry_after} if retry_after else {}
        self._reply(status, {"error": {**error, "code": None, "param": None}}, headers)

    def _reply(self, status: int, body: Json, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), "application/json", headers)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        lines = {"content-type": kind, "content-length": str(len(body)), **(headers or {})}
        head = f"HTTP/1.1 {status} .\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
        # One write, so that no small packet waits for another's acknowledgement.
        self.wfile.write(head.encode() + body)


def _natural_dimensions(body: Json) -> int:
    """Return the width a model has of itself."""
    model = str(body.get("model"))
    return next((size for name, size in (("nomic", 768), ("minilm", 384)) if name in model), 1536)


def main() -> None:
    parser = argparse.ArgumentParser(description="A model provider for tests.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every answer")
    options = parser.parse_args()
    with Provider(port=options.port) as provider:
        provider.delay = options.delay
        print(provider.url, flush=True)
        Event().wait()


if __name__ == "__main__":
    main()
