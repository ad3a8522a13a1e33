"""Benchmarks: each runs alone as `python -m bench.NAME` on a throw-away brain of its own."""
