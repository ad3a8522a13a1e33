"""A brain on this machine: Postgres from a wheel, on a Unix socket, in a directory of yours.

    brain = up(Path("~/brain"))     # makes it, starts it, migrates it; about a second
    status(brain.data_dir)
    down(brain.data_dir)

`bootstrap.sql` beside this file turns a plain Postgres into what the migrations expect of a Supabase project.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from pgcortex._errors import LocalBrainError

    raise LocalBrainError("a local brain needs Linux or macOS", hint="on Windows, run pgcortex inside WSL")

from pgcortex.local._brain import BrainStatus, LocalBrain, bootstrap_script, console, down, status, up

__all__ = ["BrainStatus", "LocalBrain", "bootstrap_script", "console", "down", "status", "up"]
