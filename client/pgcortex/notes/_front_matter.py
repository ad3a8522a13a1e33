"""The YAML block at the top of a note: found, read field by field, and written by a real serializer."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any
from uuid import UUID

import yaml
from pydantic import ValidationError

from ._model import (
    CHOICE_FIELDS,
    FRONT_MATTER_ORDER,
    ID_FIELDS,
    LIST_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    Note,
    utc,
)

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)(?:(?<=\n)|\A)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_BREAKS = re.compile("[\n\r\x85\u2028\u2029]")
_PLAIN_LINE = re.compile(r"^([A-Za-z_][\w-]*):[ \t]+(.+?)[ \t]*$", re.MULTILINE)

_DEEPEST = 64
"""Levels of lists and mappings that are read; code after this recurses, and nobody writes more by hand."""

_ALSO_KNOWN_AS = {
    "type": "thought_type",
    "date": "occurred_at",
    "created": "occurred_at",
    "due": "due_at",
    "tag": "tags",
    "topic": "topics",
    "person": "people",
    "session": "session_id",
}
"""Keys that other tools use for the same thing; ours wins when a file has both."""


# The parser in C refuses deep nesting at once, where the one in Python takes seconds for a few kilobytes.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Dumper(yaml.SafeDumper):
    """Quotes every string that holds a line break with double quotes, where breaks are written as escapes.

    Between single quotes YAML folds U+0085 and its like into a plain line end, and a text would change.
    """


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = '"' if _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def split(text: str) -> tuple[str | None, str]:
    """Separate the front matter from the body; `None` when the text does not begin with a block."""
    found = _BLOCK.match(text)
    return (found[1], text[found.end() :]) if found else (None, text)


def parse(block: str) -> tuple[dict[str, Any], dict[str, Any], list[str]] | None:
    """Read a block into our fields, foreign keys and warnings; `None` when it is text between two rules.

    Scalars of our fields are taken as they are written, so that `title: no` and `title: 2026-06-03` stay
    words. A value that does not fit its field is kept as a foreign key, with a warning.
    """
    try:
        # Anchors can make a few bytes expand to gigabytes, and no front matter needs them.
        if "*" in block and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(block, _Loader)):
            raise yaml.YAMLError("aliases are not accepted")
        loader = _Loader(block)
        try:
            root = loader.get_single_node()
            if root is None:
                return {}, {}, []
            if not isinstance(root, yaml.MappingNode):
                return None
            if _is_deeper_than(_DEEPEST, root):
                raise yaml.YAMLError("nested too deeply")
            pairs = [(_key(node), _value(loader, _key(node), value)) for node, value in root.value]
        finally:
            loader.dispose()
    except (yaml.YAMLError, RecursionError) as error:
        return _salvage(block, error)
    return _sort_out(pairs)


def dump(note: Note) -> str:
    """The block's lines for a note: our keys in a fixed order, then the foreign ones as they came."""
    ours = {key: _plain(getattr(note, key)) for key in FRONT_MATTER_ORDER}
    known = {key: value for key, value in ours.items() if value not in (None, [], {}) and value is not False}
    foreign = {key: value for key, value in note.extra.items() if key not in known}
    everything = {**known, **foreign}
    if not everything:
        return ""
    return yaml.dump(everything, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10_000)


def _is_deeper_than(limit: int, root: yaml.Node) -> bool:
    level: list[yaml.Node] = [root]
    for _ in range(limit):
        below: list[yaml.Node] = []
        for node in level:
            if isinstance(node, yaml.MappingNode):
                below += [part for pair in node.value for part in pair]
            elif isinstance(node, yaml.SequenceNode):
                below += node.value
        level = below
    return bool(level)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


def _key(node: yaml.Node) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else "unnamed"


def _value(loader: yaml.SafeLoader, key: str, node: yaml.Node) -> Any:
    field = _ALSO_KNOWN_AS.get(key, key)
    if isinstance(node, yaml.ScalarNode) and field in FRONT_MATTER_ORDER and field != "metadata":
        return None if node.tag == "tag:yaml.org,2002:null" else node.value
    if isinstance(node, yaml.SequenceNode) and field in LIST_FIELDS:
        return [str(item.value) for item in node.value if isinstance(item, yaml.ScalarNode) and item.value]
    try:
        return loader.construct_document(node)
    except ValueError:  # 2026-13-45 looks like a date to YAML and is none
        return str(node.value)


def _salvage(block: str, error: Exception) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """From a broken block take the lines that are plainly `key: words`; the body is never at stake."""
    where = getattr(error, "problem_mark", None)
    line = f" (line {where.line + 2})" if where else ""
    fields, extra, warnings = _sort_out(
        [(key, value.strip("'\"[]")) for key, value in _PLAIN_LINE.findall(block)]
    )
    return fields, extra, [f"front matter is not valid YAML{line}; read what could be read", *warnings]


def _sort_out(pairs: list[tuple[str, Any]]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    warnings: list[str] = []
    written = {key for key, _ in pairs}
    for key, value in pairs:
        field = _ALSO_KNOWN_AS.get(key, key)
        if field not in FRONT_MATTER_ORDER or (field != key and (field in written or field in fields)):
            extra[key] = value
            continue
        if value in (None, "") or (value == [] and field not in LIST_FIELDS):
            continue
        try:
            fields[field] = _fit(field, value)
        except (ValueError, TypeError):
            extra[key] = value
            warnings.append(f"{key}: {str(value)[:60]!r} is not a {field}; left as it is")
    return fields, extra, warnings


def _fit(field: str, value: Any) -> Any:
    """Convert one front matter value to the field's type, or raise `ValueError`."""
    if field in LIST_FIELDS:
        return (
            value
            if isinstance(value, list)
            else [part.strip() for part in str(value).split(",") if part.strip()]
        )
    if field == "metadata":
        if not isinstance(value, dict):
            raise TypeError(field)
        return json_safe(value)
    if isinstance(value, (list, dict)):
        raise TypeError(field)
    if field in ID_FIELDS:
        return UUID(str(value))
    if field == "pinned":
        return yaml.safe_load(str(value)) is True
    if field in TIME_FIELDS:
        return utc(parse_time(str(value)))
    if field in NUMBER_FIELDS:
        value = float(value)
    if field in CHOICE_FIELDS or field in NUMBER_FIELDS:
        try:
            return getattr(Note.model_validate({"content": "", field: value}), field)
        except ValidationError as error:
            raise ValueError(field) from error
    assert field in TEXT_FIELDS
    return str(value)


def parse_time(text: str) -> datetime:
    """Read an ISO 8601 date or time as written by people and tools; raises `ValueError`."""
    return datetime.fromisoformat(text.strip().replace("/", "-"))


def json_safe(value: Any) -> Any:
    """The same structure with only what JSON has: YAML also knows dates, sets, bytes and NaN."""
    if isinstance(value, dict):
        return {str(key): json_safe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [json_safe(item) for item in value]
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
