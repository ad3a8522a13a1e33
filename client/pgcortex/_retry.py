"""Bounded retries with jitter for calls to model providers."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pgcortex._errors import ProviderUnavailable

T = TypeVar("T")


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long: the waits grow from `base` by doubling, up to `cap` seconds each.

    A provider that asks for a longer wait than `cap` is not waited for: the caller is told how long it
    asked for, and can come back. Jitter takes up to half of a wait away, so that clients do not return
    together; a wait that the provider named is never shortened.
    """

    attempts: int = 4
    base: float = 0.5
    cap: float = 8.0

    def wait(self, failed: int, retry_after: float | None, chance: float) -> float | None:
        """Return the seconds to wait after the `failed`th failure, or None to give up.

        `chance` in 0–1 decides the jitter.
        """
        if failed >= self.attempts:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.cap else None
        return min(self.cap, self.base * 2.0 ** (failed - 1)) * (1 - chance / 2)


def retrying(
    call: Callable[[], T],
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], None] = time.sleep,
    chance: Callable[[], float] = random.random,
) -> T:
    """Return what `call` returns, trying again while it raises a retryable `ProviderUnavailable`.

    Raises the last `ProviderUnavailable`, and at once anything else.
    """
    failed = 0
    while True:
        try:
            return call()
        except ProviderUnavailable as error:
            failed += 1
            wait = policy.wait(failed, error.retry_after, chance())
            if not error.retryable or wait is None:
                raise
            sleep(wait)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the wait that `retry-after-ms` or `Retry-After` (seconds or an HTTP date) asks for."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        when = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, when.timestamp() - time.time())


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e7 else None
