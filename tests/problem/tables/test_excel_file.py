"""Workbooks: sheets, gaps, and cells that are not what they look like."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from workbooks import write_ods, write_xlsx

from budgetree.errors import TableFileError
from budgetree.problem.tables.files import read_table
from budgetree.problem.tables.reading import Reading
from budgetree.problem.tables.table import Table
from budgetree.problem.tables.texts import check_numbers

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
    assert found.where(2) == "row 4"
    assert found.source == f"{tmp_path / 'fälle.xlsx'}, sheet 'Tabelle1'"


def test_libreoffice_writes_the_same(tmp_path: Path) -> None:
    found = read_table(str(write_ods(tmp_path / "t.ods", "one", [["a", "b"], [1.5, "x"], [2, ""]])))
    assert values(found, "a") == [1.5, 2]
    assert values(found, "b") == ["x", None]


def test_the_table_may_stand_anywhere_in_its_sheet(tmp_path: Path) -> None:
    rows = [[], [], [None, "a", "b", None], [None, 1, "x", None], [], [None, 2, "y", None]]
    found = read_table(str(write_xlsx(tmp_path / "t.xlsx", {"one": rows})))
    assert found.names == ["a", "b"]
    full = found.without_empty_rows()
    assert [full.where(row) for row in range(2)] == ["row 4", "row 6"]
    assert values(full, "a") == [1, 2]


def test_a_sheet_is_asked_for_where_several_hold_something(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"2023": [["a"], [1]], "new": [["a"], [2]], "empty": []}))
    with pytest.raises(TableFileError, match=r"2 sheets hold something: 2023, new\. Say which: --sheet '2023'"):
        read_table(path)
    assert values(read_table(path, Reading(sheet="new")), "a") == [2]
    assert values(read_table(path, Reading(sheet="1")), "a") == [1]
    assert values(read_table(path, Reading(sheet="2023")), "a") == [1]
    with pytest.raises(TableFileError, match=r"there is no sheet .old.\. There are: 2023, new, empty"):
        read_table(path, Reading(sheet="old"))
    with pytest.raises(TableFileError, match="the sheet is empty"):
        read_table(path, Reading(sheet="empty"))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="this is no workbook, so it has no sheet 'new'"):
        read_table(str(tmp_path / "t.csv"), Reading(sheet="new"))


def test_numbers_stored_as_text_may_be_two_numbers(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "b"], ["1,234", 1], [2.5, 1]]}))
    with pytest.raises(TableFileError, match=r"sheet 'one', row 2: column 'a' has '1,234', which could be 1234"):
        check_numbers(read_table(path))
    assert values(read_table(path, Reading(thousands=",")), "a") == [1234, 2.5]
    assert values(read_table(path, Reading(decimal=",")), "a") == [1.234, 2.5]


def test_headers_are_checked(tmp_path: Path) -> None:
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "a"], [1, 2]]}))
    with pytest.raises(TableFileError, match="row 1: column names must differ, but there is 'a' in columns 1, 2"):
        read_table(path)
    path = str(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", None], [1, 2]]}))
    with pytest.raises(TableFileError, match="row 1: column 2 has no name"):
        read_table(path)
