"""When a task is due. Common phrases are resolved here; dateparser reads the rest, on a few words at a time.

A day without a time means the end of that day where `now` was said. Weekdays and days without a year are the
next to come; "next Friday" is the Friday of next week. A week ends on Friday.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

_DAYS = {name: i for i, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBERS = dict(
    zip(
        ["a", "an", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
        (1, 1, *range(1, 11)),
        strict=True,
    )
)
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_NTH = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})"
_TIME = r"(?:\d{1,2}:\d\d(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?|noon|midnight)"

_DATE = re.compile(
    rf"""\b(?:
      (?P<iso>\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?)
    | (?P<day>today|tonight|tomorrow|day\ after\ tomorrow|eod|cob|end\ of\ (?:the\ |this\ )?day
        | this\ (?:afternoon|evening))
    | (?P<end>(?:the\ )?end\ of\ (?:(?:the|this)\ )?(?P<ahead>next\ )?
        (?P<period>week|month|quarter|year|{_MONTH}\b) | eow | eom | eoq | eoy)
    | (?:with)?in\ (?P<count>\d{{1,3}}|{"|".join(_NUMBERS)})\ (?P<unit>hour|day|week|month)s?
    | (?P<next>next|this|the\ coming)\ (?P<span>week|month|quarter|year)
    | (?:(?P<skip>next|this|on|coming)\ )?(?P<weekday>{_DAY})
    | (?:(?<=by\ )|(?<=before\ )|(?<=until\ )|(?<=on\ ))the\ (?P<nth>{_NTH})(?!\w|\ of\b|\ [a-z]{{3,}})
    | (?P<explicit>(?:the\ )?(?:{_NTH}|\d{{1,2}})\ (?:of\ )?{_MONTH}(?:,?\ \d{{4}})?
        | {_MONTH}\.?\ \d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\ \d{{4}})?
        | \d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}})
    )\b(?:,?\ (?:at\ |by\ )?(?P<time>{_TIME}))?""",
    re.IGNORECASE | re.VERBOSE,
)
_TIME_BEFORE = re.compile(rf"\b(?P<time>{_TIME})\ (?:on\ )?$", re.IGNORECASE)
_HINT = re.compile(
    r"\b(?:first|second|third|[a-z]+th)\b|"
    r"\d|day\b|week|month|quarter|year|ton?night|tomorrow|eo[dwmqy]|cob|noon|afternoon|evening|"
    rf"\b(?:{_DAY}|in (?:{'|'.join(_NUMBERS)}))\b|{_MONTH}",
    re.IGNORECASE,
)
_DEADLINE = re.compile(
    r"\b(?:due|deadline|no later than|(?:needed|expected|required|ready|done|finished|submitted|delivered"
    r"|completed|sent|signed|paid|answered|filed)(?: \w+)? (?:by|before|until|on))\b[^.!?\n]{0,40}$",
    re.IGNORECASE,
)
# Words that bring a deadline in other languages; what follows goes to dateparser whole.
_FOREIGN = {
    "de": r"\b(?:bis(?: zum)?|am)\b",
    "es": r"\b(?:antes del?|para el|hasta el|el)\b",
    "fr": r"\b(?:avant le|avant|d'ici|pour le|le)\b",
    "it": r"\b(?:entro il|entro|per il)\b",
    "nl": r"\b(?:uiterlijk|voor|op)\b",
    "pt": r"\b(?:até o|até|antes de)\b",
}


def due_at(
    actions: Iterable[str], text: str, *, now: datetime, languages: Sequence[str] | None = None
) -> datetime | None:
    """The first date in an action, else the first date the text calls a deadline; UTC, never before today."""
    for action in actions:
        if moment := next(_dates(action, now), None):
            return moment
    if moment := next(_deadlines(text, now), None):
        return moment
    return _foreign(text, now, languages or ())


def mentions_date(text: str) -> bool:
    """Whether `text` names a day or a date."""
    return bool(_HINT.search(text) and _DATE.search(text))


def date_words(text: str) -> Iterator[tuple[int, int]]:
    """Where dates stand in `text`, as (start, end)."""
    if _HINT.search(text):
        for match in _DATE.finditer(text):
            yield match.span()


def _dates(text: str, now: datetime) -> Iterator[datetime]:
    if _HINT.search(text):
        for match in _DATE.finditer(text):
            if moment := _resolve(match, now):
                yield moment


def _deadlines(text: str, now: datetime) -> Iterator[datetime]:
    if _HINT.search(text):
        for match in _DATE.finditer(text):
            if _DEADLINE.search(text[max(match.start() - 80, 0) : match.start()]) and (
                moment := _resolve(match, now)
            ):
                yield moment


def _resolve(match: re.Match[str], now: datetime) -> datetime | None:
    try:
        moment = _moment(match, now)
        return moment.astimezone(UTC) if moment and moment >= _start_of(now.date(), now) else None
    except (ValueError, OverflowError):  # 2026-02-31, or a day past the end of the calendar
        return None


def _moment(match: re.Match[str], now: datetime) -> datetime | None:
    found = match.groupdict()
    earlier = _TIME_BEFORE.search(match.string[max(match.start() - 20, 0) : match.start()])
    at = _clock(found["time"] or (earlier and earlier.group("time")))
    if found["iso"]:
        return _iso(found["iso"], at, now)
    if found["unit"] == "hour":
        return now + timedelta(hours=_number(found["count"]))
    if found["nth"]:
        day: date | None = _nth_day(_ordinal(found["nth"].lower()), now.date())
    elif found["explicit"]:
        day = _parse_date(_with_digits(found["explicit"].lower()), now.date(), ("en",))
    else:
        day = _day(found, match.group().lower(), now.date())
    return None if day is None else _on(day, at, now)


def _day(found: dict[str, str | None], phrase: str, today: date) -> date | None:
    if found["day"]:
        ahead = 2 if "after" in phrase else 1 if "tomorrow" in phrase else 0
        return today + timedelta(days=ahead)
    if found["end"]:
        period = (
            found["period"] or {"w": "week", "m": "month", "q": "quarter", "y": "year"}[phrase[2]]
        ).lower()
        return _end_of(period, 1 if found["ahead"] else 0, today)
    if found["count"]:
        count = _number(found["count"])
        return (
            _add_months(today, count)
            if found["unit"] == "month"
            else today + timedelta(days=count * (7 if found["unit"] == "week" else 1))
        )
    if found["span"]:
        return _end_of(found["span"].lower(), 0 if (found["next"] or "").lower() == "this" else 1, today)
    if found["weekday"]:
        days = (_DAYS[found["weekday"][:3].lower()] - today.weekday()) % 7
        if (found["skip"] or "").lower() == "next":
            return (
                today
                - timedelta(days=today.weekday())
                + timedelta(days=7 + _DAYS[found["weekday"][:3].lower()])
            )
        return today + timedelta(days=days or 7)
    return None


def _end_of(period: str, ahead: int, today: date) -> date:
    if period == "week":
        return today + timedelta(days=(4 - today.weekday() if today.weekday() <= 4 else 0) + 7 * ahead)
    if period == "year":
        return date(today.year + ahead, 12, 31)
    if period == "quarter":
        return _last_day(_add_months(today.replace(day=1), 2 - (today.month - 1) % 3 + 3 * ahead))
    if period == "month":
        return _last_day(_add_months(today.replace(day=1), ahead))
    month = list(calendar.month_abbr).index(period[:3].capitalize())
    return _last_day(date(today.year + (month < today.month), month, 1))


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _last_day(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _ordinal(word: str) -> int:
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word[:-2])


def _with_digits(phrase: str) -> str:
    return re.sub("|".join(_ORDINALS), lambda m: str(_ordinal(m.group())), phrase)


def _nth_day(number: int, today: date) -> date:
    """The next day with this number in a month that has it."""
    months = (_add_months(today.replace(day=1), ahead) for ahead in range(3))
    days = (m.replace(day=number) for m in months if number <= _last_day(m).day)
    return next(day for day in days if day >= today)


def _number(word: str | None) -> int:
    word = (word or "0").lower()
    return _NUMBERS[word] if word in _NUMBERS else int(word)


def _iso(text: str, at: time | None, now: datetime) -> datetime:
    moment = datetime.fromisoformat(text.upper().replace(" ", "T"))
    if len(text) == 10:
        return _on(moment.date(), at, now)
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


def _clock(text: str | None) -> time | None:
    if not text:
        return None
    words = text.lower().replace(".", "").replace(" ", "")
    if words in ("noon", "midnight"):
        return time(12) if words == "noon" else time(23, 59, 59)
    hour, _, minute = words.rstrip("apm").partition(":")
    number = int(hour)
    if words.endswith("m"):
        number = number % 12 + (12 if words.endswith("pm") else 0)
    return time(number, int(minute or 0))


def _on(day: date, at: time | None, now: datetime) -> datetime:
    return datetime.combine(day, at or time(23, 59, 59), tzinfo=now.tzinfo)


def _start_of(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(0), tzinfo=now.tzinfo)


def _foreign(text: str, now: datetime, languages: Sequence[str]) -> datetime | None:
    """The date after a deadline word of one of `languages` other than English, if dateparser can read it."""
    for language in (code[:2].lower() for code in languages):
        for match in list(re.finditer(_FOREIGN.get(language, r"(?!)"), text, re.IGNORECASE))[:3]:
            words = re.findall(r"[\w:./-]+", text[match.end() : match.end() + 60])[:3]
            for size in range(len(words), 0, -1):
                phrase = " ".join(words[:size]).rstrip(".:/-").lower()
                if moment := _foreign_date(phrase, now, language):
                    return moment
    return None


def _foreign_date(phrase: str, now: datetime, language: str) -> datetime | None:
    try:
        day = _parse_date(phrase, now.date(), (language,))
        return _on(day, None, now).astimezone(UTC) if day and day >= now.date() else None
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def _parse_date(phrase: str, today: date, languages: tuple[str, ...]) -> date | None:
    """The day `phrase` names; without a year, the next such day from `today` on."""
    if not re.search(r"\w\w|\d", phrase):
        return None
    found = _parser(languages, today).get_date_data(phrase.removeprefix("the ")).date_obj
    if found is None:
        return None
    if not re.search(r"\d{4}|\d[./]\d+[./]\d", phrase) and found.date() < today:
        return None
    return date(found.year, found.month, found.day)


@lru_cache(maxsize=64)
def _parser(languages: tuple[str, ...], today: date) -> DateDataParser:
    from dateparser.date import DateDataParser

    settings: dict[str, Any] = {
        "RELATIVE_BASE": datetime.combine(today, time(0)),
        "PREFER_DATES_FROM": "future",
        "RETURN_AS_TIMEZONE_AWARE": False,
    }
    return DateDataParser(languages=list(languages), settings=settings)
