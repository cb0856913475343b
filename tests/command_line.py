"""The command line as tests call it, and the options for the clinic's table (the fixture `clinic`)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from budgetree.cli import main

FIT_KNOWN = ["fit", "--objective", "known"]
LEAVE_OUT = ["--drop", "Patient", "--drop", "Aufnahme"]
TABLE = ["fälle.csv", "--target", "Befund", "--prices", "preise.toml", *LEAVE_OUT]


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    ended = main(list(arguments))
    printed = capsys.readouterr()
    assert ended == code, printed.out + printed.err
    assert "Traceback" not in printed.err
    return printed.err if code else printed.out
