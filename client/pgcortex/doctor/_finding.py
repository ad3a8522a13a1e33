"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem", "skipped"]


@dataclass(frozen=True)
class Finding:
    """What was looked at, how it is, and what to do; `skipped` says why nothing was seen."""

    check: str
    state: State
    message: str
    advice: str | None = None


def ok(check: str, message: str) -> Finding:
    """All is well."""
    return Finding(check, "ok", message)


def warning(check: str, message: str, advice: str) -> Finding:
    """It works, but somebody should do something."""
    return Finding(check, "warning", message, advice)


def problem(check: str, message: str, advice: str | None) -> Finding:
    """It does not work, or is not safe."""
    return Finding(check, "problem", message, advice)


def skipped(check: str, message: str, advice: str | None = None) -> Finding:
    """It could not be looked at from here."""
    return Finding(check, "skipped", message, advice)
