"""What happens to words before they leave this process."""

from __future__ import annotations

from typing import Any

from pgcortex._errors import InvalidInput
from pgcortex._types import MAX_CONTENT_BYTES


def checked_content(content: str) -> str:
    """The content without NUL, which Postgres cannot hold; refused when blank or over 1 MB."""
    if not isinstance(content, str):
        raise InvalidInput("content", f"is {type(content).__name__}, not text", hint="send a string")
    content = without_nul(content)
    if not content.strip():
        raise InvalidInput("content", "is blank", hint="send the words to remember")
    size = len(content.encode("utf-8", "replace"))
    if size > MAX_CONTENT_BYTES:
        raise InvalidInput(
            "content",
            f"is {size:,} bytes, at most {MAX_CONTENT_BYTES:,} are stored",
            hint="split it into several thoughts",
        )
    return content


def without_nul(value: Any) -> Any:
    """The same text, list or dict with U+0000 taken out of every string and key; lone surrogates become ?."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [without_nul(item) for item in value]
    if isinstance(value, dict):
        return {without_nul(key): without_nul(item) for key, item in value.items()}
    return value


def masked(thought: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The thought with secrets masked in every field of free text, and the kinds that were found."""
    from pgcortex.redaction import redact, redact_value  # brings detectors that a reader never needs

    kinds: list[str] = []
    clean = dict(thought)
    content = redact(thought["content"])
    clean["content"] = content.text
    kinds += [finding.kind for finding in content.found]
    for name in ("title", "topics", "people", "actions", "tags", "metadata"):
        if thought.get(name):
            clean[name], found = redact_value(thought[name])
            kinds += [finding.kind for finding in found]
    return clean, sorted(set(kinds))
