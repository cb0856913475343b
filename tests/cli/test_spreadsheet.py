"""CSV for spreadsheets: formulas become text, numbers and everything else stay."""

from __future__ import annotations

import csv
import io

import pytest

from budgetree.cli.predictions import safe_line
from budgetree.data.batches import csv_cell


@pytest.mark.parametrize("cell", ["=1+1", "+x", "-x", "@a", "\t=1", "\r", "\n=1", "\uff1d1", "-inf", '="a",b', "-1\n"])
def test_a_formula_is_made_a_text(cell: str) -> None:
    line = f"{csv_cell(cell)},plain"
    (cells,) = csv.reader(io.StringIO(safe_line(line), newline=""))
    assert cells == [f"'{cell}", "plain"]


@pytest.mark.parametrize("line", ["", "a,b", "-3,+4.5,-1e-9", 'x=1,"a, b - c",me@home', "a - b,,"])
def test_what_is_no_formula_stays(line: str) -> None:
    assert safe_line(line) == line
