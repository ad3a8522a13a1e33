"""A folder of notes, one a memory, in the format of the markdown twin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pgcortex._errors import InvalidInput
from pgcortex.notes import (
    ID_DIGITS,
    Note,
    file_name,
    resolve_inside,
    rewrite_note,
    sync_folder,
    write_atomic,
    write_note,
)


@dataclass(slots=True)
class Exported:
    """How many notes were written or were there already, and which could not be written and why."""

    written: int = 0
    unchanged: int = 0
    problems: list[str] = field(default_factory=list)


def export_markdown(records: Iterable[Note], folder: Path) -> Exported:
    """Write each memory to its own file in `folder`, which is made if it is not there.

    The same export again writes only what has changed, in the file that has the memory's id already, and
    keeps front matter that others have added. One note that cannot be written does not stop the rest. Raises
    `OSError` when the folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    result = Exported()
    known = {path.stem[-ID_DIGITS:]: path.name for path in folder.glob("*.md")}
    for record in records:
        digits = record.id.hex[-ID_DIGITS:] if record.id else ""
        name = known.get(digits) or file_name(record)
        try:
            changed = _write(record, resolve_inside(folder, name))
        except (OSError, InvalidInput) as error:
            result.problems.append(f"{name}: {error}")
            continue
        result.written += changed
        result.unchanged += not changed
    sync_folder(folder)
    return result


def _write(record: Note, path: Path) -> bool:
    before = path.read_bytes() if path.exists() else None
    data = write_note(record) if before is None else rewrite_note(before, record)
    if data == before:
        return False
    write_atomic(path, data, flush="data")
    return True
