"""How well the rules read 204 labelled thoughts: precision and recall per field (`python -m bench.extract`).

The "dev" part was looked at while the rules were written, the 40 thoughts of the "test" part never were.
A topic or an action counts as found when it shares at least half of its words with a labelled one.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pgcortex.extraction import Metadata, extract

NOW = datetime(2026, 5, 6, 9, 0, tzinfo=UTC)
LABELS = Path(__file__).with_name("labelled_thoughts.jsonl")
FIELDS = ("topics", "people", "actions", "due")
Row = dict[str, Any]
Score = dict[str, float]


def load(half: str | None = None) -> list[Row]:
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if half in (None, row["half"])]


def evaluate(rows: list[Row], results: list[Metadata]) -> dict[str, Score]:
    """Per field: precision and recall; for type and category accuracy, which is both."""
    scores: dict[str, Score] = {}
    for field, answer in (("thought_type", "type"), ("category", "category")):
        right = sum(getattr(m, field) == row[answer] for row, m in zip(rows, results, strict=True))
        scores[field] = {"precision": right / len(rows), "recall": right / len(rows)}
    for field in FIELDS:
        pairs = [(_labelled(row, field), _answered(m, field)) for row, m in zip(rows, results, strict=True)]
        scores[field] = _precision_recall(pairs, _same if field in ("topics", "actions") else str.__eq__)
    return {field: {**s, "f1": _f1(s)} for field, s in scores.items()}


def _labelled(row: Row, field: str) -> list[str]:
    value = row[field]
    return [] if value is None else [value] if isinstance(value, str) else value


def _answered(found: Metadata, field: str) -> list[str]:
    if field == "due":
        return [found.due_at.date().isoformat()] if found.due_at else []
    return list(getattr(found, field))


def _precision_recall(
    pairs: Iterable[tuple[list[str], list[str]]], same: Callable[[str, str], bool]
) -> Score:
    found = right = wanted = met = 0
    for labels, answers in pairs:
        found += len(answers)
        right += sum(any(same(answer, label) for label in labels) for answer in answers)
        wanted += len(labels)
        met += sum(any(same(answer, label) for answer in answers) for label in labels)
    return {"precision": right / found if found else 1.0, "recall": met / wanted if wanted else 1.0}


def _same(one: str, two: str) -> bool:
    a, b = (set(re.findall(r"\w+", text.lower())) for text in (one, two))
    return bool(a and b) and len(a & b) / min(len(a), len(b)) >= 0.5 and len(a & b) / len(a | b) >= 0.3


def _f1(score: Score) -> float:
    total = score["precision"] + score["recall"]
    return 2 * score["precision"] * score["recall"] / total if total else 0.0


def _milliseconds(rows: list[Row]) -> float:
    started = time.perf_counter()
    for row in rows:
        extract(row["text"], now=NOW)
    return (time.perf_counter() - started) * 1000 / len(rows)


def _mistakes(rows: list[Row], results: list[Metadata]) -> None:
    for row, m in zip(rows, results, strict=True):
        wrong = []
        if m.thought_type != row["type"]:
            wrong.append(f"type {m.thought_type} for {row['type']}")
        if m.category != row["category"]:
            wrong.append(f"category {m.category} for {row['category']}")
        for field in FIELDS:
            if sorted(_answered(m, field)) != sorted(_labelled(row, field)):
                wrong.append(f"{field} {_answered(m, field)} for {_labelled(row, field)}")
        print(f"- {row['text']}\n    " + "\n    ".join(wrong))


def main(arguments: list[str]) -> None:
    output: dict[str, Any] = {"bench": "extract"}
    print(f"{'half':6}{'field':14}{'precision':>10}{'recall':>8}{'f1':>7}")
    for half in ("dev", "test"):
        rows = load(half)
        results = [extract(row["text"], now=NOW) for row in rows]
        scores = evaluate(rows, results)
        for field, s in scores.items():
            print(f"{half:6}{field:14}{s['precision']:>10.2f}{s['recall']:>8.2f}{s['f1']:>7.2f}")
        output[half] = {f: {k: round(v, 3) for k, v in s.items()} for f, s in scores.items()}
        if f"--mistakes={half}" in arguments:
            _mistakes(rows, results)
    rows = load()
    results = [extract(row["text"], now=NOW) for row in rows]
    output["fields"] = {f: {k: round(v, 3) for k, v in s.items()} for f, s in evaluate(rows, results).items()}
    output["thoughts"] = len(rows)
    output["ms_per_thought"] = round(_milliseconds(rows), 3)
    print(json.dumps(output))


if __name__ == "__main__":
    main(sys.argv[1:])
