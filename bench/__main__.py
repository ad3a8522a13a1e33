"""All benchmarks that need no other data, one after the other: `python -m bench`."""

from __future__ import annotations

import runpy
import sys

ALL = ("bench.latency", "bench.tenants", "bench.capture", "bench.decay", "bench.extract")


def main() -> None:
    """Run each with its default sizes; LoCoMo too, where a file is named: `python -m bench --data FILE`."""
    arguments = sys.argv[1:]
    if arguments:
        _run("bench.locomo", arguments)
        _run("bench.locomo", [*arguments, "--scoring", "composite"])
    for name in ALL:
        _run(name, [])


def _run(name: str, arguments: list[str]) -> None:
    sys.stderr.write(f"\n{name}\n")
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__")


if __name__ == "__main__":
    main()
