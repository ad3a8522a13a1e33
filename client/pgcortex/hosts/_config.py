"""A host's configuration file: read, changed in one place, shown, and replaced at once."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pgcortex._errors import InvalidInput
from pgcortex.hosts._places import Host

NAME = "pgcortex"
"""What the server is called in every host."""

_SECRET = re.compile(r'("PGCORTEX_(?:\w*(?:KEY|TOKEN|SECRET)|DATABASE_URL)": )"[^"]*"')


@dataclass(frozen=True)
class Change:
    """What would be written, and what is there."""

    path: Path
    before: str
    after: str

    @property
    def needed(self) -> bool:
        """False when the file says so already."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change for a person to look at, secrets masked."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), str(self.path), str(self.path), lineterm=""
        )
        return _SECRET.sub(r'\1"…"', "\n".join(lines))


def plan(host: Host, path: Path, entry: dict[str, Any]) -> Change:
    """The change that adds or renews our entry and touches nothing else. Raises InvalidInput."""
    before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    try:
        config = json.loads(before) if before.strip() else {}
    except ValueError:
        config = None
    servers = config.get(host.key, {}) if isinstance(config, dict) else None
    if not isinstance(config, dict) or not isinstance(servers, dict):
        raise InvalidInput(
            str(path),
            "is not plain JSON with a list of servers, so it is left alone",
            hint=f'add this to "{host.key}" by hand: {json.dumps({NAME: entry})}',
        )
    if servers.get(NAME) == entry:
        return Change(path, before, before)
    config[host.key] = servers | {NAME: entry}
    return Change(path, before, json.dumps(config, ensure_ascii=False, indent=2) + "\n")


def write(change: Change) -> Path | None:
    """Replace the file, keeping what was there beside it; where that is, None when there was nothing."""
    path = change.path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if path.exists():
        backup = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.bak")
        shutil.copy2(path, backup)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(change.after)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        shutil.copymode(path, name)
    Path(name).replace(path)
    return backup
