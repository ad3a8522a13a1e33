"""The example programs, run as their README says, on one brain."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.support.databases import new_database
from tests.support.lite import Lite, lite
from tests.support.node import MODULES, REPOSITORY, node_command, node_environment

EXAMPLES = REPOSITORY / "examples" / "clients"
Run = Callable[[UUID, str, str], str]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lite]:
    """A project whose vectors are those of the Python client's local model."""
    dsn = new_database("examples", dimensions=384)
    with lite(dsn, tmp_path_factory.mktemp("examples")) as served:
        yield served


@pytest.fixture
def run(project: Lite, tmp_path: Path) -> Run:
    """Runs one program as one user with one thought; what it prints."""

    def start(user: UUID, program: str, thought: str) -> str:
        script = tmp_path / program
        shutil.copy(EXAMPLES / program, script)
        env = {"SUPABASE_URL": project.url, "SUPABASE_KEY": project.publishable_key}
        env |= {"ACCESS_TOKEN": project.token(user)}
        if script.suffix == ".mjs":
            node = node_command("lite")[0]
            if not (tmp_path / "node_modules").exists():
                (tmp_path / "node_modules").symlink_to(MODULES)
            command = [node, str(script), thought]
        elif script.suffix == ".sh":
            command = ["sh", str(script), thought]
        else:
            command = [sys.executable, str(script), thought]
            env["PYTHONPATH"] = os.pathsep.join(str(REPOSITORY / part) for part in ("client", "functions"))
        finished = subprocess.run(
            command,
            env=node_environment(env),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert finished.returncode == 0, finished.stderr + finished.stdout
        return finished.stdout

    return start


def test_three_clients_share_one_brain_and_another_user_sees_none_of_it(run: Run) -> None:
    ada, ben = uuid4(), uuid4()
    js = run(ada, "remember.mjs", 'Rae said "before ten"')
    assert js.splitlines()[0].startswith("created ")
    assert js.splitlines()[1:] == ['best match: Rae said "before ten"', "1 thoughts"]
    captured, found, listed = map(json.loads, run(ada, "remember.sh", 'The printer takes "A4"').splitlines())
    assert captured["status"] == "created"
    assert found[0]["content"] == 'The printer takes "A4"'
    assert {row["content"] for row in listed} == {'Rae said "before ten"', 'The printer takes "A4"'}
    python = run(ada, "remember.py", "We decided on annual pricing because of churn")
    assert python.splitlines()[1:] == [
        "best match: We decided on annual pricing because of churn",
        "3 thoughts",
    ]
    assert run(ben, "remember.mjs", "Ben was here").splitlines()[2] == "1 thoughts"


def test_the_readme_names_every_program_and_every_variable() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    for program in EXAMPLES.glob("remember.*"):
        assert program.name in readme
        for variable in ("SUPABASE_URL", "SUPABASE_KEY", "ACCESS_TOKEN"):
            assert variable in program.read_text()
            assert variable in readme
