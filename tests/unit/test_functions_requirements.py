"""A deployment of the functions installs the versions that the tests ran with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)", re.MULTILINE)


def pins(path: str) -> dict[str, str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    return {name.lower(): version for name, version in PIN.findall(text)}


def test_every_pin_is_the_locked_version() -> None:
    locked = pins("requirements/dev.txt")
    deployed = pins("functions/requirements.txt")
    assert deployed
    assert deployed == {name: locked[name] for name in deployed}


def test_every_direct_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["functions"]
    names = {re.split(r"[\[<>=]", entry)[0].lower() for entry in wanted}
    assert names <= set(pins("functions/requirements.txt"))


def test_every_pin_has_its_hashes_and_no_address() -> None:
    text = (ROOT / "functions/requirements.txt").read_text(encoding="utf-8")
    entries = [entry for entry in text.replace("\\\n", " ").splitlines() if entry]
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text
