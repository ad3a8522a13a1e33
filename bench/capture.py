"""How fast thoughts are stored: `python -m bench.capture`.

The brain already holds `--rows` memories with every index in place. Then, as role authenticated: single
captures through capture_thought, half of them in a session, and bulk imports through capture_thoughts, a
hundred a call. Vectors are given, so this measures the database and not a model.
"""

from __future__ import annotations

import argparse
import json
import time
from uuid import UUID, uuid5

import numpy as np

from bench._brain import connect, sign_in, throwaway
from bench._data import MODEL, Corpus, vector_literal
from bench._report import finish, note, percentile, table, track
from bench._words import make_vocabulary, zipf

OWNER = uuid5(UUID(int=0), "bench owner")
BATCH = 100
SINGLE = (
    "select public.capture_thought(content => %s, embedding => %s, embedding_model => %s, session_id => %s,"
    " extractor => 'bench')"
)


def main() -> None:
    """Run the benchmark."""
    options = _options()
    with throwaway(options.dims) as brain:
        root = connect(brain)
        corpus = Corpus(options.rows, options.dims, [OWNER], [1.0])
        corpus.load(root, [1])
        vocabulary = make_vocabulary(root, 8_000)
        rng = np.random.default_rng(11)
        count = options.single + options.bulk
        words = zipf(rng, 8_000, (count, 12)).tolist()
        vectors = corpus.vectors(rng.integers(0, corpus.clusters, count))
        texts = [f"{vocabulary.text(w)} {n}" for n, w in enumerate(words)]
        literals = [vector_literal(v) for v in vectors]
        user = sign_in(brain, OWNER)

        times = []
        for n in track(range(options.single), "single captures"):
            session = f"session-{n // 20}" if n % 2 else None
            start = time.perf_counter()
            user.execute(SINGLE, [texts[n], literals[n], MODEL, session])
            times.append((time.perf_counter() - start) * 1000)

        note("bulk import")
        start = time.perf_counter()
        for first in track(range(options.single, count, BATCH), "bulk import"):
            thoughts = [
                {
                    "content": texts[n],
                    "embedding": literals[n],
                    "embedding_model": MODEL,
                    "extractor": "bench",
                    "session_id": f"import-{n // 20}",
                }
                for n in range(first, min(first + BATCH, count))
            ]
            user.execute("select * from public.capture_thoughts(%s)", [json.dumps(thoughts)])
        bulk_s = time.perf_counter() - start
        stored = root.execute("select count(*) from public.memories").fetchone()
    if stored is None or stored[0] != options.rows + count:
        raise RuntimeError(f"{stored} memories are stored, {options.rows + count} were expected")
    _report(options, times, bulk_s)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="captures and imports a second")
    parser.add_argument("--rows", type=int, default=20_000, help="memories stored before")
    parser.add_argument("--dims", type=int, default=384)
    parser.add_argument("--single", type=int, default=300)
    parser.add_argument("--bulk", type=int, default=2_000)
    return parser.parse_args()


def _report(options: argparse.Namespace, times: list[float], bulk_s: float) -> None:
    single_per_s = 1000 * len(times) / sum(times)
    bulk_per_s = options.bulk / bulk_s
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    table(
        f"Capture into {options.rows:,} × {options.dims}, all indexes on",
        ["", "a second", "p50 ms", "p95 ms"],
        [["single", single_per_s, p50, p95], [f"bulk, {BATCH} a call", bulk_per_s, "", ""]],
    )
    finish(
        "capture",
        {
            "rows": options.rows,
            "dims": options.dims,
            "single_per_s": round(single_per_s, 1),
            "single_p50_ms": round(p50, 3),
            "single_p95_ms": round(p95, 3),
            "bulk_per_s": round(bulk_per_s, 1),
        },
    )


if __name__ == "__main__":
    main()
