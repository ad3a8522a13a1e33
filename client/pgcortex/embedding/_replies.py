"""Reading a provider's reply to an embedding request without trusting it."""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from typing import Any

from pgcortex._errors import EmbeddingMismatch, ProviderRefused
from pgcortex.embedding._vectors import normalised


def read_reply(body: str, *, count: int, dimensions: int, model: str) -> tuple[list[list[float]], int]:
    """Return the unit vectors of a reply in the order of the request, and the tokens it was billed.

    Each vector goes to the text its `index` names. A reply with another number of vectors, an index that
    is missing, repeated or out of range, or a vector that is no vector fails as a whole with
    `ProviderRefused`: storing a vector beside the wrong text cannot be noticed later. A vector of another
    length than `dimensions` is an `EmbeddingMismatch`.
    """
    try:
        reply = json.loads(body)
    except ValueError as error:
        raise ProviderRefused("the embedding reply is not JSON", hint=_CHECK_URL) from error
    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list):
        raise ProviderRefused("the embedding reply has no list `data`", hint=_CHECK_URL)
    if len(items) != count:
        raise ProviderRefused(f"{count} texts were sent, but {len(items)} vectors came back")
    placed: dict[int, list[float]] = {}
    for item in items:
        index = _index(item, count)
        if index in placed:
            raise ProviderRefused(f"the embedding reply holds index {index} twice")
        placed[index] = _vector(item, index, dimensions, model)
    return [placed[index] for index in range(count)], _tokens(reply)


_CHECK_URL = "check that the base URL is that of an OpenAI-compatible API (it usually ends in /v1)"


def _index(item: Any, count: int) -> int:
    index = item.get("index") if isinstance(item, dict) else None
    if index is None and count == 1:
        return 0
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise ProviderRefused(f"the embedding reply has index {index!r:.40}; expected 0 to {count - 1}")
    return index


def _vector(item: Any, index: int, dimensions: int, model: str) -> list[float]:
    raw = item.get("embedding") if isinstance(item, dict) else None
    values = _decoded(raw) if isinstance(raw, str) else raw
    if not isinstance(values, list) or not set(map(type, values)) <= {int, float}:
        raise ProviderRefused(f"vector {index} of the embedding reply is not a list of numbers")
    if len(values) != dimensions:
        raise EmbeddingMismatch(
            f"{model} returned a vector of {len(values)} dimensions, {dimensions} were expected",
            hint=f"set PGCORTEX_EMBEDDING_DIMENSIONS to {len(values)} or choose another model",
        )
    if not all(map(math.isfinite, values)):
        raise ProviderRefused(f"vector {index} of the embedding reply holds NaN or infinity")
    try:
        return normalised(values)
    except ValueError as error:
        raise ProviderRefused(f"vector {index} of the embedding reply is all zeros") from error


def _decoded(text: str) -> list[float]:
    """Return the floats of a base64 string of little-endian float32, as the OpenAI API encodes them."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ProviderRefused("the embedding reply holds a string that is not base64") from error
    if len(data) % 4:
        raise ProviderRefused(f"a base64 vector of {len(data)} bytes is not a whole number of float32")
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def _tokens(reply: dict[str, Any]) -> int:
    """Return the tokens the provider counted, or 0 where it does not say."""
    usage = reply.get("usage")
    counted = usage.get("total_tokens") if isinstance(usage, dict) else None
    return counted if isinstance(counted, int) and counted > 0 else 0
