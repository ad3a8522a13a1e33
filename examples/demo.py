"""A month of one small team's notes, remembered and found again: what `make demo` runs.

It makes a brain in a temporary directory, imports `notes/`, asks the six questions of `questions.json`
(none shares a word with its answer), browses, counts, and leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Run the session; the exit code says whether every question found its answer first."""
    home = Path(tempfile.mkdtemp(prefix="pgcortex-demo-"))
    os.environ["PGCORTEX_DATA_DIR"] = str(home)
    try:
        return session()
    finally:
        from pgcortex import local

        local.down(home)
        shutil.rmtree(home, ignore_errors=True)


def session() -> int:
    """The commands, each shown before it runs."""
    run("up")
    run("import", str(HERE / "notes"))
    missed = [q["question"] for q in json.loads((HERE / "questions.json").read_text()) if not answers(**q)]
    run("search", "which database should we use", "--type", "observation", "--since", "2026-06-15", "-n", "2")
    run("list", "--type", "task", "-n", "4")
    run("list", "--person", "Jonas", "--since", "2026-06-20", "-n", "3")
    run("capture", "Told Mei that the staging password is Tr0ub4dor&3 until Friday")
    run("stats")
    print(
        f"\n{6 - len(missed)} of 6 questions found their answer first."
        + (f" Missed: {missed}" if missed else "")
    )
    return 1 if missed else 0


def answers(question: str, expected: str) -> bool:
    """Ask, and tell whether the expected note came first."""
    from pgcortex import Cortex
    from pgcortex.notes import read_note

    run("search", question, "-n", "2")
    with Cortex() as brain:
        found = brain.search(question, limit=1)
    return len(found) == 1 and found[0].content == read_note(HERE / expected).content


def run(*arguments: str) -> None:
    """One command as it would be typed."""
    from pgcortex.cli._app import app

    shown = [str(Path(a).relative_to(HERE.parent)) if a.startswith(str(HERE)) else a for a in arguments]
    print(f"\n$ pgcortex {shlex.join(shown)}", flush=True)
    app(list(arguments), standalone_mode=False)


if __name__ == "__main__":
    sys.exit(main())
