"""A memory's words and everything known about them, independent of where it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pgcortex._types import Category, Source, Store, ThoughtType


def utc(value: datetime) -> datetime:
    """A time without a zone is taken as UTC, so that a file means the same on every machine.

    Raises `ValueError` where UTC has no such year.
    """
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999 in UTC") from None


Instant = Annotated[datetime, AfterValidator(utc)]


class Note(BaseModel):
    """The columns of `memories` that a person can read and write; vectors and counters are not among them.

    `extra` holds front matter keys that are not ours and travels with the file, not to the database.
    `warnings` says what was dropped or guessed while reading; it is never written.
    """

    model_config = ConfigDict(validate_assignment=True, extra="forbid")

    content: str
    id: UUID | None = None
    title: str | None = None
    thought_type: ThoughtType | None = None
    store: Store | None = None
    category: Category | None = None
    occurred_at: Instant | None = None
    due_at: Instant | None = None
    people: list[str] = Field(default_factory=list)
    topics: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    actions: list[str] = Field(default_factory=list)
    source: Source | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    valence: float | None = Field(default=None, ge=-1, le=1)
    arousal: float | None = Field(default=None, ge=0, le=1)
    pinned: bool | None = None
    session_id: str | None = None
    namespace: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    expires_at: Instant | None = None
    valid_to: Instant | None = None
    superseded_by: UUID | None = None
    extractor: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    extra: dict[str, Any] = Field(default_factory=dict, exclude=True)
    warnings: list[str] = Field(default_factory=list, exclude=True)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """A note from a row of `list_thoughts` or any mapping with our names; other columns are ignored."""
        known = cls.model_fields.keys() - {"extra", "warnings"}
        return cls.model_validate({name: value for name, value in row.items() if name in known})

    def capture_fields(self) -> dict[str, Any]:
        """The arguments with which `capture_many` stores this note, without what the database sets itself."""
        given = {name: getattr(self, name) for name in CAPTURED}
        known = {name: value for name, value in given.items() if value not in (None, [], {}, "")}
        return {"content": self.content, **known}

    def same_memory(self, other: Self) -> bool:
        """Whether both say the same, clocks and foreign front matter aside."""
        clocks = {"created_at", "updated_at"}
        return self.model_dump(exclude=clocks) == other.model_dump(exclude=clocks)


TEXT_FIELDS = ("title", "session_id", "namespace", "extractor")
LIST_FIELDS = ("people", "topics", "tags", "actions")
NUMBER_FIELDS = ("confidence", "valence", "arousal")
TIME_FIELDS = ("occurred_at", "due_at", "created_at", "updated_at", "expires_at", "valid_to")
ID_FIELDS = ("id", "superseded_by")
CHOICE_FIELDS = ("thought_type", "store", "category", "source")
SET_BY_DATABASE = ("updated_at", "expires_at", "valid_to", "superseded_by")
CAPTURED = tuple(name for name in Note.model_fields if name not in (*SET_BY_DATABASE, "extra", "warnings"))
FRONT_MATTER_ORDER = tuple(
    name for name in ("id", *Note.model_fields) if name not in ("content", "extra", "warnings")
)
