"""The other half of a write: its markdown note, where the settings name a folder for them.

Every write of an operation passes through here. Without a mirror it goes straight to the database. With one,
neither half is lost for the other's sake, and the answer says what became of the note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID, uuid4

from pydantic import ValidationError

from pgcortex._core import Core
from pgcortex._errors import DatabaseUnavailable, FolderBusy, FolderUnavailable, InvalidInput
from pgcortex._models import Captured
from pgcortex._models._life import Changed, Forgotten
from pgcortex._models._thoughts import Written

# The notes and the mirror are imported where they are used: who has no mirror need not wait for them.
if TYPE_CHECKING:
    from pgcortex.mirror import Half, Mirror
    from pgcortex.notes import Note

W = TypeVar("W", bound=Written)

PATIENCE = 60.0
"""Seconds after which nobody is still at a queued write, so that another client brings it to the database."""


def captured(
    core: Core,
    thoughts: Mapping[int, dict[str, Any]],
    redacted: Mapping[int, list[str]],
    verdicts: list[Captured | None],
    store: Callable[[], None],
) -> None:
    """Have `store` fill the verdicts of these thoughts, masked already, and write their notes.

    While the database is away they are queued in the folder. Raises what `store` raises.
    """
    if core.mirror is None:
        store()
        return
    notes: dict[int, Note] = {}
    for index, thought in thoughts.items():
        try:
            notes[index] = _as_note(thought)
        except ValidationError as error:
            # The database says it better; this is told only when it cannot be asked.
            verdicts[index] = Captured(status="refused", error=_first(error))
            continue
        if core.gateway is None:
            thought.setdefault("id", notes[index].id)

    def bring() -> list[UUID | None]:
        store()
        return [verdict.id for index in notes if (verdict := verdicts[index]) is not None]

    reports = core.mirror.capture_all(list(notes.values()), bring)
    for index, report in zip(notes, reports, strict=True):
        verdict = verdicts[index]
        if verdict is None or report.database.state == "queued":
            verdict = Captured(id=report.id, status="queued", redacted=redacted[index])
        if report.database.state != "failed":
            verdicts[index] = _told(verdict, report.file)
    if reports and reports[-1].database.state == "done" and core.mirror.waiting(PATIENCE):
        last = verdicts[list(notes)[-1]]
        assert last is not None
        last.warnings.extend(_catch_up(core.mirror))


def updated(
    core: Core, id: UUID, changes: Mapping[str, Any], redacted: list[str], store: Callable[[], Changed]
) -> Changed:
    """Have `store` make a change, masked already, and write the note. Raises what `store` raises."""
    if core.mirror is None:
        return store()
    note = _edited(core.mirror, id, changes)
    if note is None:
        return followed(core, store(), id)
    answers: list[Changed] = []
    report = core.mirror.update(id, note, store=lambda: answers.append(store()))
    if not answers:
        answers = [Changed(id=id, status="queued", updated_at=datetime.now(UTC), redacted=redacted)]
    return _told(answers[0], report.file)


def forgotten(
    core: Core, id: UUID, reason: str | None, hard: bool, store: Callable[[], Forgotten]
) -> Forgotten:
    """Have `store` forget a memory, and remove its note and those of what went with it."""
    if core.mirror is None:
        return store()
    # A capture that still waits would bring the memory back after this.
    warnings = _catch_up(core.mirror) if core.mirror.queued else []
    answers: list[Forgotten] = []
    report = core.mirror.forget(id, reason=reason, hard=hard, store=lambda: answers.append(store()))
    if not answers:
        return _told(Forgotten(id=id, status="queued"), report.file)
    answer, half = answers[0], report.file
    others = _withdrawn(answer.removed)
    if others and half.state == "done":
        half = core.mirror.follow(*others)
    return _told(answer.model_copy(update={"warnings": warnings}), half)


def followed(core: Core, answer: W, *ids: UUID) -> W:
    """The answer to a change made in the database, after writing the notes of the memories it touched."""
    if core.mirror is None:
        return answer
    half = core.mirror.follow(*ids)
    return answer.model_copy(update={"mirrored": half.state == "done"})


WithWarnings = TypeVar("WithWarnings", Captured, Changed, Forgotten)


def _told(answer: WithWarnings, half: Half) -> WithWarnings:
    done = half.state == "done"
    warnings = (
        [*answer.warnings] if done else [*answer.warnings, f"its note does not say so yet: {half.reason}"]
    )
    return answer.model_copy(update={"mirrored": done, "warnings": warnings})


def _as_note(thought: Mapping[str, Any]) -> Note:
    from pgcortex.notes import Note

    given = {name: _plain(value) for name, value in thought.items() if name in Note.model_fields}
    return Note.model_validate({"id": uuid4(), "occurred_at": datetime.now(UTC)} | given)


def _edited(mirror: Mirror, id: UUID, changes: Mapping[str, Any]) -> Note | None:
    """The note as it will be; None for a change that a note cannot say, which then cannot be queued."""
    from pgcortex.notes import Note

    given = {name: _plain(value) for name, value in changes.items() if name != "clear"}
    given |= dict.fromkeys(changes.get("clear", ()))
    if not given.keys() <= Note.model_fields.keys():
        return None
    try:
        before = mirror.note(id)
        return before and Note.model_validate(before.model_dump(exclude_unset=True) | given)
    except (ValidationError, InvalidInput, OSError):
        return None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple | set) else value


def _first(error: ValidationError) -> str:
    detail = error.errors()[0]
    return f"{detail['loc'][0]}: {detail['msg']}"


def _catch_up(mirror: Mirror) -> list[str]:
    """Bring what was queued to the database; what is wrong with the rest, which stays queued."""
    try:
        report = mirror.replay()
    except (DatabaseUnavailable, FolderBusy, FolderUnavailable) as error:
        return [f"{mirror.queued} earlier writes still wait for `pgcortex mirror sync`: {error.message}"]
    return [str(change) for change in report.open]


def _withdrawn(removed: Mapping[str, Any]) -> list[UUID]:
    """The sources and the summaries that a forgotten memory took with it, and what came back for them."""
    summary = removed.get("summary") or {}
    ids = [*(removed.get("sources") or [])]
    for each in (summary, *(summary.get("others") or [])):
        ids += [*filter(None, [each.get("id")]), *(each.get("restored") or [])]
    return [UUID(str(each)) for each in ids]
