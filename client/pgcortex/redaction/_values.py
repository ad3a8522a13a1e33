"""Secrets known by what the text calls them: "password is …", "api_key=…", `{"client_secret": "…"}`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from ._spans import Span, is_masked
from ._tokens import is_placeholder

_PHRASES = (
    r"pass(?:word|wd|code|phrase|wort)|pwd|kennwort|contraseña|contrasena|mot de passe|(?<![a-z])(?:pass|pw)"
)
_KEYS = (
    r"(?:api|access|auth|private|secret|service|account|client|encryption|signing|master|license|db|deploy|app)"
    r"[ _-]?key(?:[ _-]?id)?|client[ _-]?secret|secret[ _-]?access[ _-]?key|service[ _-]?role[ _-]?key"
)
_OTHERS = r"(?:token|secret|credential)s?"
_NAME = rf"(?P<password>{_PHRASES})|(?P<key>{_KEYS})|(?P<token>{_OTHERS})"
_NAME_ALONE = re.compile(rf"[\w-]*?(?:{_NAME})", re.IGNORECASE)
_NOT_SECRET_NAME = re.compile(
    r"(?:max|min|num|total|next|page|prompt|completion|input|output|cursor|continuation|csrf|public|token_type)[_-]?"
    r"(?:token|key|secret)s?|\w*(?:tokens|_count|_id|_name|_policy|_hint|_length)",
    re.IGNORECASE,
)

# password = value, "password": "value", PASSWORD=value; `value` ends at a space, quote, comma or semicolon.
_ASSIGNED = re.compile(
    rf"(?:{_NAME})[\"'`]?\s{{0,3}}(?P<sign>:=|=>|=|:)\s{{0,3}}"
    r"(?:\"(?P<double>[^\"\n]{1,200})\"|'(?P<single>[^'\n]{1,200})'|`(?P<tick>[^`\n]{1,200})`|(?P<bare>[^\s\"'`,;]{1,400}))",
    re.IGNORECASE,
)
# "the db password is value", "password for staging was value", "pw value"
_SAID = re.compile(
    rf"(?:{_NAME})(?P<link>\s+(?:for|of|to|on|at)(?:\s+[\w.-]{{1,30}}){{1,3}}?)?(?P<verb>\s+(?:is|was|ist|es|to|now|still|changed|set|reset))"
    r"{0,3}\s+(?:\"(?P<double>[^\"\n]{1,200})\"|'(?P<single>[^'\n]{1,200})'|`(?P<tick>[^`\n]{1,200})`"
    r"|(?P<bare>[^\s\"'`,;]{1,400}))",
    re.IGNORECASE,
)
_PIN = re.compile(
    r"\b(?:pin|(?:door|gate|alarm|safe|access|entry) code)(?:\s+(?:is|was|for \w+ is)|:|=)\s*"
    r"(?P<bare>\d{4,8}#?)(?![\w#])",
    re.I,
)
# The shape of AWS' secret keys, after a word that calls it one; they may hold a single digit.
_FORTY = re.compile(
    r"(?:(?P<key>key)|secret|token)s?[\"'`]?"
    r"(?:\s{1,3}(?:for|of|to|on|at)(?:\s{1,3}[\w.-]{1,30}){1,3}?)?(?:\s{1,3}(?:is|was|ist|es|now))?"
    r"\s{0,3}[:=]?\s{0,3}[\"'`]?(?P<bare>[A-Za-z0-9+/]{40})(?![\w+/=])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]?[a-z]{3,}")
_QUOTED = ("double", "single", "tick")
_ENDS = ".!?)]}>:"
_UNITS = re.compile(
    r"\s*(?:char|bit|byte|day|week|month|hour|minute|second|time|year|user|digit|letter|word|%|tokens?\b)",
    re.I,
)
# Words with digits that are no password.
_TERMS = re.compile(
    r"(?:1password|2fa|mfa|sha-?\d+|md5|pbkdf2|argon2\w*|bcrypt\w*|scrypt|base64|utf-?8|oauth2?|ed25519|rs256|hs256|aes-?\d+"
    r"|v?\d+(?:\.\d+)*|p\d\d|q[1-4]|\d+(?:st|nd|rd|th)|\d{1,4}-\d\d-\d\d.*|\d+:\d\d.*|\d[\d,.]*[a-z]{1,3})",
    re.I,
)
# What follows "password is" or "secret:" in a sentence about one.
_DESCRIPTIVE = re.compile(
    r"(?:"
    r"a|an|the|in|on|at|to|of|for|from|with|by|as|is|are|was|be|been|not|no|none|null|nil|true|false|yes"
    r"|empty|missing|unknown|required|optional|strict|strong|weak|short|long|reset|expired|changed"
    r"|rotated|hashed|encrypted|hidden|secret|same|different|wrong|invalid|valid|correct|incorrect|stored"
    r"|kept|saved|shared|sent|here|there|see|tbd|todo|unset|default|set|given|needed|managed|protected"
    r"|leaked|compromised|new|old|based|only|never|always|still|now|too|very|str|string|text|int|bool"
    r"|bytes|varchar|any|optional\[str\]|field|prompt|manager|policy|policies|and|or|if|when|which|that"
    r"|this|our|your|my|their|his|her"
    r")",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


def value_spans(text: str) -> Iterator[Span]:
    """Every value the text itself calls a password, key or token."""
    for match in _ASSIGNED.finditer(text):
        yield from _span(text, match, assigned=True)
    for match in _SAID.finditer(text):
        yield from _span(text, match, assigned=False)
    for match in _FORTY.finditer(text):
        if _scrambled(match.group("bare")):
            yield Span(*match.span("bare"), "api_key" if match.group("key") else "secret", 4)
    for match in _PIN.finditer(text):
        if not _UNITS.match(text, match.end()):
            yield Span(*match.span("bare"), "pin", 4)


def names_a_secret(name: str) -> str | None:
    """The kind of secret a field of this name holds, or None."""
    match = _NAME_ALONE.fullmatch(name.strip())
    return _kind(match) if match and not _NOT_SECRET_NAME.fullmatch(name.strip()) else None


def _kind(match: re.Match[str]) -> str:
    if match.group("password"):
        return "password"
    return "api_key" if match.group("key") else "secret"


def _span(text: str, match: re.Match[str], *, assigned: bool) -> Iterator[Span]:
    group = next((g for g in _QUOTED if match.group(g)), "bare")
    start, end = match.span(group)
    if group == "bare":
        end = _trimmed(text, start, end)
    value = text[start:end]
    if not value or is_masked(value) or is_placeholder(value) or _DESCRIPTIVE.fullmatch(value):
        return
    kind = _kind(match)
    strict = kind != "password"
    if assigned:
        good = _looks_assigned(text, match, value, strict=strict, quoted=group != "bare")
    else:
        good = _looks_said(text, match, value, end, strict=strict, quoted=group != "bare")
    if good:
        yield Span(start, end, kind, 4 if strict else 3)


def _trimmed(text: str, start: int, end: int) -> int:
    """Without the punctuation of the sentence; a closing bracket stays when it was opened in the value."""
    while end > start and text[end - 1] in _ENDS:
        if (
            text[end - 1] in "!?"
            and end - start > 1
            and text[end - 2].isalnum()
            and not text[end:].strip(" \n")
        ):
            break  # "password is hunter2!": the mark may belong to it, so it goes too
        end -= 1
    return end


def _looks_assigned(text: str, match: re.Match[str], value: str, *, strict: bool, quoted: bool) -> bool:
    """Whether what follows "=" or ":" is a secret rather than code, a type or the start of a sentence."""
    if not quoted and re.search(r"[({]", value):
        return False  # a call: password=getpass()
    if strict:
        key_like = _random(value) or _UUID.fullmatch(value) is not None
        return len(value) >= 8 and key_like and not _NOT_SECRET_NAME.fullmatch(_name_around(text, match))
    if _TERMS.fullmatch(value) or "://" in value:
        return False
    if quoted or match.group("sign") != ":":
        return len(value) >= 3 and not re.fullmatch(r"[a-z_]+\.[a-z_.]+|self|os", value)
    return _strong(value) or (len(value) >= 5 and _ends_line(text, match.end()))


def _name_around(text: str, match: re.Match[str]) -> str:
    """The whole identifier before the sign: "max_tokens" where "tokens" matched."""
    before = text[max(match.start() - 40, 0) : match.start("sign")].rstrip(" \"'`")
    found = re.search(r"[\w-]+$", before)
    return found.group() if found else ""


def _ends_line(text: str, position: int) -> bool:
    rest = text[position : position + 3]
    return not rest.strip(" .,;)\t") or rest.lstrip(" .,;)\t").startswith("\n") or rest[:1] == "\n"


def _looks_said(text: str, match: re.Match[str], value: str, end: int, *, strict: bool, quoted: bool) -> bool:
    if (
        _UNITS.match(text, end)
        or _TERMS.fullmatch(value)
        or "://" in value
        or re.match(r"[~/.\\]|[A-Za-z]:\\", value)
    ):
        return False
    said = match.group("verb") is not None
    if strict:
        return (said or quoted or _entropy(value) > 3.2) and len(value) >= 12 and _random(value)
    if quoted:
        return said and len(value) >= 3
    if value.isdigit():
        return said and len(value) >= 6
    return _strong(value) if said else _strong(value) and len(value) >= 7


def _strong(value: str) -> bool:
    """Mixed as a password is: letters with digits or symbols, five characters or more, no plain compound."""
    if len(value) < 5 or _TERMS.fullmatch(value) or re.fullmatch(r"[A-Za-z]+(?:[-/'’.&+_][A-Za-z]+)*", value):
        return False
    has_letter = any(c.isalpha() for c in value)
    has_digit = any(c.isdigit() for c in value)
    has_symbol = any(c in "!@#$%^&*?~+=_-" for c in value)
    return (has_letter and (has_digit or has_symbol)) or (has_digit and has_symbol and len(value) >= 8)


def _random(value: str) -> bool:
    """A key rather than a word, a number or a path: letters and digits mixed, no dictionary-like parts."""
    if not re.fullmatch(r"[\w+/=.:~!@#$%^&*-]+", value) or "://" in value or value[0] in "/.~":
        return False
    letters, digits = sum(c.isalpha() for c in value), sum(c.isdigit() for c in value)
    if (
        letters < 3
        or digits < 2
        or re.fullmatch(r"[a-z]+(?:[-_./][a-z]+)*[-_.]?\d{1,4}", value, re.IGNORECASE)
    ):
        return False
    return _entropy(value) >= 2.8


def _scrambled(value: str) -> bool:
    """Whether letters of both cases and digits are mixed as in base64: no hash, no words of a name."""
    mixed = all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", r"\d"))
    return mixed and _entropy(value) >= 4 and len(_WORD.sub("", value)) > len(value) / 2


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
