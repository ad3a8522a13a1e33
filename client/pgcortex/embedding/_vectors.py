"""Vector arithmetic in plain Python, for the path that does not bring numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence


def normalised(vector: Sequence[float]) -> list[float]:
    """Return `vector` at length 1. Raises `ValueError` for a zero vector or one with NaN or infinity."""
    norm = math.hypot(*vector)
    if not math.isfinite(norm) or norm == 0.0:
        raise ValueError("a vector must be finite and not all zeros")
    return [x / norm for x in vector]


def averaged(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return the normalised mean of unit vectors; one vector is returned as it is.

    Vectors that cancel out have no direction in common; the first one then stands for all.
    """
    if len(vectors) == 1:
        return list(vectors[0])
    total = [math.fsum(column) for column in zip(*vectors, strict=True)]
    if math.fsum(x * x for x in total) < 1e-12:
        return list(vectors[0])
    return normalised(total)
