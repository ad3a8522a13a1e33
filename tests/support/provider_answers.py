"""What the tests' model provider says: vectors that follow the words, metadata that follows the text."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Json = dict[str, Any]
Answer = Callable[[Json], Any]

_WORD = re.compile(r"\w+")
_SPOTS = 24


@lru_cache(maxsize=20_000)
def _spots(word: str, dimensions: int) -> tuple[tuple[int, float], ...]:
    """Return the few positions a word lights up, with their signs."""
    found = []
    for block in range(_SPOTS // 8):
        digest = hashlib.sha256(f"{block}:{word}".encode()).digest()
        for (value,) in struct.iter_unpack("<I", digest):
            found.append(((value >> 1) % dimensions, 1.0 if value & 1 else -1.0))
    return tuple(found)


def vector_for(text: str, dimensions: int) -> list[float]:
    """Return the unit vector of a text: equal texts agree, texts that share words are close."""
    lit: defaultdict[int, float] = defaultdict(float)
    for word in _WORD.findall(text.lower()) or [text]:
        for position, sign in _spots(word, dimensions):
            lit[position] += sign
    norm = math.sqrt(sum(x * x for x in lit.values())) or 1.0
    vector = [0.0] * dimensions
    for position, x in lit.items():
        vector[position] = round(x / norm, 6)
    return vector


def as_base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def tokens_in(text: str) -> int:
    """Return a stand-in for a tokenizer's count: four letters a token, two tokens a CJK character."""
    return sum((len(run) + 3) // 4 for run in re.findall(r"[A-Za-z]+", text)) + sum(
        2 if ord(char) > 0x2E7F else 1 for char in re.findall(r"[^A-Za-z\s]", text)
    )


def metadata_for(request: Json) -> Json:
    """The default answer of a chat completion: metadata read off the last user message, shaped as asked."""
    text = _text_of(request)
    words = _WORD.findall(text)
    lowered = text.lower()
    is_task = any(mark in lowered for mark in ("todo", "must ", "will ", "need to"))
    known = {
        "title": " ".join(words[:6]) or "Untitled",
        "thought_type": "task" if is_task else "observation",
        "topics": sorted({word.lower() for word in words if len(word) > 6})[:3],
        "people": sorted(set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", text)))[:3],
        "actions": [text[:80]] if is_task else [],
        "store": "prospective" if is_task else "episodic",
        "category": "decision" if "decided" in lowered else "fact",
        "valence": 0.1,
        "arousal": 0.2,
        "confidence": 0.9,
        "due_at": None,
        "relations": [],
    }
    schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
    if not schema:
        return known
    filled = _filled(schema, known, schema)
    return filled if isinstance(filled, dict) else known


def _text_of(request: Json) -> str:
    """Return the longest line of the last user message: the thought, whatever frames it."""
    contents = [m.get("content", "") for m in request.get("messages", []) if m.get("role") == "user"]
    last = contents[-1] if contents else ""
    if isinstance(last, list):
        last = "\n".join(part.get("text", "") for part in last if isinstance(part, dict))
    return max(last.splitlines() or [""], key=len)


def _filled(schema: Json, known: Json, root: Json) -> Any:
    """Return a value that satisfies `schema`, taking `known` names from `known`."""
    if "$ref" in schema:
        return _filled(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], known, root)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            kinds = schema[union]
            return None if any(k.get("type") == "null" for k in kinds) else _filled(kinds[0], known, root)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if isinstance(kind, list):
        return None if "null" in kind else _filled({**schema, "type": kind[0]}, known, root)
    if kind == "object":
        return {
            name: known[name] if name in known else _filled(part, known, root)
            for name, part in schema.get("properties", {}).items()
        }
    return {"array": [], "number": 0, "integer": 0, "boolean": False}.get(str(kind), "")


def damaged(answer: Any, fault: str | None) -> str:
    """Return the answer as the text of a message, spoilt in the way `fault` names."""
    text = answer if isinstance(answer, str) else json.dumps(_misfilled(answer, fault), ensure_ascii=False)
    match fault:
        case "fenced":
            return f"```json\n{text}\n```"
        case "prose":
            return f"Sure, here it is {{as asked}}:\n{text}\nLet me know if {{more}} is needed."
        case "trailing_comma":
            return f"{text[:-1]},}}"
        case "bad_escape":
            return text.replace('"title": "', '"title": "\\u12 \\x ', 1)
        case "cut":
            return text[: len(text) // 2]
        case _:
            return text


def _misfilled(answer: Any, fault: str | None) -> Any:
    """Return the answer with values that its schema forbids."""
    if not isinstance(answer, dict):
        return answer
    match fault:
        case "root_list":
            return [answer]
        case "off_enum":
            return {**answer, "thought_type": "goal", "store": "attic", "category": "misc"}
        case "nulls":
            return {**answer, "topics": [None, "budget"], "people": None, "actions": [None], "title": None}
        case _:
            return answer


def embedding_items(texts: list[str], dimensions: int, fault: str | None) -> list[Json]:
    """Return the `data` of an embedding reply, spoilt in the way `fault` names."""
    vectors = [vector_for(text, dimensions) for text in texts]
    if fault == "wrong_dimension":
        vectors = [vector[: dimensions // 2] for vector in vectors]
    elif fault == "nan":
        vectors[-1] = [math.nan, *vectors[-1][1:]]
    elif fault == "zero":
        vectors[-1] = [0.0] * dimensions
    items: list[Json] = [
        {"object": "embedding", "index": i, "embedding": as_base64(v) if fault == "base64" else v}
        for i, v in enumerate(vectors)
    ]
    match fault:
        case "out_of_order":
            return items[::-1] if len(items) < 3 else [items[2], items[0], items[1], *items[3:]]
        case "short":
            return items[:-1]
        case "duplicate_index":
            return [*items[:-1], {**items[-1], "index": 0}]
        case "index_range":
            return [*items[:-1], {**items[-1], "index": len(items)}]
        case "no_index":
            return [{key: value for key, value in item.items() if key != "index"} for item in items]
        case _:
            return items
