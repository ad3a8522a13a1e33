"""Split an SQL script into its statements, as `supabase db push` does.

Statements keep their comments and inner white space; the closing semicolons and the white space around them
go. Knows quotes and E'' escapes, quoted identifiers, dollar quotes, nested comments, parentheses and BEGIN
ATOMIC bodies.
"""

from __future__ import annotations

import re

_DOLLAR = re.compile(r"\$(?:[^\W\d]\w*)?\$")
_WORD = re.compile(r"[^\W\d][\w$]*")
_NUMBER = re.compile(r"\d[\w.]*")


def split_statements(script: str) -> list[str]:
    """Return the statements of `script` in order; pieces with nothing in them are dropped."""
    statements: list[str] = []
    start = 0
    for semicolon in _separators(script):
        statements.append(script[start:semicolon])
        start = semicolon + 1
    statements.append(script[start:])
    return [text for piece in statements if (text := piece.strip())]


def _separators(script: str) -> list[int]:
    """Positions of the semicolons that end a statement."""
    found: list[int] = []
    position = 0
    parentheses = 0
    blocks = 0  # open BEGIN ATOMIC and, inside one, CASE: both are closed by END
    previous_word = ""
    while position < len(script):
        end = _skip_quoted(script, position)
        if end is not None:
            position = end
            continue
        character = script[position]
        word = _WORD.match(script, position)
        if word:
            text = word.group().upper()
            blocks += _block_change(text, previous_word, blocks)
            previous_word = text
            position = word.end()
            continue
        if number := _NUMBER.match(script, position):
            position = number.end()
            continue
        if character == "(":
            parentheses += 1
        elif character == ")":
            parentheses = max(parentheses - 1, 0)
        elif character == ";" and not parentheses and not blocks:
            found.append(position)
        if not character.isspace():
            previous_word = ""
        position += 1
    return found


def _block_change(word: str, previous_word: str, blocks: int) -> int:
    if word == "ATOMIC" and previous_word == "BEGIN":
        return 1
    if blocks and word == "CASE":
        return 1
    return -1 if blocks and word == "END" else 0


def _skip_quoted(script: str, position: int) -> int | None:
    """Where the quote or comment that opens at `position` ends; None when none opens there."""
    character = script[position]
    if character in "'\"":
        escapes = character == "'" and _is_escape_string(script, position)
        return _end_of_quote(script, position, character, escapes=escapes)
    if script.startswith("--", position):
        newline = script.find("\n", position)
        return len(script) if newline < 0 else newline
    if script.startswith("/*", position):
        return _end_of_comment(script, position)
    if character == "$" and (tag := _DOLLAR.match(script, position)):
        closing = script.find(tag.group(), tag.end())
        return len(script) if closing < 0 else closing + len(tag.group())
    return None


def _is_escape_string(script: str, quote: int) -> bool:
    before = script[max(quote - 2, 0) : quote]
    return before[-1:] in ("e", "E") and not (len(before) == 2 and (before[0].isalnum() or before[0] in "_$"))


def _end_of_quote(script: str, position: int, quote: str, *, escapes: bool) -> int:
    position += 1
    while position < len(script):
        if escapes and script[position] == "\\":
            position += 2
        elif script[position] != quote:
            position += 1
        elif script.startswith(quote, position + 1):
            position += 2
        else:
            return position + 1
    return len(script)


def _end_of_comment(script: str, position: int) -> int:
    depth = 0
    for mark in re.finditer(r"/\*|\*/", script[position:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return position + mark.end()
    return len(script)
