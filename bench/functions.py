"""What the capture function adds to the provider's own time: `python -m bench.functions`.

The function runs under functions-framework (one process, 32 threads) against a throw-away Postgres and the
tests' model provider in a process of its own, which answers after a fixed delay. Every capture is one
embedding and one chat completion, at the same time, so the provider's own time is one delay. Overhead is a
capture's time less that. `alone` sends one capture after the other, `together` keeps 16 in flight.

The 16 clients begin spread over the first delay. They, the provider, the function and Postgres share the
machine: at 0 ms and 16 in flight the processors are full, and the time in the queue counts as overhead.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from threading import local
from uuid import UUID

from psycopg.conninfo import make_conninfo
from tests.support.functions import ROOT, Functions, token

from bench._brain import connect, cores, throwaway
from bench._report import finish, note, percentile, table
from pgcortex.local import LocalBrain

DIMENSIONS = 1536
CONCURRENCY = 16
_WARM_UP = 200
BEARER = token(UUID("cccccccc-0000-4000-8000-000000000001"), ttl=3600)
_HEADERS = {"authorization": f"Bearer {BEARER}", "content-type": "application/json"}

# The thoughts of the extraction benchmark, each told apart by a number.
_THOUGHTS = [
    json.loads(line)["text"]
    for line in (ROOT / "bench" / "labelled_thoughts.jsonl").read_text(encoding="utf-8").splitlines()
]
_numbers = count()
_clients = local()


def main() -> None:
    """Run the benchmark."""
    options = _options()
    result: dict[str, object] = {}
    rows = []
    for delay in (0, 200):
        note(f"provider of {delay} ms")
        with throwaway(DIMENSIONS) as brain, _functions(brain, delay) as functions:
            _run(functions, _WARM_UP, CONCURRENCY, delay)
            # What autovacuum does a minute later: until then plans are made for an empty table.
            connect(brain).execute("analyze")
            _run(functions, 2 * CONCURRENCY, CONCURRENCY, delay)
            for name, in_flight in (("alone", 1), ("together", CONCURRENCY)):
                captures = options.captures if in_flight > 1 else max(20, options.captures // 8)
                figures = _figures(functions, captures, in_flight, delay)
                result |= {f"{key}_{name}_{delay}ms": value for key, value in figures.items()}
                rows.append((f"{name}, provider {delay} ms", *figures.values()))
    table("capture through the function", ["", "per second", "overhead p50 ms", "overhead p95 ms"], rows)
    run = {"bench": "functions", "captures": options.captures, "concurrency": CONCURRENCY}
    finish("functions", run | result)


def _figures(functions: Functions, captures: int, in_flight: int, delay: int) -> dict[str, float]:
    started = time.perf_counter()
    times = _run(functions, captures, in_flight, delay)
    elapsed = time.perf_counter() - started
    overheads = [1000 * seconds - delay for seconds in times]
    return {
        "captures_per_second": round(len(times) / elapsed, 1),
        "overhead_p50_ms": round(percentile(overheads, 0.5), 1),
        "overhead_p95_ms": round(percentile(overheads, 0.95), 1),
    }


def _run(functions: Functions, captures: int, in_flight: int, delay: int) -> list[float]:
    """Return the seconds each capture took."""
    address = functions.url.removeprefix("http://")

    def client(number: int) -> list[float]:
        # Agents do not start at the same instant.
        time.sleep(delay / 1000 * number / in_flight)
        return [_capture(address) for _ in range(captures // in_flight)]

    with ThreadPoolExecutor(in_flight) as pool:
        return [seconds for times in pool.map(client, range(in_flight)) for seconds in times]


def _capture(address: str) -> float:
    # A connection a thread, as a client that keeps its own would have; the standard library's client, because
    # what a client costs is taken from the function on the same processors.
    if getattr(_clients, "address", None) != address:
        _clients.connection, _clients.address = HTTPConnection(address, timeout=60), address
    number = next(_numbers)
    body = json.dumps({"content": f"{_THOUGHTS[number % len(_THOUGHTS)]} ({number})"})
    started = time.perf_counter()
    _clients.connection.request("POST", "/capture", body, _HEADERS)
    answer = _clients.connection.getresponse()
    text = answer.read()
    seconds = time.perf_counter() - started
    if answer.status != 201:
        raise RuntimeError(f"a capture answered {answer.status}: {text.decode()}")
    return seconds


@contextmanager
def _functions(brain: LocalBrain, delay: int) -> Iterator[Functions]:
    database = make_conninfo(brain.dsn, user="authenticator")
    with _provider(delay) as url, Functions(_settings(database, url)) as functions:
        yield functions


@contextmanager
def _provider(delay: int) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.support.provider", "--delay", str(delay / 1000)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _settings(database: str, url: str) -> dict[str, str]:
    return {
        "PGCORTEX_DATABASE_URL": database,
        "PGCORTEX_OPENAI_BASE_URL": url,
        "PGCORTEX_OPENAI_API_KEY": "sk-bench",
        "PGCORTEX_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        "PGCORTEX_LLM_MODEL": "gpt-4o-mini",
        "THREADS": "32",
        # As docs/deploy.md advises.
        "PGCORTEX_DATABASE_CONNECTIONS": str(cores()),
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--captures", type=int, default=400, help="captures of each run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
