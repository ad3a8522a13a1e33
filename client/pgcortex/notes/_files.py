"""File names that are safe everywhere, paths that stay in their folder, writes that are whole or absent."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

from pgcortex._errors import InvalidInput

from ._model import Note

TEMPORARY_PREFIX = ".pgcortex-part-"
"""Begins the names of files that are being written; a killed process leaves one behind."""

_SLUG_BYTES = 100
"""With the id and the suffix a name stays under 143 bytes, the least of the common file system limits."""

Flush = Literal["all", "data", "none"]

ID_DIGITS = 12
"""The last digits of a UUID are random in version 4 and in version 7, whose first digits are a clock."""

_BETWEEN_WORDS = re.compile(r"[\W_]+")


def file_name(note: Note) -> str:
    """Name the note's file: words from its title, then twelve digits of its id.

    The words are letters and digits only, so a title cannot name a folder, a device or a hidden file; the
    digits keep two notes with one title apart. A note without an id is named by the hash of its words.
    """
    words = note.title or next(iter(note.content.strip().splitlines()), "")
    seed = f"{note.title or ''}\0{note.content}".encode("utf-8", "surrogatepass")
    digits = note.id.hex[-ID_DIGITS:] if note.id else hashlib.sha256(seed).hexdigest()[:ID_DIGITS]
    return f"{_slug(words) or 'note'}-{digits}.md"


def _slug(words: str) -> str:
    flat = _BETWEEN_WORDS.sub("-", unicodedata.normalize("NFC", words).lower())
    # Cutting bytes may split a character; "ignore" drops the half that is left.
    return flat.encode("utf-8", "ignore")[:_SLUG_BYTES].decode("utf-8", "ignore").strip("-")


def resolve_inside(root: Path, name: str) -> Path:
    """Return `root/name` as a real path that is a direct child of the real `root`.

    The folder itself may be a link, an entry that leads out of it may not. Raises `InvalidInput`.
    """
    if name in ("", ".", "..") or re.search(r"[/\\\0]", name):
        raise InvalidInput("name", f"{name!r} is not the name of one file")
    home = root.resolve()
    target = (home / name).resolve()
    if target.parent != home:
        raise InvalidInput("name", f"{name!r} leads out of the folder")
    return target


def write_atomic(path: Path, data: bytes, *, flush: Flush = "all") -> None:
    """Put `data` at `path`, as `open_atomic` does. Raises `OSError`."""
    with open_atomic(path, flush=flush) as file:
        file.write(data)


@contextmanager
def open_atomic(path: Path, *, flush: Flush = "all") -> Iterator[IO[bytes]]:
    """A file to write for `path`, so that a reader or a crash sees the old one or the new one, never a part.

    Written to a hidden file beside it, flushed to disk, renamed, and the rename flushed too. A new file is
    readable by its owner only; an existing one keeps its mode, and all of it when the block fails. Raises
    `OSError`.

    flush: `data` leaves the folder to the caller's `sync_folder`, for many files at once; `none` is for what
    can be made again, which a power cut may then lose.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY_PREFIX)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            if flush != "none":
                os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if flush == "all":
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries, so that a rename or a removal survives a power cut."""
    if os.name == "nt":  # Windows has no handle for a folder; a rename is journalled there.
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
