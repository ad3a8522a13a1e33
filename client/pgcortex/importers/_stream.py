"""JSON that may be larger than memory: the elements of an array, or the lines of a file, one by one."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_CHUNK = 1 << 16
_BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Element:
    """A decoded value and its place, or the reason why it is none."""

    place: str
    value: Any = None
    error: str | None = None


@contextmanager
def open_text(path: Path, member: str | None = None) -> Iterator[IO[str]]:
    """Open a file, or a member of a ZIP archive, as UTF-8 text with or without a byte order mark."""
    if member is None:
        with path.open("rb") as file:
            yield _text(file)
    else:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            yield _text(file)


def _text(file: IO[bytes]) -> IO[str]:
    # A bad byte becomes a lone surrogate, which `make_item` finds, so that it costs one row and not the file.
    return io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="\n")


def lines(file: IO[str]) -> Iterator[Element]:
    """One JSON value a line; blank lines are passed over."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            yield Element(place, json.loads(line))
        except (ValueError, RecursionError) as error:
            yield Element(place, error=f"not JSON: {error}")


def elements(file: IO[str]) -> Iterator[Element]:
    """The elements of the file's array, or its values one after another; one in memory at a time.

    A syntax error is the last element, because nothing after it can be told apart.
    """
    buffer = _Buffer(file)
    listed = buffer.peek() == "["
    if listed:
        buffer.drop(1)
    number = 0
    while (first := buffer.peek()) not in ("]", ""):
        if first == "," and listed:
            buffer.drop(1)
            continue
        number += 1
        element = buffer.value(f"item {number}")
        yield element
        if element.error:
            return
    if first == "" and listed:
        yield Element(f"item {number + 1}", error="the file ends in the middle of the list")


class _Buffer:
    """The part of the file that has been read and not yet used."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._text = ""
        self._size = _CHUNK
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            self._text = self._text.lstrip(_BLANK)
            if self._text or not self._more():
                return self._text[:1]

    def drop(self, count: int) -> None:
        self._text = self._text[count:]

    def value(self, place: str) -> Element:
        """Decode the next value, reading on while it is incomplete; each read is twice the last."""
        self._size = _CHUNK
        while True:
            try:
                found, end = self._decoder.raw_decode(self._text)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    return Element(place, error=f"not JSON: {error}")
                continue
            # A number at the edge of what was read may go on: 12 | 34
            if end == len(self._text) and self._more():
                continue
            self.drop(end)
            return Element(place, found)

    def _more(self) -> bool:
        part = self._file.read(self._size)
        self._text += part
        self._size *= 2
        return bool(part)


def json_values(path: Path, file: IO[str]) -> Iterator[Element]:
    """The values of an open file: its lines where its ending says so, unless it is an array all the same."""
    if path.suffix.lower() in (".jsonl", ".ndjson") and not is_array(file):
        return lines(file)
    return elements(file)


def is_array(file: IO[str]) -> bool:
    """Whether the file's JSON is one array; the file is back at its start afterwards."""
    answer = _Buffer(file).peek() == "["
    file.seek(0)
    return answer
