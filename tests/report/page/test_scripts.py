"""The page's scripts under node: the unit tests in js/, and that together they are one program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from budgetree.report import page

TESTS = sorted((Path(__file__).parent / "js").glob("*.test.js"))
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed (apt-get install nodejs); it runs the page's scripts"
)


def run_node(*arguments: str | Path) -> None:
    ended = subprocess.run(["node", *arguments], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_scripts_pass_their_unit_tests() -> None:
    assert len(TESTS) > 5
    run_node("--test", *TESTS)


def test_in_one_closure_they_are_a_program(tmp_path: Path) -> None:
    whole = tmp_path / "page.cjs"
    whole.write_text(page._script(), encoding="utf-8")
    run_node("--check", whole)
