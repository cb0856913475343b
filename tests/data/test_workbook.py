"""Workbooks: sheets, gaps, and cells that are not what they look like."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
import xlwt
from workbooks import write_ods, write_xlsx

from _support.refusals import refused
from budgetree.data.source import Reading, read_table
from budgetree.data.table import Table, check_numbers
from budgetree.data.workbook import merged_cells
from budgetree.errors import TableFileError, Where

ROWS: list[list[Any]] = [
    ["alter", "größe", "stored as text", "tag", "raucher", "befund"],
    [31, 1.75, "12", date(2024, 2, 29), True, "krank"],
    [None, 1.8, "13.5", date(2023, 12, 1), False, " gesund "],
    [47, None, " 9 ", None, None, "krank"],
]


def values(table: Table, name: str) -> list[Any]:
    return [None if value != value else value for value in table.column(name).to_list()]


def test_a_sheet_is_read_as_a_file_of_text_would_be(tmp_path: Path) -> None:
    found = read_table(str(write_xlsx(tmp_path / "fälle.xlsx", {"Tabelle1": ROWS, "Tabelle2": []})))
    assert found.names == ROWS[0]
    assert values(found, "alter") == [31, None, 47]
    assert values(found, "größe") == [1.75, 1.8, None]
    assert values(found, "stored as text") == [12, 13.5, 9]
    assert values(found, "tag") == ["2024-02-29", "2023-12-01", None]
    assert values(found, "raucher") == ["True", "False", None]
    assert values(found, "befund") == ["krank", "gesund", "krank"]
    assert found.where(2) == Where(str(tmp_path / "fälle.xlsx"), entry="sheet 'Tabelle1', row 4")
    assert found.origin == Where(str(tmp_path / "fälle.xlsx"), entry="sheet 'Tabelle1'")


def test_libreoffice_writes_the_same(tmp_path: Path) -> None:
    found = read_table(str(write_ods(tmp_path / "t.ods", "one", [["a", "b"], [1.5, "x"], [2, ""]])))
    assert values(found, "a") == [1.5, 2]
    assert values(found, "b") == ["x", None]


def write_xls(path: Path, rows: list[list[Any]], merged: tuple[int, int, int, int] | None = None) -> str:
    """An old workbook, as Excel 97 writes it."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("Fälle")
    day, share = (xlwt.easyxf(num_format_str=shown) for shown in ("DD.MM.YYYY", "0.00%"))
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            style = {date: day, datetime: day, float: share}.get(type(cell), xlwt.Style.default_style)
            if merged is None or column != merged[2] or not merged[0] <= at <= merged[1]:
                sheet.write(at, column, cell, style)
    if merged is not None:
        sheet.write_merge(*merged, rows[merged[0]][merged[2]])
    book.save(str(path))
    return str(path)


def test_old_workbooks_hold_the_same(tmp_path: Path) -> None:
    old = read_table(write_xls(tmp_path / "t.xls", [[], *ROWS]))
    new = read_table(str(write_xlsx(tmp_path / "t.xlsx", {"Fälle": [[], *ROWS]})))
    assert old.names == new.names
    assert [values(old, name) for name in old.names] == [values(new, name) for name in new.names]
    assert old.place(2) == new.place(2) == "row 5"


def test_an_error_of_a_formula_is_a_missing_value(tmp_path: Path) -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("one")
    for at, cell in enumerate(["a", 1, None, 3]):
        sheet.write(at, 0, cell) if cell is not None else sheet.row(at).set_cell_error(0, "#DIV/0!")
        sheet.write(at, 1, "b" if at == 0 else "x")
    book.save(str(tmp_path / "t.xls"))
    assert values(read_table(str(tmp_path / "t.xls")), "a") == [1, None, 3]


def test_years_are_names_of_columns(tmp_path: Path) -> None:
    rows = [[2023, 2024.5, "y"], [1, 2, "a"]]
    assert read_table(str(write_xlsx(tmp_path / "t.xlsx", {"one": rows}))).names == ["2023", "2024.5", "y"]
    assert read_table(write_xls(tmp_path / "t.xls", rows)).names == ["2023", "2024.5", "y"]


def test_merged_cells_are_not_taken_for_missing_ones(tmp_path: Path) -> None:
    rows = [["a", "b"], [7, "x"], [None, "y"], [None, "z"], [8, "x"]]
    path = write_xls(tmp_path / "t.xls", rows, merged=(1, 3, 0, 0))
    with refused(TableFileError, entry="sheet 'Fälle', cells A2:A4"):
        read_table(path)
    empty = [["a", "b"], [None, "x"], [None, "y"], [8, "z"]]
    assert values(read_table(write_xls(tmp_path / "t.xls", empty, merged=(1, 2, 0, 0))), "a") == [None, None, 8]


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([((2, 1), (2, 1))], "B3:B3"),
        ([((0, 0), (0, 3))], None),  # a title above the table
        ([((1, 0), (1, 1))], None),  # two names of the header, of which one is then missing
        ([((5, 27), (6, 28))], "AB6:AC7"),
        ([((9, 0), (10, 0))], None),  # below the table
    ],
)
def test_merged_cells_count_below_the_header(ranges: list[Any], expected: str | None) -> None:
    assert merged_cells(ranges, (1, 0), [[7] * 30 for _ in range(5)]) == expected


def test_a_title_above_the_table_is_explained(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["Klinik 2024"], [], ["a", "b"], [1, 2]]}))
    with pytest.raises(
        TableFileError, match=r"row 1: column 2 has no name; .* If this is a title above the table, delete"
    ):
        read_table(path)


def test_the_table_may_stand_anywhere_in_its_sheet(tmp_path: Path) -> None:
    rows = [[], [], [None, "a", "b", None], [None, 1, "x", None], [], [None, 2, "y", None]]
    found = read_table(str(write_xlsx(tmp_path / "t.xlsx", {"one": rows})))
    assert found.names == ["a", "b"]
    full = found.without_empty_rows()
    assert [full.place(row) for row in range(2)] == ["row 4", "row 6"]
    assert values(full, "a") == [1, 2]


def test_a_sheet_is_asked_for_where_several_hold_something(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"2023": [["a"], [1]], "new": [["a"], [2]], "empty": []}))
    with refused(TableFileError, subject="sheet", found=("2023", "new")):
        read_table(path)
    assert values(read_table(path, Reading(sheet="new")), "a") == [2]
    assert values(read_table(path, Reading(sheet="1")), "a") == [1]
    assert values(read_table(path, Reading(sheet="2023")), "a") == [1]
    with refused(TableFileError, subject="sheet", found="old"):
        read_table(path, Reading(sheet="old"))
    with pytest.raises(TableFileError, match="the sheet is empty"):
        read_table(path, Reading(sheet="empty"))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with refused(TableFileError, subject="sheet", found="new"):
        read_table(str(tmp_path / "t.csv"), Reading(sheet="new"))


def test_numbers_stored_as_text_may_be_two_numbers(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "b"], ["1,234", 1], [2.5, 1]]}))
    with refused(TableFileError, entry="sheet 'one', row 2", subject="a", found="1,234"):
        check_numbers(read_table(path))
    assert values(read_table(path, Reading(thousands=",")), "a") == [1234, 2.5]
    assert values(read_table(path, Reading(decimal=",")), "a") == [1.234, 2.5]


def test_headers_are_checked(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "a"], [1, 2]]}))
    with refused(TableFileError, entry="sheet 'one', row 1", subject="a"):
        read_table(path)
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", None], [1, 2]]}))
    with pytest.raises(TableFileError, match=r"row 1: column 2 has no name"):
        read_table(path)
