"""Dual writes, and the ways back when a half is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

from pgcortex._errors import CortexError, DatabaseUnavailable, FolderBusy, FolderUnavailable, InvalidInput
from pgcortex.notes import Note, write_atomic

from ._folder import Folder
from ._merge import digest
from ._queue import Entry, Queue
from ._reconcile import Deletions, Prefer, Reconciler
from ._replay import replay, settle
from ._report import DONE, Half, SyncReport, WriteReport
from ._search import FileHits, search_files
from ._source import MemorySource

_OVERLAP = timedelta(minutes=5)
"""A transaction commits later than the time it stamps; changes this young are looked at again."""


class Mirror:
    """A brain and a folder of notes that say the same.

    A write is first put down in the folder's queue, then made in the database, then in the files, and taken
    from the queue when both have it. Whoever is killed between leaves an entry that the next `sync` or
    `refresh` replays. Texts must have been redacted before they come here.
    """

    def __init__(self, root: Path, source: MemorySource, *, timeout: float = 10.0) -> None:
        self.root = root
        self.source = source
        self._folder = Folder(root, timeout=timeout)
        self._queue = Queue(self._folder.private / "queue", self._folder.private / "rejected")

    @property
    def queued(self) -> int:
        """Writes that wait for the next sync."""
        return len(self._queue.paths())

    def capture(self, note: Note) -> WriteReport:
        """Store a note on both sides, under its id or a new one.

        With the database away the note is written and the capture queued. Raises what the database refuses
        with, and `DatabaseUnavailable` only when the folder cannot take the note either.
        """
        asked = note.id or uuid4()
        note = note.model_copy(update={"id": asked})
        entry, problem = self._begin(Entry(op="capture", id=asked, note=note))
        try:
            stored_under = self.source.capture(note)
        except DatabaseUnavailable as error:
            return self._queued(asked, entry, error, lambda: self._folder.put(note) is not None)
        except CortexError:
            self._queue.done(entry)
            raise
        write = lambda: settle(asked, stored_under, self._folder, self.source)  # noqa: E731
        return WriteReport(stored_under, DONE, self._finish(entry, problem, write))

    def update(self, memory_id: UUID, note: Note) -> WriteReport:
        """Make a memory and its file say what the note says; see `capture` for errors.

        A file with unsynced edits by hand is left to the next sync, which merges it.
        """
        note = note.model_copy(update={"id": memory_id})
        base = self._folder.base(memory_id)
        entry, problem = self._begin(Entry(op="update", id=memory_id, note=note, base=base and base.note))
        try:
            self.source.update(memory_id, note)
        except DatabaseUnavailable as error:
            return self._queued(memory_id, entry, error, lambda: self._folder.put(note) is not None)
        except CortexError:
            self._queue.done(entry)
            raise
        write = lambda: settle(memory_id, memory_id, self._folder, self.source)  # noqa: E731
        return WriteReport(memory_id, DONE, self._finish(entry, problem, write))

    def forget(self, memory_id: UUID, *, reason: str | None = None, hard: bool = False) -> WriteReport:
        """Forget a memory and remove its file, queued writes and set-aside copies.

        With the database away the file goes at once and the rest is queued.
        """
        self._queue.drop(memory_id)
        entry, problem = self._begin(Entry(op="forget", id=memory_id, reason=reason, hard=hard))
        remove = lambda: self._folder.remove(memory_id, self._folder.find(memory_id)) or True  # noqa: E731
        try:
            self.source.forget(memory_id, reason=reason, hard=hard)
        except DatabaseUnavailable as error:
            return self._queued(memory_id, entry, error, remove)
        except CortexError:
            self._queue.done(entry)
            raise
        return WriteReport(memory_id, DONE, self._finish(entry, problem, remove))

    def refresh(self) -> SyncReport:
        """Replay the queue and write what changed in the database since the last time; cheap at every start.

        Raises `DatabaseUnavailable`, `FolderBusy`, `FolderUnavailable`.
        """
        report = SyncReport()
        with self._at_work():
            replay(self._queue, self._folder, self.source, report)
            newest = since = self._watermark()
            for record in self.source.fetch(updated_since=since and since - _OVERLAP):
                assert record.id is not None
                newest = max(filter(None, (newest, record.updated_at)), default=None)
                base = self._folder.base(record.id)
                is_news = base is None or digest(base.note) != digest(record)
                if is_news and (base is None or (self.root / base.name).exists()):
                    name = self._folder.put(record)
                    if name is not None:
                        report.add("file refreshed" if base else "file written", name, record.id)
            self._set_watermark(newest)
        return report

    def sync(self, *, prefer: Prefer = "neither", deletions: Deletions = "report") -> SyncReport:
        """Make both sides agree, and say what was done.

        An edit by hand comes back as an update, merged field by field with what changed in the database; of
        two changes to one field the edit wins and the other version is kept in `.pgcortex/conflicts`. A file
        deleted by hand is reported, restored or forgotten, as `deletions` says. Forgotten memories lose their
        files. Raises `DatabaseUnavailable`, `FolderBusy`, `FolderUnavailable`.
        """
        report = SyncReport()
        with self._at_work():
            replay(self._queue, self._folder, self.source, report)
            Reconciler(self._folder, self.source, report, prefer, deletions).run()
        return report

    def verify(self) -> SyncReport:
        """What `sync` would do, without doing it."""
        report = SyncReport()
        with self._at_work(tidy=False):
            for path, entry in self._queue.entries():
                report.add("write replayed", path.name, entry.id, entry.op)
            Reconciler(self._folder, self.source, report, dry=True).run()
        return report

    def rebuild(self, side: Prefer) -> SyncReport:
        """Make `files` say what the database says, or the `database` what the files say.

        Rebuilt files replace edits by hand, which are kept in `.pgcortex/conflicts`, and bring back deleted
        files. A rebuilt database takes every note as it is. What was forgotten stays forgotten.
        """
        if side == "neither":
            raise InvalidInput("side", "is neither of the two", hint="rebuild files or database")
        if side == "files":
            return self.sync(prefer="database", deletions="restore")
        return self.sync(prefer="files")

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        where: Callable[[Note], bool] | None = None,
        reason: str = "the database is away",
    ) -> FileHits:
        """Search the files by their words; the answer is marked `degraded`. Needs no database."""
        return search_files(self.root, query, limit=limit, where=where, reason=reason)

    @contextmanager
    def _at_work(self, *, tidy: bool = True) -> Iterator[None]:
        try:
            self._folder.prepare()
            with self._folder.lock():
                if tidy:
                    self._folder.sweep()
                yield
                if tidy:
                    self._folder.flush()
        except OSError as error:
            raise FolderUnavailable(_why(error), hint=f"check {self.root}") from error

    def _begin(self, entry: Entry) -> tuple[Path | None, str | None]:
        """Put the write down; without a place for that the database half goes ahead alone."""
        try:
            self._folder.prepare()
            return self._queue.add(entry), None
        except OSError as error:
            return None, _why(error)

    def _finish(self, entry: Path | None, problem: str | None, write: Callable[[], bool]) -> Half:
        """Make the file half; the entry stays in the queue until that has succeeded."""
        if entry is None:
            return Half("failed", problem)
        half = self._locked(write)
        if half == DONE:
            self._queue.done(entry)
            return half
        return Half("queued", half.reason)

    def _queued(
        self, memory_id: UUID, entry: Path | None, error: DatabaseUnavailable, write: Callable[[], bool]
    ) -> WriteReport:
        """The database is away: the entry is the promise, the file already says it."""
        if entry is None:
            raise error
        return WriteReport(memory_id, Half("queued", error.message), self._locked(write))

    def _locked(self, write: Callable[[], bool]) -> Half:
        try:
            with self._folder.lock():
                written = write()
                self._folder.flush()
        except OSError as error:
            return Half("failed", _why(error))
        except (FolderBusy, InvalidInput, DatabaseUnavailable) as error:
            return Half("failed", error.message)
        return DONE if written else Half("failed", "the note was edited by hand; the next sync merges it")

    def _watermark(self) -> datetime | None:
        try:
            state = json.loads((self._folder.private / "state.json").read_bytes())
            return datetime.fromisoformat(state["updated_at"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def _set_watermark(self, newest: datetime | None) -> None:
        if newest is not None:
            state = {"updated_at": newest.isoformat()}
            write_atomic(self._folder.private / "state.json", json.dumps(state).encode())


def _why(error: OSError) -> str:
    return f"the folder of notes cannot be written: {error.strerror or error}"
