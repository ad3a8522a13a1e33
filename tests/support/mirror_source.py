"""The database half of the markdown twin over plain SQL, signed in as one owner on each statement."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from pgcortex._errors import DatabaseUnavailable, InvalidInput, NotFound
from pgcortex.mirror._merge import EDITABLE
from pgcortex.notes import Note

_PAGE = 200
_LIVE = "archived_at is null"


class SqlSource:
    """A `MemorySource`. Connects when first asked and again after a connection was lost."""

    def __init__(self, dsn: str, owner_id: UUID) -> None:
        self.dsn = dsn
        self.owner_id = owner_id
        self._connection: psycopg.Connection[Any] | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def fetch(self, *, updated_since: datetime | None = None) -> Iterator[Note]:
        last: UUID | None = None
        while True:
            rows = self._query(
                f"select * from public.memories where {_LIVE} and (%s::uuid is null or id > %s)"
                " and (%s::timestamptz is null or updated_at >= %s) order by id limit %s",
                [last, last, updated_since, updated_since, _PAGE],
            )
            yield from map(Note.from_row, rows)
            if len(rows) < _PAGE:
                return
            last = rows[-1]["id"]

    def get(self, memory_id: UUID) -> Note | None:
        rows = self._query(f"select * from public.memories where id = %s and {_LIVE}", [memory_id])
        return Note.from_row(rows[0]) if rows else None

    def is_forgotten(self, memory_id: UUID) -> bool:
        rows = self._query(
            "select exists (select from public.memories where id = %(id)s and archive_reason = 'forgotten')"
            " or (not exists (select from public.memories where id = %(id)s) and exists"
            " (select from public.memory_events where memory_id = %(id)s"
            " and action in ('erase', 'delete'))) as gone",
            {"id": memory_id},
        )
        return bool(rows[0]["gone"])

    def capture(self, note: Note) -> UUID:
        thought = Note.model_validate(note.capture_fields()).model_dump(mode="json", exclude_unset=True)
        rows = self._query("select public.capture_thoughts(%s) as answer", [json.dumps([thought])])
        answer = rows[0]["answer"]
        if answer["status"] == "refused":
            raise InvalidInput("note", answer["error"])
        return UUID(answer["id"])

    def update(self, memory_id: UUID, note: Note) -> None:
        names = [name for name in EDITABLE if getattr(note, name) is not None or name in ("title", "due_at")]
        columns = ", ".join(f"{name} = %({name})s" for name in names)
        values = {name: getattr(note, name) for name in names}
        values["metadata"] = json.dumps(note.metadata)
        rows = self._query(
            f"update public.memories set {columns} where id = %(id)s and {_LIVE} returning id",
            {**values, "id": memory_id},
        )
        if not rows:
            raise NotFound(f"no memory {memory_id}")

    def forget(self, memory_id: UUID, *, reason: str | None, hard: bool) -> None:
        if hard:
            self._query("delete from public.memories where id = %s", [memory_id])
        else:
            self._query(
                "update public.memories set archived_at = now(), archive_reason = 'forgotten' where id = %s",
                [memory_id],
            )

    def _query(self, sql: str, params: Any) -> list[dict[str, Any]]:
        claims = json.dumps({"role": "authenticated", "sub": str(self.owner_id)})
        try:
            if self._connection is None or self._connection.closed:
                self._connection = psycopg.connect(self.dsn, autocommit=True)
            with self._connection.transaction(), self._connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute("select set_config('request.jwt.claims', %s, true)", [claims])
                cursor.execute("set local role authenticated")
                cursor.execute(sql.encode(), params)
                return cursor.fetchall() if cursor.description else []
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable("the database does not answer") from error
        except (psycopg.errors.CheckViolation, psycopg.DataError) as error:
            raise InvalidInput("note", str(error).splitlines()[0]) from error
