"""A note file: front matter, a blank line, the words.

The words are kept to the byte. Exactly one line end is added after them and one blank line before them, and
reading takes exactly those away again, so any text comes back as it was: `read_note(write_note(n)) == n`.
"""

from __future__ import annotations

from pathlib import Path

from pgcortex._errors import InvalidInput

from . import _front_matter
from ._decode import decode, encoding_of
from ._model import Note


def read_note(source: Path | bytes) -> Note:
    """Read a note from a file or its bytes: UTF-8 or UTF-16, any line ends, front matter or none.

    Broken YAML costs the front matter, never the words; `warnings` says so. A file with Windows line ends is
    read with plain ones. Raises `UnreadableFile` for bytes that are no text, `OSError` for a missing file.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    return parse_note(decode(data))


def parse_note(text: str) -> Note:
    """As `read_note`, from text."""
    text = text.removeprefix("\ufeff")
    if _is_windows(text):
        text = text.replace("\r\n", "\n")
    block, body = _front_matter.split(text)
    parsed = _front_matter.parse(block) if block is not None else None
    if parsed is None:
        return Note(content=text.removesuffix("\n"))
    fields, extra, warnings = parsed
    content = body.removeprefix("\n").removesuffix("\n")
    return Note(content=content, extra=extra, warnings=warnings, **fields)


def write_note(note: Note) -> bytes:
    """The note as UTF-8 bytes, the same for the same note every time.

    Raises `InvalidInput` for metadata that is nested hundreds of levels deep.
    """
    try:
        block = _front_matter.dump(note)
    except RecursionError as error:
        raise InvalidInput("metadata", "is nested too deeply to be written as YAML") from error
    text = f"---\n{block}---\n\n{note.content}\n"
    return text.encode("utf-8", "replace")


def rewrite_note(original: bytes, note: Note) -> bytes:
    """`note` in the clothes of the file it replaces: its encoding, line ends and foreign front matter.

    A file that already says what the note says is returned byte for byte.
    """
    before = read_note(original)
    if before.same_memory(note) and not before.warnings:
        return original
    text = write_note(note.model_copy(update={"extra": {**before.extra, **note.extra}})).decode()
    if _is_windows(decode(original)):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text.encode(encoding_of(original))


def _is_windows(text: str) -> bool:
    """Whether the first line ends the Windows way; a lone carriage return inside the words is not that."""
    first = text.find("\n")
    return first > 0 and text[first - 1] == "\r"
