"""What a host is told: how to start the server here, or where it is on the network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from pgcortex._errors import InvalidInput
from pgcortex._settings import Settings
from pgcortex.hosts._places import Host


def local_entry(host: Host, settings: Settings, *, with_secrets: bool = False) -> dict[str, Any]:
    """An entry that starts `pgcortex mcp`, with the settings that are not defaults.

    A host does not see the variables of a shell, so they are written down; secrets only when asked for.
    """
    script = Path(sys.executable).with_name("pgcortex.exe" if sys.platform == "win32" else "pgcortex")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "pgcortex"]
    entry: dict[str, Any] = {"type": "stdio"} if host.typed else {}
    entry |= {"command": start[0], "args": [*start[1:], "mcp"]}
    env = _variables(settings, with_secrets=with_secrets)
    return entry | ({"env": env} if env else {})


def remote_entry(host: Host, url: str) -> dict[str, Any]:
    """An entry for a server at `url`, where the host signs the user in. Raises InvalidInput."""
    if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise InvalidInput("url", "is not https", hint="tokens are sent there; serve it with TLS")
    if not host.remote:
        raise InvalidInput(
            "url",
            f"{host.title} takes servers on the network in its own settings",
            hint=f"open Settings, Connectors, Add custom connector, and enter {url}",
        )
    return ({"type": "http"} if host.typed else {}) | {"url": url}


def secrets_left_out(settings: Settings) -> list[str]:
    """The variables that `local_entry` leaves out unless it is told otherwise."""
    return [
        _variable(name)
        for name in sorted(settings.model_fields_set)
        if isinstance(getattr(settings, name), SecretStr)
    ]


def _variables(settings: Settings, *, with_secrets: bool) -> dict[str, str]:
    env = {}
    for name in sorted(settings.model_fields_set):
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            if with_secrets:
                env[_variable(name)] = value.get_secret_value()
        elif value is not None:
            env[_variable(name)] = str(value.absolute()) if isinstance(value, Path) else str(value)
    return env


def _variable(name: str) -> str:
    return f"PGCORTEX_{name.upper()}"
