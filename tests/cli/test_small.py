"""The commands datasets and completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run

import budgetree as bt


def test_every_bundled_set_is_listed_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run(capsys, "datasets", "--json"))
    assert [entry["name"] for entry in listed] == bt.datasets.names()
    pima = next(entry for entry in listed if entry["name"] == "pima")
    assert pima == {"name": "pima", "cases": 753, "tests": 8, "classes": 2}
    lines = run(capsys, "datasets").splitlines()
    assert lines[0].split() == ["name", "cases", "tests", "classes"]
    assert ["pima", "753", "8", "2"] in [line.split() for line in lines]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert "_BUDGETREE_COMPLETE" in run(capsys, "completion", shell)


def test_completion_knows_commands_options_and_data_sets() -> None:
    def complete(words: str, place: int) -> str:
        environment = os.environ | {
            "_BUDGETREE_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(place),
        }
        command, root = [sys.executable, "-m", "budgetree"], Path(__file__).parents[2]
        return subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=True).stdout

    assert "plain,frontier" in complete("budgetree fr", 1)
    assert "plain,--max-budget" in complete("budgetree frontier --max", 2)
    assert "plain,pima" in complete("budgetree frontier pi", 2)
    assert "plain,README.md" in complete("budgetree frontier READ", 2)
