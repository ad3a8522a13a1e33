"""Dual writes, and the ways back when a half is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
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


_REFUSED = Half("failed", "the database refused it")


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

    def waiting(self, seconds: float) -> int:
        """Writes that have waited for at least so long: whoever began them is not at them any more."""
        return len(self._queue.paths(older_than=seconds))

    def capture(self, note: Note) -> WriteReport:
        """Store a note on both sides, under its id or a new one.

        With the database away the note is written and the capture queued. Raises what the database refuses
        with, and `DatabaseUnavailable` only when the folder cannot take the note either.
        """
        asked = note.id or uuid4()
        note = note.model_copy(update={"id": asked})
        return self.capture_all([note], lambda: [self.source.capture(note)])[0]

    def capture_all(
        self, notes: Sequence[Note], store: Callable[[], Sequence[UUID | None]]
    ) -> list[WriteReport]:
        """As `capture`, for notes that have ids and that `store` brings to the database together.

        store: answers the id each note is stored under, in order, and None for one that was refused.
        """
        begun = [
            (note, _id(note), *self._begin(Entry(op="capture", id=_id(note), note=note))) for note in notes
        ]
        try:
            stored = store()
        except DatabaseUnavailable as error:
            return [
                self._queued(asked, entry, error, partial(self._put, note)) for note, asked, entry, _ in begun
            ]
        except CortexError:
            for _, _, entry, _ in begun:
                self._queue.done(entry)
            raise
        get = self._getter([memory_id for memory_id in stored if memory_id is not None])
        reports = []
        for (_, asked, entry, problem), memory_id in zip(begun, stored, strict=True):
            if memory_id is None:
                self._queue.done(entry)
                reports.append(WriteReport(asked, _REFUSED, _REFUSED))
                continue
            write = partial(settle, asked, memory_id, self._folder, get)
            reports.append(WriteReport(memory_id, DONE, self._finish(entry, problem, write)))
        return reports

    def update(
        self, memory_id: UUID, note: Note, *, store: Callable[[], object] | None = None
    ) -> WriteReport:
        """Make a memory and its file say what the note says; see `capture` for errors.

        A file with unsynced edits by hand is left to the next sync, which merges it. store: makes the change
        in the database, where the caller has a way of its own.
        """
        note = note.model_copy(update={"id": memory_id})
        base = self._folder.base(memory_id)
        entry, problem = self._begin(Entry(op="update", id=memory_id, note=note, base=base and base.note))
        try:
            store() if store else self.source.update(memory_id, note)
        except DatabaseUnavailable as error:
            return self._queued(memory_id, entry, error, partial(self._put, note))
        except CortexError:
            self._queue.done(entry)
            raise
        write = partial(settle, memory_id, memory_id, self._folder, self.source.get)
        return WriteReport(memory_id, DONE, self._finish(entry, problem, write))

    def forget(
        self,
        memory_id: UUID,
        *,
        reason: str | None = None,
        hard: bool = False,
        store: Callable[[], object] | None = None,
    ) -> WriteReport:
        """Forget a memory and remove its file, queued writes and set-aside copies.

        With the database away the file goes at once and the rest is queued. store: as in `update`.
        """
        self._queue.drop(memory_id)
        entry, problem = self._begin(Entry(op="forget", id=memory_id, reason=reason, hard=hard))
        remove = lambda: self._folder.remove(memory_id, self._folder.find(memory_id)) or True  # noqa: E731
        try:
            store() if store else self.source.forget(memory_id, reason=reason, hard=hard)
        except DatabaseUnavailable as error:
            return self._queued(memory_id, entry, error, remove)
        except CortexError:
            self._queue.done(entry)
            raise
        return WriteReport(memory_id, DONE, self._finish(entry, problem, remove))

    def note(self, memory_id: UUID) -> Note | None:
        """What the memory's file says now; without one, what the database says."""
        name = self._folder.find(memory_id)
        return self._folder.read(name) if name else self.source.get(memory_id)

    def follow(self, *ids: UUID) -> Half:
        """Make the notes of these memories say what the database says, after a change that was made there."""
        try:
            self._folder.prepare()
        except OSError as error:
            return Half("failed", _why(error))
        return self._locked(
            lambda: sum(not settle(each, each, self._folder, self.source.get) for each in ids) == 0
        )

    def replay(self) -> SyncReport:
        """Bring the queued writes to both sides, and nothing else.

        Raises `DatabaseUnavailable`, `FolderBusy`, `FolderUnavailable`.
        """
        report = SyncReport()
        with self._at_work():
            replay(self._queue, self._folder, self.source, report)
        return report

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

    def _getter(self, ids: list[UUID]) -> Callable[[UUID], Note | None]:
        """How to get these memories: in one call when there are many."""
        if len(ids) < 2:
            return self.source.get
        try:
            return {_id(note): note for note in self.source.get_many(ids)}.get
        except DatabaseUnavailable:
            return self.source.get  # which says so, memory by memory

    def _put(self, note: Note) -> bool:
        return self._folder.put(note) is not None

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


def _id(note: Note) -> UUID:
    assert note.id is not None
    return note.id


def _why(error: OSError) -> str:
    return f"the folder of notes cannot be written: {error.strerror or error}"
