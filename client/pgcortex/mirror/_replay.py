"""Finishing writes that began and did not end."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from pgcortex._errors import CortexError, DatabaseUnavailable
from pgcortex.notes import Note

from ._folder import Folder
from ._merge import digest, merge
from ._queue import Entry, Queue
from ._report import SyncReport
from ._source import MemorySource


def replay(queue: Queue, folder: Folder, source: MemorySource, report: SyncReport) -> None:
    """Bring every queued write to both sides, oldest first; the folder's lock is held.

    Each step can be repeated, so being killed here costs nothing. What the database refuses is put aside and
    reported. Raises `DatabaseUnavailable` and leaves the rest queued.
    """
    for path, entry in queue.entries():
        try:
            _OPERATIONS[entry.op](entry, folder, source, report)
        except DatabaseUnavailable:
            raise
        except CortexError as error:
            queue.reject(path)
            report.add("refused", path.name, entry.id, str(error))
            continue
        folder.flush()
        queue.done(path)
        if entry.op == "forget":
            queue.drop(entry.id)
        report.add("write replayed", path.name, entry.id, entry.op)


def settle(
    asked: UUID,
    stored_under: UUID,
    folder: Folder,
    get: Callable[[UUID], Note | None],
    name: str | None = None,
) -> bool:
    """After a capture, make the files agree; answers whether a note says what the database has.

    Words that were stored already keep their first id, and a memory that is not live has no file.
    """
    if stored_under != asked:
        folder.remove(asked, name)
        name = None
    stored = get(stored_under)
    if stored is None:
        folder.remove(stored_under, name)
        return True
    return folder.put(stored, name=name) is not None


def _capture(entry: Entry, folder: Folder, source: MemorySource, report: SyncReport) -> None:
    name = folder.find(entry.id)
    if entry.note is None or source.is_forgotten(entry.id):
        folder.remove(entry.id, name)
    else:
        settle(entry.id, source.capture(entry.note), folder, source.get, name)


def _update(entry: Entry, folder: Folder, source: MemorySource, report: SyncReport) -> None:
    """Apply what the update changed to what is stored now; of two changes to one field the later one wins."""
    stored = source.get(entry.id)
    if stored is None or entry.note is None:
        _capture(entry, folder, source, report)
        return
    is_later = stored.updated_at is not None and stored.updated_at > entry.queued_at
    merged, contested = merge(
        stored, entry.base or stored, entry.note, prefer="stored" if is_later else "edit"
    )
    if contested:
        aside = folder.set_aside(entry.id, entry.note if is_later else stored)
        report.add("changed on both sides", aside, entry.id, ", ".join(contested))
    if digest(merged) != digest(stored):
        source.update(entry.id, merged)
        stored = source.get(entry.id)
    if stored is not None:
        folder.put(stored, name=folder.find(entry.id))


def _forget(entry: Entry, folder: Folder, source: MemorySource, report: SyncReport) -> None:
    source.forget(entry.id, reason=entry.reason, hard=entry.hard)
    folder.remove(entry.id, folder.find(entry.id))


_OPERATIONS = {"capture": _capture, "update": _update, "forget": _forget}
