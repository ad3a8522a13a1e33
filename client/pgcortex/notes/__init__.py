"""One memory as one markdown file: the format that import, export and the mirror share."""

from __future__ import annotations

from pgcortex._errors import UnreadableFile

from ._decode import decode
from ._files import (
    ID_DIGITS,
    TEMPORARY_PREFIX,
    file_name,
    open_atomic,
    resolve_inside,
    sync_folder,
    write_atomic,
)
from ._format import read_note, rewrite_note, write_note
from ._front_matter import json_safe
from ._model import SET_BY_DATABASE, Note, utc

__all__ = [
    "ID_DIGITS",
    "SET_BY_DATABASE",
    "TEMPORARY_PREFIX",
    "Note",
    "UnreadableFile",
    "decode",
    "file_name",
    "json_safe",
    "open_atomic",
    "read_note",
    "resolve_inside",
    "rewrite_note",
    "sync_folder",
    "utc",
    "write_atomic",
    "write_note",
]
