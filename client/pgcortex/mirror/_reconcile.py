"""Bringing database and files to one state, memory by memory.

What each side says is compared with the version both last agreed on: the side that differs from it is the
side that changed. With `dry` nothing is written and the report says what would be done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from uuid import UUID, uuid4

from pgcortex._errors import CortexError, DatabaseUnavailable, InvalidInput
from pgcortex.notes import Note

from ._folder import Base, Folder, Found
from ._merge import digest, merge
from ._report import SyncReport
from ._source import MemorySource

Prefer = Literal["neither", "database", "files"]
Deletions = Literal["report", "restore", "forget"]
_Written = Literal["file written", "file refreshed", "memory captured", "memory updated"]
_Step: TypeAlias = Callable[[Found], None]


@dataclass
class Reconciler:
    """One pass over both sides; the folder's lock is held."""

    folder: Folder
    source: MemorySource
    report: SyncReport
    prefer: Prefer = "neither"
    deletions: Deletions = "report"
    dry: bool = False
    _bases: dict[UUID, Base] = field(default_factory=dict)
    _files: dict[UUID, Found] = field(default_factory=dict)

    def run(self) -> None:
        """Compare everything. Raises `DatabaseUnavailable`; what was done until then stays done."""
        self._bases = self.folder.load_bases()
        unnamed = self._sort_files()
        for found in unnamed:
            self._guarded(found, self._capture_new)
        live: set[UUID] = set()
        for record in self.source.fetch():
            assert record.id is not None
            live.add(record.id)
            self._compare(record)
        for memory_id, found in self._files.items():
            if memory_id not in live:
                self._guarded(found, self._settle_unknown)
        if not self.dry:
            for memory_id in self._bases.keys() - self._files.keys() - live:
                self.folder.remove(memory_id)

    def _sort_files(self) -> list[Found]:
        """Index the files by memory; answers those that belong to none yet."""
        unnamed: list[Found] = []
        for found in self.folder.scan(self._bases):
            if found.problem is not None:
                self.report.add("unreadable", found.name, detail=found.problem)
            elif found.id is None:
                unnamed.append(found)
            else:
                self._claim(found, found.id)
        return unnamed

    def _claim(self, found: Found, memory_id: UUID) -> None:
        other = self._files.get(memory_id)
        base = self._bases.get(memory_id)
        if other is not None and base is not None and base.name == found.name:
            found, other = other, found
            self._files[memory_id] = other
        if other is not None:
            detail = f"has the id of {other.name}; take the id out to make it a memory of its own"
            self.report.add("duplicate", found.name, memory_id, detail)
        else:
            self._files[memory_id] = found

    def _guarded(self, found: Found, step: _Step) -> None:
        """Do one step; a refusal concerns this file only."""
        try:
            step(found)
        except DatabaseUnavailable:
            raise
        except CortexError as error:
            self.report.add("refused", found.name, found.id, str(error))

    def _compare(self, record: Note) -> None:
        assert record.id is not None
        found, base = self._files.get(record.id), self._bases.get(record.id)
        if found is None:
            self._without_file(record, base)
        elif found.edited:
            self._guarded(found, lambda found: self._edited(record, found, base))
        elif base is None or found.behind or digest(record) != digest(base.note):
            self._write("file refreshed", record, found.name)
        elif found.name != base.name and not self.dry:
            self.folder.note_down(record, found.name)

    def _without_file(self, record: Note, base: Base | None) -> None:
        assert record.id is not None
        if base is None or self.deletions == "restore":
            self._write("file written", record, None)
        elif self.deletions == "report":
            self.report.add("deleted by hand", base.name, record.id, "restore it, or forget the memory")
        else:
            self.report.add("memory forgotten", base.name, record.id, "its file was deleted by hand")
            if not self.dry:
                self.source.forget(record.id, reason="its note was deleted", hard=False)
                self.folder.remove(record.id)

    def _edited(self, record: Note, found: Found, base: Base | None) -> None:
        """Merge a note that a person has changed."""
        assert record.id is not None
        assert found.note is not None
        if digest(found.note) == digest(record):
            self.report.add("noted", found.name, record.id)
            if not self.dry:
                self.folder.note_down(record, found.name)
            return
        if not found.note.content.strip():
            # Nobody means to empty a memory by emptying a file, but a damaged disk does.
            self._write("file refreshed", record, found.name)
            return
        start = base.note if base and self.prefer == "neither" else record
        knows_start = base is not None or found.note.updated_at == record.updated_at
        if self.prefer == "database" or not (knows_start or self.prefer == "files"):
            self._overrule(record, found)
            return
        merged, contested = merge(record, start, found.note)
        if contested:
            self._set_aside(record, found.name, contested)
        if digest(merged) == digest(record):
            self._write("file refreshed", record, found.name)
            return
        if not self.dry:
            self.source.update(record.id, merged)
            merged = self.source.get(record.id) or merged
        self._write("memory updated", merged, found.name)

    def _overrule(self, record: Note, found: Found) -> None:
        """The database's version stands; the file's is kept beside."""
        assert found.note is not None
        self._set_aside(found.note.model_copy(update={"id": record.id}), found.name, [])
        self._write("file refreshed", record, found.name)

    def _set_aside(self, loser: Note, name: str, contested: list[str]) -> None:
        assert loser.id is not None
        place = "" if self.dry else f"; the other version is in {self.folder.set_aside(loser.id, loser)}"
        fields = ", ".join(contested) or "its history is not known"
        self.report.add("changed on both sides", name, loser.id, fields + place)

    def _write(self, kind: _Written, record: Note, name: str | None) -> None:
        shown = name or record.title or str(record.id)
        try:
            if not self.dry:
                shown = self.folder.put(record, name=name, over_edits=True) or shown
        except InvalidInput as error:
            self.report.add("refused", shown, record.id, str(error))
        else:
            self.report.add(kind, shown, record.id)

    def _capture_new(self, found: Found) -> None:
        """A note that a person put into the folder becomes a memory, and its file gets the id."""
        assert found.note is not None
        if self.dry:
            self.report.add("memory captured", found.name)
            return
        memory_id = self.source.capture(found.note.model_copy(update={"id": uuid4()}))
        other = self._files.get(memory_id)
        if other is not None:
            self.report.add("duplicate", found.name, memory_id, f"says what {other.name} says")
            return
        self._adopt(memory_id, found)

    def _settle_unknown(self, found: Found) -> None:
        """A file whose memory is not live: forgotten, out of use, or lost and to be stored again."""
        assert found.id is not None
        record = self.source.get(found.id)
        if record is not None:  # stored since the list was read
            self._compare(record)
        elif self.source.is_forgotten(found.id):
            self._remove(found, "forgotten")
        elif self.dry:
            self.report.add("memory captured", found.name, found.id)
        else:
            note = found.note or self.folder.read(found.name)
            stored_under = self.source.capture(note.model_copy(update={"id": found.id}))
            if stored_under == found.id:
                self._adopt(found.id, found)
            else:
                self._remove(found, "another memory says the same")

    def _adopt(self, memory_id: UUID, found: Found) -> None:
        record = self.source.get(memory_id)
        if record is None:
            self._remove(found, "no longer in use")
            return
        self._write("memory captured", record, found.name)
        base = self.folder.base(memory_id)
        self._files[memory_id] = Found(found.name, memory_id)
        if base is not None:
            self._bases[memory_id] = base

    def _remove(self, found: Found, why: str) -> None:
        self.report.add("file removed", found.name, found.id, why)
        if self.dry:
            return
        if found.id is not None:
            self.folder.remove(found.id, found.name)
