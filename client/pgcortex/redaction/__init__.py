"""Secrets out of text before it is stored, embedded, logged or sent to a model."""

from __future__ import annotations

from ._redact import Finding, Redacted, redact, redact_value

__all__ = ["Finding", "Redacted", "redact", "redact_value"]
