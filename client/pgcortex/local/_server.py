"""Make, start, find and stop the Postgres server of one data directory. Callers hold the brain's lock.

The server is detached: it outlives the process that started it, and its terminal.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil

from pgcortex._errors import LocalBrainError
from pgcortex.local import _binaries
from pgcortex.local._account import Account, give, let_pass
from pgcortex.local._layout import PORT, Layout, socket_directory
from pgcortex.local._problems import check_room, explain

START_SECONDS = 60
STOP_SECONDS = 30
NEEDED_BYTES = 64_000_000
"""Room for a new cluster: 40 MB, and some for the migrations."""

_LOG_BYTES = 1_000_000

# What the log says when the processes of the server before need a moment to notice that they are alone, or
# when somebody else's server gets there first.
_PASSING = ("shared memory block", 'lock file "postmaster.pid" already exists')

# Written into postgresql.conf once, for a machine that does other things too; an owner may change them there.
_SETTINGS = {
    "shared_buffers": "128MB",
    "maintenance_work_mem": "128MB",  # an HNSW build that fits in it is several times faster
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


@dataclass(frozen=True)
class Running:
    """A server that accepts connections: its process id, and the port and directory that name its socket."""

    pid: int
    port: int
    sockets: Path

    @property
    def dsn(self) -> str:
        """A connection URI for the superuser `postgres`."""
        return f"postgresql://postgres@/postgres?host={quote(str(self.sockets), safe='')}&port={self.port}"


def make(layout: Layout, account: Account | None, *, lock: int, durable: bool) -> None:
    """Create the cluster. It appears complete or not at all.

    initdb shares the descriptor `lock`: should we be killed, the next one waits until it has ended too.
    """
    check_room(layout.data_dir, NEEDED_BYTES)
    half_made = layout.cluster_being_made
    if half_made.exists():
        shutil.rmtree(half_made)
    half_made.mkdir(mode=0o700)
    give(half_made, account)
    arguments = [
        "--pgdata",
        str(half_made),
        "--username=postgres",
        "--auth=trust",  # whoever reaches the socket, in a directory only its owner can enter
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        "--no-clean",  # left to us, so that a full disk is still recognized
        "--sync-method=syncfs" if os.uname().sysname == "Linux" else "--sync-method=fsync",
        *([] if durable else ["--no-sync"]),
        *(f"--set={name}={value}" for name, value in _SETTINGS.items()),
    ]
    code, output = _binaries.run(
        "initdb", arguments, account=account, directory=layout.data_dir, pass_fds=[lock]
    )
    if code != 0:
        error = explain("the database could not be created", output, layout.data_dir)
        shutil.rmtree(half_made)
        raise error
    half_made.rename(layout.cluster)


def find(layout: Layout) -> Running | None:
    """The server of this cluster, when its process is alive and it accepts connections."""
    lines = _pid_file(layout)
    if len(lines) < 8 or lines[7].strip() != "ready" or not _is_our_server(layout, lines[0]):
        return None
    return Running(pid=int(lines[0]), port=int(lines[3]), sockets=Path(lines[4]))


def start(layout: Layout, account: Account | None, settings: Mapping[str, str]) -> Running:
    """Wait for a server that accepts connections; start one, whatever became of the one before."""
    deadline = time.monotonic() + START_SECONDS
    sockets = _make_socket_directory(layout, account)
    _prepare_log(layout, account)
    arguments = _start_arguments(layout, sockets, settings)
    while True:
        # Somebody who was killed while starting it may have left a server behind that is not ready yet.
        if running := _wait_while_starting(layout, deadline):
            return running
        _forget_other_process(layout, sockets)
        logged = layout.log.stat().st_size
        code, output = _pg_ctl("start", layout, account, arguments)
        told = layout.log.read_bytes()[logged:].decode(errors="replace")
        if code != 0 and (time.monotonic() > deadline or not any(mark in told for mark in _PASSING)):
            raise explain("the database did not start", f"{told}\n{output}", layout.data_dir, log=layout.log)
        time.sleep(0 if code == 0 else 0.1)


def stop(layout: Layout, account: Account | None) -> bool:
    """Stop the server, open transactions rolled back; False when none was running."""
    lines = _pid_file(layout)
    if not lines or not _is_our_server(layout, lines[0]):
        return False
    for mode in ("fast", "immediate"):
        arguments = [f"--timeout={STOP_SECONDS}", f"--mode={mode}"]
        code, output = _pg_ctl("stop", layout, account, arguments)
        if code == 0 or not _is_our_server(layout, lines[0]):
            _remove_temporary(layout, Path(lines[4]))
            return True
    raise explain("the database did not stop", output, layout.data_dir, log=layout.log)


def _remove_temporary(layout: Layout, sockets: Path) -> None:
    if sockets != layout.sockets and not any(sockets.iterdir()):
        sockets.rmdir()


def _pg_ctl(
    action: str, layout: Layout, account: Account | None, arguments: Sequence[str]
) -> tuple[int, str]:
    # PGDATA and a relative log: pg_ctl would put the paths of its arguments into a shell command line.
    return _binaries.run(
        "pg_ctl",
        [action, "--wait", "--silent", *arguments],
        account=account,
        directory=layout.data_dir,
        environment={"PGDATA": str(layout.cluster)},
    )


def _start_arguments(layout: Layout, sockets: Path, settings: Mapping[str, str]) -> list[str]:
    options = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",
        **settings,
    }
    joined = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in options.items())
    return [f"--timeout={START_SECONDS}", f"--log={layout.log.name}", "--options", joined]


def _wait_while_starting(layout: Layout, deadline: float) -> Running | None:
    """The server once it is ready; None when there is no server process (any more)."""
    while (lines := _pid_file(layout)) and _is_our_server(layout, lines[0]):
        if running := find(layout):
            return running
        if time.monotonic() > deadline:
            raise LocalBrainError(
                f"the database in {layout.cluster} is not ready after {START_SECONDS} seconds",
                hint=f"after a crash it may need longer; {layout.log} tells how far it is",
            )
        time.sleep(0.02)
    return None


def _pid_file(layout: Layout) -> list[str]:
    try:
        return (layout.cluster / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_our_server(layout: Layout, pid: str) -> bool:
    """Whether this process is a live Postgres in this cluster; a number may be used again."""
    try:
        process = psutil.Process(int(pid))
        return process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()).samefile(layout.cluster)
    except (ValueError, psutil.Error, OSError):
        return False


def _forget_other_process(layout: Layout, sockets: Path) -> None:
    """Remove lock files that would stop Postgres although no server of this cluster is behind them.

    Postgres itself takes over a file whose process is gone. It refuses while the number belongs to a live
    process, whichever it is, or to one that nobody has buried, and when the file is damaged.
    """
    for file in (layout.cluster / "postmaster.pid", sockets / f".s.PGSQL.{PORT}.lock"):
        if not file.exists():
            continue
        pid = (file.read_text(errors="replace").splitlines() or [""])[0].strip()
        if pid.isdigit():
            stale = psutil.pid_exists(int(pid)) and not _is_our_server(layout, pid)
        else:
            stale = not any(_is_our_server(layout, str(other)) for other in psutil.pids())
        if stale:
            file.unlink(missing_ok=True)


def _make_socket_directory(layout: Layout, account: Account | None) -> Path:
    directory = socket_directory(layout)
    directory.mkdir(mode=0o700, exist_ok=True)
    give(directory, account)
    state = directory.lstat()
    expected = account.uid if account else os.geteuid()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != expected:
        raise LocalBrainError(f"{directory} belongs to somebody else", hint="remove it, or set TMPDIR")
    directory.chmod(0o700)
    let_pass(account, directory.parent)
    return directory


def _prepare_log(layout: Layout, account: Account | None) -> None:
    if layout.log.exists() and layout.log.stat().st_size > _LOG_BYTES:
        layout.log.replace(layout.log.with_suffix(".log.1"))
    layout.log.touch(mode=0o600)
    give(layout.log, account)
