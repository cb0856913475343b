"""`budgetree completion`, and what a shell then completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run


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
