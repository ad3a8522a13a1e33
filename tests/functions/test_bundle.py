"""The folder that is deployed holds all that the functions need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.functions import ROOT, Functions


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deployment") / "functions"
    subprocess.run(
        ["make", "functions-bundle", f"BUNDLE={folder}"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return folder


def test_it_holds_the_entry_points_the_pins_and_both_packages(bundle: Path) -> None:
    names = {path.name for path in bundle.iterdir()}
    assert names == {"main.py", "requirements.txt", "Dockerfile", "pgcortex", "pgcortex_functions"}
    assert list(bundle.rglob("__pycache__")) == []


def test_its_own_packages_are_imported(bundle: Path) -> None:
    script = (
        "import main, pgcortex, pgcortex_functions as f; print(main.__file__, pgcortex.__file__, f.__file__)"
    )
    answer = subprocess.run(
        [sys.executable, "-B", "-c", script],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(bundle)},
        cwd=bundle.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    assert [Path(file).is_relative_to(bundle) for file in answer.stdout.split()] == [True] * 3


def test_it_answers_that_it_is_well(bundle: Path, environment: dict[str, str]) -> None:
    with Functions(environment, target="health", bundle=bundle) as functions:
        answer = functions.client.get("/")
    assert answer.status_code == 200, functions
    assert answer.json()["checks"]["database"] is True
