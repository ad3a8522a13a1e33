"""RPCs over a connection: role and claims are set in each transaction, as PostgREST does."""

from __future__ import annotations

import json
import logging
import selectors
from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from pgcortex._errors import DatabaseUnavailable, InvalidInput
from pgcortex._transports._failures import failure_from

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool


_POOL = "pgcortex"

_IDENTITY = (
    "select set_config('request.jwt.claims', %s, true), set_config('role', %s, true),"
    " set_config('statement_timeout', %s, true)"
)


class PostgresTransport:
    """Calls RPCs as `owner_id` in the role `authenticated`, under row level security.

    Raises InvalidInput for an address that Postgres cannot read.
    """

    def __init__(
        self,
        dsn: str,
        owner_id: UUID | None,
        *,
        timeout: float = 10.0,
        role: str = "authenticated",
        pool_size: int = 8,
    ) -> None:
        self._dsn = _checked(dsn)
        self._owner_id = owner_id
        self._timeout = timeout
        self._role = role
        self._pool_size = pool_size
        self._borrowed = False

    def __repr__(self) -> str:
        return f"PostgresTransport(owner_id={self._owner_id})"

    @cached_property
    def _pool(self) -> ConnectionPool[psycopg.Connection[Any]]:
        from psycopg_pool import ConnectionPool

        logging.getLogger("psycopg.pool").addFilter(_not_ours)
        return ConnectionPool(
            self._dsn,
            name=_POOL,
            min_size=0,
            max_size=self._pool_size,
            open=True,
            timeout=self._timeout,
            kwargs={
                "autocommit": True,
                "connect_timeout": max(2, int(self._timeout)),
                "application_name": "pgcortex",
            },
            check=_check,
        )

    def acting_for(self, owner_id: UUID | None, role: str | None = None) -> PostgresTransport:
        """The same connections, as another owner or role; closing it leaves them open for the others."""
        other = PostgresTransport(self._dsn, owner_id, timeout=self._timeout, role=role or self._role)
        other.__dict__["_pool"] = self._pool
        other._borrowed = True
        return other

    def call(
        self, function: str, arguments: Mapping[str, Any], *, many: bool = False, repeatable: bool = False
    ) -> Any:
        """See `Transport.call`."""
        given = {name: _parameter(value) for name, value in arguments.items() if value is not None}
        statement = _statement(function, tuple(given))
        try:
            rows = self._run(statement, given)
        except DatabaseUnavailable:
            if not repeatable:
                raise
            rows = self._run(statement, given)
        values = [row[function] if list(row) == [function] else row for row in rows]
        return values if many else values[0] if values else None

    def close(self) -> None:
        """See `Transport.close`."""
        if "_pool" in self.__dict__ and not self._borrowed:
            self._pool.close()

    def _run(self, statement: bytes, given: dict[str, Any]) -> list[dict[str, Any]]:
        from psycopg_pool import PoolTimeout

        claims = json.dumps({"role": self._role} | ({"sub": str(self._owner_id)} if self._owner_id else {}))
        try:
            with self._pool.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
                # One journey to the server and back; what a pipeline sends before its end is one transaction.
                with conn.pipeline():
                    conn.execute(_IDENTITY, [claims, self._role, str(int(self._timeout * 1000))])
                    cursor.execute(statement, given)
                return cursor.fetchall()
        except PoolTimeout:
            raise DatabaseUnavailable(
                "no connection to the database within the time limit",
                hint="is the brain up? `pgcortex status` tells",
            ) from None
        except psycopg.Error as error:
            if error.sqlstate is None:
                # Connection errors quote the address; the address may hold a password.
                raise DatabaseUnavailable(
                    "the connection to the database was lost or refused", hint="`pgcortex status` tells more"
                ) from None
            diag = error.diag
            raise failure_from(
                error.sqlstate,
                diag.message_primary or "the database refused",
                diag.message_hint,
                diag.message_detail,
            ) from None


@cache
def _statement(function: str, names: tuple[str, ...]) -> bytes:
    """The call of an RPC with named arguments, as it is sent; it costs more to quote than to send."""
    arguments = (sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in names)
    call = sql.SQL("select * from public.{}({})").format(
        sql.Identifier(function), sql.SQL(", ").join(arguments)
    )
    return call.as_bytes(None)


def _checked(dsn: str) -> str:
    """The address, if it is one; the reason is not passed on, because it quotes what may hold a password."""
    try:
        conninfo_to_dict(dsn)
    except psycopg.Error:
        raise InvalidInput(
            "database_url",
            "is not the address of a Postgres database",
            hint="write PGCORTEX_DATABASE_URL as postgresql://user:password@host:5432/database",
        ) from None
    return dsn


def _not_ours(record: logging.LogRecord) -> bool:
    """The pool logs why it cannot connect, with the address; the caller gets an error without it."""
    return not (isinstance(record.args, tuple) and _POOL in record.args)


def _check(conn: psycopg.Connection[Any]) -> None:
    """Notice a connection that the server closed; an idle one has nothing to read, which costs no journey."""
    with selectors.DefaultSelector() as selector:
        selector.register(conn.fileno(), selectors.EVENT_READ)
        if selector.select(timeout=0):
            conn.execute("")


def _parameter(value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
        return Jsonb(value)
    return value
