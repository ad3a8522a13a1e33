"""Plain text: one file is one thought, however many paragraphs it has.

Splitting at blank lines would tear letters and minutes apart, and an edit to one paragraph would leave the
rest behind as strangers. Long text is the embedder's business, which reads all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pgcortex.notes import UnreadableFile, decode

from ._items import Problem, Result, make_item
from ._values import date_of


def read_text(path: Path, name: str) -> Iterator[Result]:
    """Yield the file's one thought, titled by its name and dated by its name or its last change."""
    try:
        words = decode(path.read_bytes()).replace("\r\n", "\n").strip("\n")
    except UnreadableFile as error:
        yield Problem(name, f"not readable as text: {error}")
        return
    yield make_item(
        name,
        {"content": words, "title": path.stem, "occurred_at": date_of(path), "metadata": {"path": name}},
    )
