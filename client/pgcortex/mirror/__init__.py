"""The markdown twin: every memory also as a file that a person can read, search and edit.

    twin = Mirror(folder, source)
    twin.capture(note)        # database and file; the answer says which half succeeded
    twin.sync()               # afterwards both sides agree, whatever happened before

The folder holds one note a memory and a hidden `.pgcortex` with what the twin needs to know:

    queue/       writes that have begun and not ended, replayed by the next sync
    base/        per memory: its file's name and the version both sides last agreed on
    conflicts/   versions that lost when a memory was changed on both sides
    rejected/    queued writes that the database refused
"""

from __future__ import annotations

from pgcortex._errors import FolderBusy, FolderUnavailable

from ._brain import BrainSource
from ._mirror import Mirror
from ._report import Change, Half, SyncReport, WriteReport
from ._search import FileHit, FileHits, search_files
from ._source import MemorySource

__all__ = [
    "BrainSource",
    "Change",
    "FileHit",
    "FileHits",
    "FolderBusy",
    "FolderUnavailable",
    "Half",
    "MemorySource",
    "Mirror",
    "SyncReport",
    "WriteReport",
    "search_files",
]
