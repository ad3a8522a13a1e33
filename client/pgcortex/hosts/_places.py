"""Where each host keeps its MCP servers, on each system."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pgcortex._errors import InvalidInput


@dataclass(frozen=True)
class Host:
    """One program: the file under the user's configuration, the key of its servers, what it calls stdio."""

    name: str
    title: str
    mac: str
    linux: str
    windows: str
    key: str = "mcpServers"
    typed: bool = False
    remote: bool = True
    restart: str = "restart it"

    def path(
        self, home: Path | None = None, platform: str = sys.platform, env: Mapping[str, str] = os.environ
    ) -> Path:
        """The configuration file for this user."""
        home = home or Path.home()
        if platform == "darwin":
            return home / self.mac
        if platform == "win32":
            roaming = Path(env.get("APPDATA") or home / "AppData" / "Roaming")
            return (home if self.windows.startswith(".") else roaming) / self.windows
        config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
        return (home if self.linux.startswith(".") else config) / self.linux


HOSTS = (
    Host(
        "claude-desktop",
        "Claude Desktop",
        mac="Library/Application Support/Claude/claude_desktop_config.json",
        linux="Claude/claude_desktop_config.json",
        windows="Claude/claude_desktop_config.json",
        remote=False,
        restart="quit and reopen it",
    ),
    Host(
        "claude-code",
        "Claude Code",
        mac=".claude.json",
        linux=".claude.json",
        windows=".claude.json",
        typed=True,
        restart="start a new session",
    ),
    Host(
        "cursor",
        "Cursor",
        mac=".cursor/mcp.json",
        linux=".cursor/mcp.json",
        windows=".cursor/mcp.json",
    ),
    Host(
        "vscode",
        "VS Code",
        mac="Library/Application Support/Code/User/mcp.json",
        linux="Code/User/mcp.json",
        windows="Code/User/mcp.json",
        key="servers",
        typed=True,
        restart="start the server from its MCP list",
    ),
)


def host_called(name: str) -> Host:
    """The host of this name. Raises InvalidInput."""
    for host in HOSTS:
        if host.name == name:
            return host
    raise InvalidInput(
        "host", f"{name!r} is not known", hint=f"use one of {', '.join(host.name for host in HOSTS)}"
    )
