"""The notes of a folder, and what is remembered about each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from pydantic import BaseModel, ValidationError

from pgcortex._errors import InvalidInput
from pgcortex.notes import (
    ID_DIGITS,
    TEMPORARY_PREFIX,
    Note,
    file_name,
    read_note,
    resolve_inside,
    rewrite_note,
    sync_folder,
    write_atomic,
    write_note,
)

from ._lock import exclusive
from ._merge import digest

_KEPT_HASHES = 8


class Base(BaseModel):
    """The version that both sides last agreed on.

    `written` has the hashes of the file as we wrote it, newest first: a file with one of them was not touched
    by hand. More than one, because a crash can leave the version before.
    """

    name: str
    note: Note
    written: list[str] = []


@dataclass(frozen=True, slots=True)
class Found:
    """One file of the folder.

    `edited`: a person changed it since we wrote it. `behind`: it is ours, but not the last version we meant
    to write, because we were killed before that.
    """

    name: str
    id: UUID | None = None
    note: Note | None = None
    edited: bool = False
    behind: bool = False
    problem: str | None = None


class Folder:
    """Reads and writes notes. Callers that write hold `lock()`."""

    def __init__(self, root: Path, *, timeout: float) -> None:
        self.root = root
        self.private = root / ".pgcortex"
        self.bases = self.private / "base"
        self.conflicts = self.private / "conflicts"
        self._timeout = timeout

    def prepare(self) -> None:
        """Make the folders that are missing; raises `OSError`."""
        for folder in (self.root, self.private, self.bases, self.conflicts, self.private / "queue"):
            folder.mkdir(exist_ok=True, parents=folder is self.root, mode=0o700)

    def lock(self) -> AbstractContextManager[None]:
        """Keep other processes from changing the files meanwhile."""
        return exclusive(self.private / "lock", timeout=self._timeout)

    def sweep(self) -> None:
        """Remove the parts of files that killed processes left; nobody else may be writing."""
        for folder in (self.root, self.bases, self.conflicts, self.private / "queue"):
            for path in folder.glob(f"{TEMPORARY_PREFIX}*"):
                path.unlink(missing_ok=True)

    def load_bases(self) -> dict[UUID, Base]:
        """What is remembered about every memory; an unreadable record is as good as none."""
        found = (self.base(UUID(path.stem)) for path in self.bases.glob("*.json") if _is_id(path.stem))
        return {base.note.id: base for base in found if base is not None and base.note.id is not None}

    def base(self, memory_id: UUID) -> Base | None:
        """What is remembered about one memory."""
        try:
            return Base.model_validate_json((self.bases / f"{memory_id}.json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def scan(self, bases: dict[UUID, Base]) -> Iterator[Found]:
        """Every note in the folder. Only files that are not as we wrote them are parsed."""
        by_name = {base.name: base for base in bases.values()}
        for path in sorted(self.root.glob("*.md")):
            if path.name.startswith(".") or not path.is_file():
                continue
            try:
                yield self._look(path.name, by_name.get(path.name), bases)
            except InvalidInput as error:
                yield Found(path.name, problem=str(error))

    def _look(self, name: str, known: Base | None, bases: dict[UUID, Base]) -> Found:
        data = resolve_inside(self.root, name).read_bytes()
        if known is not None and _hash(data) in known.written:
            return Found(name, known.note.id, behind=_hash(data) != known.written[0])
        note = read_note(data)
        memory_id = note.id or (known.note.id if known else None)
        base = bases.get(memory_id) if memory_id else None
        edited = base is None or (_hash(data) not in base.written and digest(note) != digest(base.note))
        return Found(name, memory_id, note, edited)

    def read(self, name: str) -> Note:
        """One note; raises `InvalidInput` for a link that leads out or a file that is no text."""
        return read_note(resolve_inside(self.root, name))

    def put(self, note: Note, *, name: str | None = None, over_edits: bool = False) -> str | None:
        """Write a memory's note and remember it; answers its name.

        Answers `None`, and writes nothing, when a person has edited the file since: the next sync merges it.
        A new file is written before it is remembered and an old one after, so that a crash between never
        looks like a deletion or an edit by hand. `flush` afterwards. Raises `OSError`.
        """
        assert note.id is not None
        base = self.base(note.id)
        name = name or (base.name if base and (self.root / base.name).exists() else self._new_name(note))
        path = resolve_inside(self.root, name)
        if not path.exists():
            data = write_note(note)
            write_atomic(path, data, flush="data")
            self._remember(Base(name=name, note=note, written=[_hash(data)]))
            return name
        before = path.read_bytes()
        written = base.written if base else []
        untouched = _hash(before) in written or (base and digest(read_note(before)) == digest(base.note))
        if not untouched and not over_edits and digest(read_note(before)) != digest(note):
            return None
        data = rewrite_note(before, note)
        self._remember(Base(name=name, note=note, written=[_hash(data), *written][:_KEPT_HASHES]))
        if data != before:
            write_atomic(path, data, flush="data")
        return name

    def flush(self) -> None:
        """Make the names of the files survive a power cut; their words do already."""
        sync_folder(self.root)

    def note_down(self, note: Note, name: str) -> None:
        """Remember that file and database agree, as they are."""
        data = resolve_inside(self.root, name).read_bytes()
        self._remember(Base(name=name, note=note, written=[_hash(data)]))

    def remove(self, memory_id: UUID, name: str | None = None) -> bool:
        """Remove a memory's file and every copy of its words; answers whether there was a file."""
        base = self.base(memory_id)
        name = name or (base.name if base else None)
        path = resolve_inside(self.root, name) if name else None
        existed = path is not None and path.exists()
        if path is not None:
            path.unlink(missing_ok=True)
            sync_folder(self.root)
        for copy in self.conflicts.glob(f"{memory_id}-*.md"):
            copy.unlink()
        (self.bases / f"{memory_id}.json").unlink(missing_ok=True)
        return existed

    def set_aside(self, memory_id: UUID, loser: Note) -> str:
        """Keep a version that was overruled; answers where."""
        data = write_note(loser)
        path = self.conflicts / f"{memory_id}-{_hash(data)[:12]}.md"
        write_atomic(path, data)
        return path.relative_to(self.root).as_posix()

    def _remember(self, base: Base) -> None:
        # A record that a power cut damages reads as none, and is made again when the sides agree.
        write_atomic(self.bases / f"{base.note.id}.json", base.model_dump_json().encode(), flush="none")

    def find(self, memory_id: UUID) -> str | None:
        """The file of a memory, even one that a crash kept us from remembering; looks at every name."""
        base = self.base(memory_id)
        if base is not None and (self.root / base.name).exists():
            return base.name
        names = sorted(path.name for path in self.root.glob(f"*{memory_id.hex[-ID_DIGITS:]}.md"))
        return next((name for name in names if self._holds(name, memory_id)), None)

    def _new_name(self, note: Note) -> str:
        assert note.id is not None
        name = file_name(note)
        taken = (self.root / name).exists() or (self.root / name).is_symlink()
        # A crash between the file and its record leaves exactly this: the file is the memory's own.
        if taken and not self._holds(name, note.id):
            name = f"{name.removesuffix('.md')}-{note.id}.md"
        return name

    def _holds(self, name: str, memory_id: UUID) -> bool:
        try:
            return self.read(name).id == memory_id
        except InvalidInput:
            return False


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
