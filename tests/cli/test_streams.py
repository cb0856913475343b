"""Closed streams, full disks and readers that stop: exit codes and words, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import budgetree as bt

pytestmark = pytest.mark.skipif(os.name != "posix", reason="as a POSIX shell closes them")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "m.json"
    bt.grow(bt.datasets.load("soybean")).to_json(path)
    return path


def shell(model: Path, line: str) -> tuple[int, str, str]:
    command = f"{sys.executable} -m budgetree"
    done = subprocess.run(
        ["bash", "-c", line.replace("budgetree", command).replace("m.json", str(model))],
        capture_output=True,
        text=True,
        check=False,
        cwd=model.parent,
    )
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("budgetree show m.json | head -1; exit ${PIPESTATUS[0]}", 0, ""),
        ("budgetree show --as rules m.json | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("budgetree --help | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("budgetree show m.json >&-", 1, "standard output is closed; there is nowhere to print"),
        ("budgetree show --json m.json >&-", 1, "standard output is closed"),
        ("budgetree show m.json > /dev/full", 1, "No space left on device"),
        ("budgetree ask m.json <&-", 1, "ended before the answer was clear"),
        ("budgetree ask m.json < /dev/null", 1, "ended before the answer was clear"),
        ("budgetree show m.json <&- > /dev/null", 0, ""),
        ("budgetree show nothing.json 2>&-", 1, ""),
        ("budgetree show nothing.json 2> /dev/full", 1, ""),
        ("budgetree nonsense 2>&-", 2, ""),
        ("budgetree show m.json <&- >&- 2>&-", 1, ""),
    ],
)
def test_a_command_ends_sensibly(model: Path, line: str, code: int, words: str) -> None:
    ended, _, said = shell(model, line)
    assert ended == code
    assert words in said


def test_a_file_is_written_although_nothing_can_be_printed(model: Path) -> None:
    page = model.parent / "page.html"
    assert shell(model, f"budgetree report m.json -o {page} >&-")[0] == 1
    assert page.read_text().rstrip().endswith("</html>")  # and nothing was printed into it
