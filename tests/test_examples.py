"""The examples run, and the README shows what they print."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest

import budgetree as bt

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


# Those that take as long as they are given.
IN_A_HURRY = {"certificates.py": ["1"], "optimal.py": ["1"]}


def output(example: Path) -> str:
    command = [sys.executable, example, *IN_A_HURRY.get(example.name, [])]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_example_runs(example: Path) -> None:
    assert output(example)


def test_the_readmes_own_impurity_is_refuted_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    block = next(block for block in blocks if "check_admissible" in block)
    exec(block, {"bt": bt})
    assert f"# {capsys.readouterr().out.strip()}" in block


def test_the_readmes_first_python_lines_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    rows = [
        ("low", "yes", "clear", "up", "no"),
        ("high", "no", "unclear", "up", "yes"),
        ("low", "no", "clear", "down", "no"),
    ]
    table = pd.DataFrame(rows * 2, columns=["troponin", "ecg", "mri", "ddimer", "diagnosis"])
    with contextlib.chdir(tempfile.mkdtemp()):
        exec(blocks[0], {"table": table, "new_table": table})
        assert Path("pathway.json").exists()


def test_the_readmes_other_python_lines_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    X = pd.DataFrame({"ecg": ["up", "down"] * 3, "mri": ["clear", "unclear", "clear"] * 2})  # noqa: N806
    names = {"X": X, "y": X["ecg"], "prices": {"ecg": 40, "mri": 250}, "bt": bt}
    exec(next(block for block in blocks if "BudgetTreeClassifier" in block), names)
    cases = bt.Instance.from_frame(X.assign(y=X["ecg"] + X["mri"]), "y", prices={"ecg": 400, "mri": 250})
    names |= {"tree": bt.grow(cases), "fetch": {"ecg": "up", "mri": "clear"}.__getitem__}
    exec(next(block for block in blocks if "Consultation" in block), names)


def test_the_oracle_never_imports_the_library() -> None:
    assert "import budgetree" not in (ROOT / "tests" / "reference.py").read_text(encoding="utf-8")


def test_the_readme_shows_what_its_first_commands_print(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.findall(r"^```bash\n(.*?)^```", readme, re.S | re.M)[0]
    commands = [line for line in block.splitlines() if line.startswith("budgetree ")]
    assert len(commands) == 3
    for command in commands:
        arguments = command.split()[1:]
        ended = subprocess.run(
            [sys.executable, "-m", "budgetree", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert ended.returncode == 0
        assert ended.stdout.strip() in readme
