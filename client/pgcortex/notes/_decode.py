"""Bytes to text, whatever editor wrote them, or an error that says why not."""

from __future__ import annotations

import codecs

from pgcortex._errors import UnreadableFile

# UTF-32 little endian starts with the UTF-16 mark, so it is asked first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(data: bytes) -> str:
    """The codec that a byte order mark names; UTF-8 without one."""
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), "utf-8")


def decode(data: bytes) -> str:
    """Decode a whole file, byte order mark removed and line ends untouched.

    Raises `UnreadableFile` for bytes that are not valid in that encoding: a guess would be stored as fact.
    """
    codec = encoding_of(data)
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            "file",
            f"byte {error.start} is not valid {codec.upper()}",
            hint="save it as UTF-8 and try again",
        ) from error
