"""JSON Lines: one memory a line, every field by its own name, read back by `pgcortex.importers` as it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from pgcortex.notes import Note


def export_jsonl(records: Iterable[Note], out: IO[str]) -> int:
    """Write memories as they come, in constant memory; answers how many.

    Fields without a value are left out. Line ends inside the words are escaped, so a line is always whole.
    """
    count = 0
    for record in records:
        out.write(record.model_dump_json(exclude_defaults=True, exclude={"origin"}))
        out.write("\n")
        count += 1
    return count
