"""Markdown files and vaults: one file is one thought.

Front matter gives the fields, `#tags` in the text join the tags, `[[links]]` stay in the words and are listed
in `metadata.links`. The title is the front matter's, else the first heading, else the file's name. The date
is the front matter's, else one in the file's name (daily notes), else the file's last change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pgcortex.notes import Note, UnreadableFile, json_safe, read_note

from ._items import Problem, Result, make_item
from ._values import date_of

_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_TAG = re.compile(r"(?<![\w#/&\]\[(])#([^\W\d_][\w/-]*)")
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)")


def read_markdown(path: Path, name: str) -> Iterator[Result]:
    """Yield the file's one thought, or the reason why there is none."""
    try:
        note = read_note(path)
    except UnreadableFile as error:
        yield Problem(name, f"not readable as text: {error}")
        return
    yield make_item(name, _fields(note, path, name))


def _fields(note: Note, path: Path, name: str) -> dict[str, Any]:
    fields = {
        key: value
        for key in Note.model_fields
        if key in note.model_fields_set and (value := getattr(note, key)) is not None
    }
    if note.id is not None:  # one of ours: what is there is all there is
        fields.pop("extra", None)
        return fields
    prose = _CODE.sub(" ", note.content)
    heading = _HEADING.search(prose)
    links = list(dict.fromkeys(link.strip() for link in _LINK.findall(prose)))
    tags = [tag.lstrip("#") for tag in note.tags] + _TAG.findall(prose)
    known = {"path": name, "links": links, "front_matter": json_safe(note.extra)}
    fields["title"] = note.title or (heading[1] if heading else path.stem)
    fields["occurred_at"] = note.occurred_at or date_of(path)
    fields["tags"] = list(dict.fromkeys(tags))
    fields["metadata"] = {**{key: value for key, value in known.items() if value}, **note.metadata}
    fields.pop("extra", None)
    return fields
