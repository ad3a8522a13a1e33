"""What the capture function adds to the provider's own time: `python -m bench.functions`.

The function runs under functions-framework (one process, 32 threads) against a throw-away Postgres and the
tests' model provider in a process of its own, which answers after a fixed delay. Every capture is one
embedding and one chat completion, at the same time, so the provider's own time is one delay. Overhead is a
capture's time less that. `alone` sends one capture after the other, `together` keeps 16 in flight.

The client, the provider, the function and Postgres share the machine: at 0 ms and 16 in flight the processors
are full, and the time in the queue counts as overhead.
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
from itertools import count
from threading import local
from uuid import UUID

import httpx
from psycopg.conninfo import make_conninfo
from tests.support.functions import ROOT, Functions, token

from bench._brain import connect, throwaway
from bench._report import finish, note, percentile, table

DIMENSIONS = 1536
CONCURRENCY = 16
_WARM_UP = 200
BEARER = token(UUID("cccccccc-0000-4000-8000-000000000001"), ttl=3600)

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
    with throwaway(DIMENSIONS) as brain:
        database = make_conninfo(brain.dsn, user="authenticator")
        for delay in (0, 200):
            with _provider(delay) as url, Functions(_settings(database, url)) as functions:
                note(f"provider of {delay} ms")
                _run(functions, _WARM_UP, CONCURRENCY)
                # What autovacuum does a minute later: until then plans are made for an empty table.
                connect(brain).execute("analyze")
                _run(functions, 2 * CONCURRENCY, CONCURRENCY)
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
    times = _run(functions, captures, in_flight)
    elapsed = time.perf_counter() - started
    overheads = [1000 * seconds - delay for seconds in times]
    return {
        "captures_per_second": round(captures / elapsed, 1),
        "overhead_p50_ms": round(percentile(overheads, 0.5), 1),
        "overhead_p95_ms": round(percentile(overheads, 0.95), 1),
    }


def _run(functions: Functions, captures: int, in_flight: int) -> list[float]:
    """Return the seconds each capture took."""
    with ThreadPoolExecutor(in_flight) as pool:
        return list(pool.map(lambda _: _capture(functions.url), range(captures)))


def _capture(url: str) -> float:
    # A connection a thread, as a client that keeps its own would have.
    if getattr(_clients, "url", None) != url:
        _clients.client, _clients.url = httpx.Client(timeout=60), url
    number = next(_numbers)
    body = {"content": f"{_THOUGHTS[number % len(_THOUGHTS)]} ({number})"}
    started = time.perf_counter()
    answer = _clients.client.post(f"{url}/capture", json=body, headers={"authorization": f"Bearer {BEARER}"})
    seconds = time.perf_counter() - started
    if answer.status_code != 201:
        raise RuntimeError(f"a capture answered {answer.status_code}: {answer.text}")
    return seconds


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
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--captures", type=int, default=400, help="captures of each run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
