"""Formulas without a value are found, and nothing else is."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from workbooks import write_xlsx

import budgetree as bt
from budgetree.data.source import read_table
from budgetree.data.workbook import empty_formula
from budgetree.errors import TableFileError

ROWS = [["a", "b", "y"], [1, None, "p"], [2, None, "q"]]
CELL = '<c r="A2"><v>1</v></c>'


def workbook(folder: Path, cells: str) -> Path:
    """The same rows, with other cells beside the first number."""
    whole, changed = write_xlsx(folder / "whole.xlsx", {"notes": [], "cases": ROWS}), folder / "changed.xlsx"
    with zipfile.ZipFile(whole) as book, zipfile.ZipFile(changed, "w") as copy:
        for part in book.namelist():
            copy.writestr(part, book.read(part).decode().replace(CELL, CELL + cells))
    return changed


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="B2"><f>A2*2</f></c>',
        '<c r="B2"><f>A2*2</f><v></v></c>',
        '<c r="B2" s="1"><f>A2*2</f><v/></c>',
        '<c r="B2"><f t="shared" ref="B2:B3" si="0">A2*2</f><v /></c>',
    ],
)
def test_a_formula_without_a_value_is_refused_with_its_place(tmp_path: Path, cell: str) -> None:
    path = workbook(tmp_path, cell)
    assert empty_formula(str(path), "cases") == "B2"
    with pytest.raises(TableFileError, match=r"sheet 'cases', cell B2: a formula without a value.*save it"):
        bt.Instance.from_file(path, "y")


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="B2"><f>A2*2</f><v>2</v></c>',
        '<c r="B2" t="str"><f>IF(A2,"","x")</f><v></v></c>',
        '<c r="B2"/>',
        "",
    ],
)
def test_cells_that_have_what_they_should_are_read(tmp_path: Path, cell: str) -> None:
    path = workbook(tmp_path, cell)
    assert empty_formula(str(path), "cases") is None
    assert read_table(str(path)).names == ["a", "b", "y"]


def test_what_is_no_xlsx_has_no_formulas(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n=A2,1\n", encoding="utf-8")
    assert empty_formula(str(tmp_path / "t.csv"), "cases") is None
