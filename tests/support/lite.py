"""The REST API of a Supabase project in front of any Postgres, its roles and policies: `@supabase/lite`.

    with lite(dsn, tmp_path) as api:
        ada = create_client(api.url, api.publishable_key, options=ClientOptions(headers=api.headers(ADA)))

Unlike hosted PostgREST it takes vectors as text only, `'[1,2,3]'`, and refuses a token without a key.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote
from uuid import UUID

import httpx
import jwt
import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tests.support.node import node_command, node_environment
from tests.support.tcp import tcp_port

START_SECONDS = 60
GATEWAY = "lite_gateway"

_CONFIG = """\
[api]
port = {port}

[db]
driver = "postgres"
url = "{dsn}"

[auth]
enabled = true
jwt_secret = "{jwt_secret}"
publishable_key = "{publishable_key}"
secret_key = "{secret_key}"
"""


@dataclass(frozen=True)
class Lite:
    """Where the API is, and what signs in to it; the keys live as long as the server."""

    url: str
    publishable_key: str = field(default_factory=lambda: f"sb_publishable_{token_hex(16)}")
    secret_key: str = field(default_factory=lambda: f"sb_secret_{token_hex(16)}", repr=False)
    jwt_secret: str = field(default_factory=lambda: token_hex(32), repr=False)

    def token(self, user: UUID, *, seconds: float = 3600, **claims: object) -> str:
        """An access token as Supabase Auth would give this user, good for `seconds`."""
        standard = {
            "sub": str(user),
            "role": "authenticated",
            "aud": "authenticated",
            "exp": int(time.time() + seconds),
        }
        return jwt.encode({**standard, **claims}, self.jwt_secret, algorithm="HS256")

    def headers(self, user: UUID) -> dict[str, str]:
        """What a signed-in client sends besides `apikey`."""
        return {"Authorization": f"Bearer {self.token(user)}"}


@contextmanager
def lite(dsn: str, folder: Path) -> Iterator[Lite]:
    """Serve the database at `dsn` (by TCP or Unix socket) on a free port of 127.0.0.1 until the block ends.

    `dsn` is a superuser's, of a migrated database. `folder` takes configuration and log. Raises
    `RuntimeError` with the log when the server does not come up.
    """
    with ExitStack() as stack:
        _make_gateway(dsn)
        address = _tcp_address(dsn, stack)
        api = Lite(f"http://127.0.0.1:{_free_port()}")
        config = folder / "supabase" / "config.toml"
        config.parent.mkdir(parents=True)
        port = api.url.rpartition(":")[2]
        config.write_text(_CONFIG.format(port=port, dsn=address, **vars(api)), encoding="utf-8")
        log = stack.enter_context((folder / "lite.log").open("wb"))
        server = subprocess.Popen(
            [*_die_with_parent(), *node_command("lite", "start", "--no-admin")],
            cwd=folder,
            env=node_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        stack.callback(_stop, server)
        _wait_until_healthy(api, server, folder / "lite.log")
        yield api


def _tcp_address(dsn: str, stack: ExitStack) -> str:
    where = conninfo_to_dict(dsn)
    host, port = str(where.get("host", "127.0.0.1")), str(where.get("port", 5432))
    if host.startswith("/"):
        port = str(stack.enter_context(tcp_port(Path(host) / f".s.PGSQL.{port}")))
        host = "127.0.0.1"
    return f"postgresql://{GATEWAY}:{GATEWAY}@{host}:{port}/{quote(str(where['dbname']))}"


def _make_gateway(dsn: str) -> None:
    """The role the server connects as, which becomes anon or authenticated for each request.

    At its first query the server grants every table to every API role. A role that may read them all, but
    owns none, gets a warning for that and no error: the privileges stay what the migrations made them.
    """
    database = sql.Identifier(str(conninfo_to_dict(dsn)["dbname"]))
    role = sql.Identifier(GATEWAY)
    with psycopg.connect(dsn) as owner:
        known = owner.execute("select to_regrole(%s) is not null", [GATEWAY]).fetchone()
        if known == (False,):
            owner.execute(sql.SQL("create role {} login noinherit").format(role))
            owner.execute(sql.SQL("grant anon, authenticated, service_role to {}").format(role))
            owner.execute(sql.SQL("grant pg_read_all_data to {} with inherit true").format(role))
        owner.execute(sql.SQL("grant create on database {} to {}").format(database, role))
        # When it starts it makes sure that its own tables and the migrations' history are as it knows them.
        history = sql.SQL("alter table supabase_migrations.schema_migrations owner to {}")
        owner.execute(history.format(role))
        owner.execute(sql.SQL("grant create on schema auth, supabase_migrations to {}").format(role))


def _die_with_parent() -> list[str]:
    """Also when the tests are killed; without setpriv (macOS) the server then stays until it is stopped."""
    return ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []


def _wait_until_healthy(api: Lite, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{api.url}/rest/v1/", headers={"apikey": api.secret_key}).is_success:
                return
        except httpx.TransportError:
            pass  # not listening yet
        time.sleep(0.1)
    raise RuntimeError(f"@supabase/lite did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
