"""The rows that predict prints; and lines that a spreadsheet does not run."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from command_line import main

from budgetree.cli.predictions import safe_line
from budgetree.data.table import csv_cell
from losing import losing_tree
from new_cases import new_frame


def test_predict_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    losing_tree(None).to_json(tmp_path / "m.json")
    new_frame(9, 40).to_csv(tmp_path / "new.csv", index=False)
    assert main(["predict", str(tmp_path / "m.json"), str(tmp_path / "new.csv")]) == 0
    assert ",refer," in capsys.readouterr().out


@pytest.mark.parametrize("cell", ["=1+1", "+x", "-x", "@a", "\t=1", "\r", "\n=1", "\uff1d1", "-inf", '="a",b', "-1\n"])
def test_a_formula_is_made_a_text(cell: str) -> None:
    line = f"{csv_cell(cell)},plain"
    (cells,) = csv.reader(io.StringIO(safe_line(line), newline=""))
    assert cells == [f"'{cell}", "plain"]


@pytest.mark.parametrize("line", ["", "a,b", "-3,+4.5,-1e-9", 'x=1,"a, b - c",me@home', "a - b,,"])
def test_what_is_no_formula_stays(line: str) -> None:
    assert safe_line(line) == line
