"""From paths to thoughts: folders in a fixed order, without hidden entries and links that lead out."""

from __future__ import annotations

import csv
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ._detect import detect, reader
from ._items import Problem, Result


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read. `name` is its path below what was asked for, never an absolute one."""

    path: Path
    name: str
    asked_for: bool
    """Named by the caller, so that not knowing its format is worth a message."""


def walk(paths: Iterable[Path]) -> Iterator[Result]:
    """Read every file under `paths` lazily; what cannot be read is a `Problem` in its place."""
    for found in find_files(paths):
        if isinstance(found, Problem):
            yield found
        else:
            yield from read_file(found)


def find_files(paths: Iterable[Path]) -> Iterator[Found | Problem]:
    """List the files in order of name. `.obsidian`, `.git` and other hidden entries are passed over."""
    for path in paths:
        if path.is_dir():
            yield from _below(path)
        elif path.exists():
            yield Found(path, path.name, asked_for=True)
        else:
            yield Problem(path.name or str(path), "no such file or folder")


def _below(root: Path) -> Iterator[Found | Problem]:
    home = root.resolve()
    unreadable: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            path = Path(folder, file)
            name = path.relative_to(root).as_posix()
            if file.startswith("."):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                yield Problem(name, "a link that leads out of the folder")
            elif path.is_file():
                yield Found(path, name, asked_for=False)
    for error in unreadable:
        yield Problem(Path(error.filename or root).name, f"cannot be opened: {error.strerror}")


def format_of(found: Found) -> str | None:
    """The file's format; None for one that holds no memories or that `read_file` will call damaged."""
    try:
        return detect(found.path)
    except (OSError, zipfile.BadZipFile, zlib.error, csv.Error):
        return None


def read_file(found: Found, kind: str | None = None) -> Iterator[Result]:
    """Read one file lazily, in the format `kind` or the one that `detect` sees.

    In a folder a file of another kind (a picture, a script) is passed over without a word, but not a table or
    JSON, where memories may have been meant.
    """
    try:
        kind = kind or detect(found.path)
        if kind is not None:
            yield from reader(found.path, kind)(found.path, found.name)
        elif found.asked_for or found.path.suffix.lower() in (".json", ".csv"):
            yield Problem(found.name, "not a format that holds memories")
    except OSError as error:
        yield Problem(found.name, f"cannot be read: {error.strerror or error}")
    except (zipfile.BadZipFile, zlib.error, csv.Error) as error:
        yield Problem(found.name, f"damaged: {error}")
