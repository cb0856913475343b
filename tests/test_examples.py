"""The examples run, and the README shows what they print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def output(example: Path) -> str:
    return subprocess.run([sys.executable, example], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_example_runs(example: Path) -> None:
    assert output(example)


def test_the_readme_shows_what_the_first_example_prints() -> None:
    assert output(ROOT / "examples" / "pima.py").strip() in (ROOT / "README.md").read_text(encoding="utf-8")
