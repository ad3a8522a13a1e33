"""The cloud functions as their own process under functions-framework, and tokens to call them with."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import UUID

import httpx
import jwt

ROOT = Path(__file__).parents[2]
JWT_SECRET = "a secret of the tests, long enough for HS256"
WORKER_SECRET = "the worker of the tests"


def token(owner: UUID | None, *, role: str = "authenticated", ttl: float = 600, **claims: Any) -> str:
    """Return an access token as Supabase Auth would sign it."""
    payload = {"role": role, "aud": "authenticated", "exp": int(time.time() + ttl)} | claims
    return jwt.encode(payload | ({"sub": str(owner)} if owner else {}), JWT_SECRET, algorithm="HS256")


class Functions:
    """All entry points on one address; `kill` ends the process as a crash would, `start` brings it back.

    `bundle` is the folder of a deployment; without it the functions are those of the working copy.
    """

    def __init__(
        self, settings: Mapping[str, str], *, target: str = "serve", bundle: Path | None = None
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._target = target
        self._main = (bundle or ROOT / "functions") / "main.py"
        packages = [bundle] if bundle else [ROOT / "client", ROOT / "functions"]
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "PYTHONPATH": os.pathsep.join(map(str, packages)),
            "PGCORTEX_JWT_SECRET": JWT_SECRET,
            "PGCORTEX_WORKER_SECRET": WORKER_SECRET,
            "THREADS": "32",
            **settings,
        }
        self._log = tempfile.NamedTemporaryFile(mode="w+", suffix=".log")  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(base_url=self.url, timeout=60)

    def __enter__(self) -> Functions:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.client.close()
        self.kill()
        self._log.close()

    def start(self) -> None:
        """Start the process and wait until it listens."""
        command = [sys.executable, "-m", "functions_framework", "--target", self._target]
        command += [
            "--source",
            str(self._main),
            "--port",
            str(self.port),
            "--host",
            "127.0.0.1",
        ]
        self._process = subprocess.Popen(
            command,
            env=self._environment,
            stdout=self._log,
            stderr=self._log,
            cwd=tempfile.gettempdir(),
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the functions did not start: {self.log()}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End the process and its workers at once."""
        if self._process is not None:
            os.killpg(self._process.pid, 9)
            self._process.wait()
            self._process = None

    def log(self) -> str:
        """Return all that was written to stdout and stderr."""
        return Path(self._log.name).read_text()

    def log_lines(self) -> list[dict[str, Any]]:
        """Return the structured log lines."""
        return [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]

    def post(self, path: str, body: Any, *, bearer: str | None, **headers: str) -> httpx.Response:
        """Send one JSON request."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if bearer is not None:
            sent["authorization"] = f"Bearer {bearer}"
        return self.client.post(path, json=body, headers=sent)

    def enrich(self, **body: Any) -> dict[str, Any]:
        """Run the worker once; returns its counts."""
        answer = self.post("/enrich", body, bearer=WORKER_SECRET)
        assert answer.status_code == 200, answer.text
        counts: dict[str, Any] = answer.json()
        return counts

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
