"""Memories from where people already have them, one item at a time, with every problem named.

`walk(paths)` finds the files, `detect(path)` says whose format each is, and a reader yields its thoughts. A
reader never stops for one bad item: it yields a `Problem` and goes on. Nothing is remembered between runs,
because the database keeps one memory per text: importing the same folder twice stores nothing new.
"""

from __future__ import annotations

from ._detect import FORMATS, detect
from ._items import Importer, ImportItem, Problem, Result
from ._walk import find_files, format_of, read_file, walk

__all__ = [
    "FORMATS",
    "ImportItem",
    "Importer",
    "Problem",
    "Result",
    "detect",
    "find_files",
    "format_of",
    "read_file",
    "walk",
]
