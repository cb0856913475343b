"""Without Dask: an error that names the extra, and the command line says the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT_DASK = "import sys; sys.modules['distributed'] = None; "


@pytest.mark.parametrize(
    "script",
    [
        "import budgetree.dask",
        "from budgetree.cli import main; sys.exit(main('fit t.csv -t y --engine dask --budget 1 -o m.json'.split()))",
    ],
)
def test_the_extra_is_named(script: str, tmp_path: str) -> None:
    with open(f"{tmp_path}/t.csv", "w", encoding="utf-8") as file:
        file.write("a,y\n1,0\n2,1\n")
    command = [sys.executable, "-c", WITHOUT_DASK + script]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 1
    assert "budgetree.dask needs Dask with its data frames: pip install 'budgetree[dask]'" in ended.stderr
