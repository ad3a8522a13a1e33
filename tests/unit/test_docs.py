"""README and docs/ name only what exists, and what exists is named there."""

from __future__ import annotations

import re
from pathlib import Path

from typer.main import get_command

from pgcortex.cli._app import app

ROOT = Path(__file__).parents[2]
PATHS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = {path: path.read_text(encoding="utf-8") for path in PATHS}
EVERYTHING = "\n".join(PAGES.values())
SCHEMA = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "supabase/migrations").glob("*.sql"))

_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)")
_INSERT = re.compile(r"insert into cortex\.settings .*?;\n", re.DOTALL)
_WITH_DEFAULT = re.compile(r"^\s+\('(\w+)',\s+'([^']*)',", re.MULTILINE)
_TUNE_ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \|", re.MULTILINE)


def commands() -> set[str]:
    return set(getattr(get_command(app), "commands"))  # noqa: B009 (typer types it as a plain command)


def commands_told() -> set[str]:
    code = "\n".join(_CODE.findall(EVERYTHING))
    return set(re.findall(r"\bpgcortex ([a-z]\w*)", code))


def settings() -> dict[str, str]:
    """The settings that the migrations give a fixed default, without the quotes of JSON."""
    inserts = "\n".join(_INSERT.findall(SCHEMA))
    return {key: value.strip('"') for key, value in _WITH_DEFAULT.findall(inserts)}


def tune_rows() -> dict[str, str]:
    rows = _TUNE_ROW.findall((ROOT / "docs/tune.md").read_text(encoding="utf-8"))
    return {key: default.strip().replace(",", "") for key, default in rows}


def heading_anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_told_exists() -> None:
    assert commands_told() - commands() == set()


def test_every_command_is_told() -> None:
    assert commands() - commands_told() == set()


def test_every_setting_of_the_brain_stands_in_tune_with_its_default() -> None:
    told = tune_rows()
    assert len(settings()) > 40
    assert {key: told.get(key) for key in settings()} == settings()
    assert "embedding_model" in told


def test_tune_tells_no_setting_that_is_gone() -> None:
    assert tune_rows().keys() - settings().keys() == {"embedding_model"}


def test_every_variable_told_is_read_somewhere() -> None:
    classes = [
        "client/pgcortex/_settings.py",
        "client/pgcortex/mcp/_settings.py",
        "functions/pgcortex_functions/_settings.py",
    ]
    source = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in classes)
    read = {f"PGCORTEX_{name.upper()}" for name in re.findall(r"^    (\w+): ", source, re.MULTILINE)}
    assert set(re.findall(r"PGCORTEX_[A-Z_]*[A-Z]", EVERYTHING)) - read == set()


def test_every_relative_link_resolves() -> None:
    broken = []
    for path, text in PAGES.items():
        for target, anchor in _LINK.findall(text):
            page = (path.parent / target).resolve() if target else path
            if not page.exists() or (anchor and anchor not in heading_anchors(page.read_text("utf-8"))):
                broken.append(f"{path.name}: {target}#{anchor}")
    assert broken == []


def test_every_private_function_told_exists() -> None:
    told = set(re.findall(r"\bcortex\.(\w+)\(", EVERYTHING))
    made = set(re.findall(r"create (?:or replace )?function cortex\.(\w+)\(", SCHEMA))
    assert told - made == set()


def test_every_sql_file_is_told_in_audit_or_scale() -> None:
    told = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("audit.md", "scale.md"))
    files = [path.name for path in (ROOT / "sql").rglob("*.sql")]
    assert [name for name in files if not re.search(rf"[`/]{re.escape(name)}\b", told)] == []
