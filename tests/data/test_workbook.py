"""Workbooks: sheets, gaps, and cells that are not what they look like."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import xlwt
from workbooks import Day, write_ods, write_xlsx

import budgetree as bt
from _support.refusals import refused
from budgetree.data.source import Reading, read_table
from budgetree.data.table import Table, check_numbers
from budgetree.data.workbook import empty_formula, merged_cells
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
            style = {date: day, datetime: day, time: day, float: share}.get(type(cell), xlwt.Style.default_style)
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


def test_merged_cells_are_filled_on_request_and_a_header_may_have_two_rows(tmp_path: Path) -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("one")
    rows = [["Klinik 2024"], [None, "Blut", None, "Alter"], ["Station", "chol", "zucker", None], ["A", 1, 2, 50]]
    for at, row in enumerate([*rows, [None, 3, 4, 60], ["B", 5, 6, 70], [None, 7, 8, 80]]):
        for column, cell in enumerate(row):
            if cell is not None and (at, column) not in [(1, 1), (1, 3), (3, 0), (5, 0)]:
                sheet.write(at, column, cell)
    for range_, value in [((1, 1, 1, 2), "Blut"), ((1, 2, 3, 3), "Alter"), ((3, 4, 0, 0), "A"), ((5, 6, 0, 0), "B")]:
        sheet.write_merge(*range_, value)
    book.save(path := str(tmp_path / "t.xls"))
    found = read_table(path, Reading(header_row=(2, 3), fill_down=True))
    assert found.names == ["Station", "Blut chol", "Blut zucker", "Alter"]
    assert values(found, "Station") == ["A", "A", "B", "B"]
    assert values(found, "Alter") == [50, 60, 70, 80]
    assert found.place(0) == "row 4"
    with refused(TableFileError, entry="sheet 'one', cells A4:A5"):
        read_table(path, Reading(header_row=(2, 3)))
    with pytest.raises(TableFileError, match="in row 9, but the sheet holds something in rows 1 to 7"):
        read_table(path, Reading(header_row=9))


@pytest.mark.parametrize("cell", [time(12), datetime(1900, 2, 28)])
def test_an_old_workbook_does_not_say_which_day_it_was(tmp_path: Path, cell: Any) -> None:
    rows = [["day", "y"], [datetime(1950, 1, 2), "a"], [datetime(1901, 1, 2), "b"]]
    assert values(read_table(write_xls(tmp_path / "t.xls", rows)), "day") == ["1950-01-02", "1901-01-02"]
    with refused(TableFileError, found="A4"):
        read_table(write_xls(tmp_path / "t.xls", [*rows, [cell, "a"]]))


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
    with refused(TableFileError, entry="sheet 'one', row 1"):
        read_table(path)


GAP_ROWS = [["a", "b", "y"], [1, None, "p"], [2, None, "q"]]
CELL = '<c r="A2"><v>1</v></c>'


def workbook(folder: Path, cells: str) -> Path:
    """The same rows, with other cells beside the first number."""
    whole, changed = write_xlsx(folder / "whole.xlsx", {"notes": [], "cases": GAP_ROWS}), folder / "changed.xlsx"
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
    with refused(TableFileError, entry="sheet 'cases', cell B2"):
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


SMALL_ROWS = [["a", "b", "y"], [1, 2, "x"], [3, 4, "z"]]


def with_content(path: Path, change: Callable[[bytes], bytes]) -> Path:
    """The same workbook with another sheet."""
    packed = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as changed:
        for name in book.namelist():
            content = book.read(name)
            changed.writestr(name, change(content) if name.endswith(("sheet1.xml", "content.xml")) else content)
    path.write_bytes(packed.getvalue())
    return path


@pytest.fixture
def xlsx(tmp_path: Path) -> Path:
    return write_xlsx(tmp_path / "cases.xlsx", {"cases": SMALL_ROWS})


@pytest.fixture
def ods(tmp_path: Path) -> Path:
    return write_ods(tmp_path / "cases.ods", "cases", SMALL_ROWS)


@pytest.mark.parametrize(
    "cell",
    [
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        b'<row r="4"><c r="C4" t="n"r="ZZ100000"><v>1</v></c></row>',
        b'<row r="4"><c r  =  "ZZZ1000000"><v>1</v></c></row>',
        b'<row r="4000000000"><c><v>1</v></c></row>',
    ],
)
def test_a_cell_far_from_the_table_is_refused(xlsx: Path, cell: bytes) -> None:
    with_content(xlsx, lambda sheet: sheet.replace(b"</sheetData>", cell + b"</sheetData>"))
    with pytest.raises(TableFileError, match=r"cells of a sheet span .* some lie far from the table"):
        read_table(str(xlsx))


def test_a_cell_somewhat_beside_the_table_is_none_of_these(xlsx: Path) -> None:
    far = b'<row r="900"><c r="A900"><v>7</v></c></row></sheetData>'
    with_content(xlsx, lambda sheet: sheet.replace(b"</sheetData>", far))
    assert read_table(str(xlsx)).n_rows == 899


def test_rows_that_say_they_are_there_a_million_times_are_refused(ods: Path) -> None:
    rows = b'<table:table-row table:number-rows-repeated="1000000">'
    with_content(ods, lambda sheet: rows.join(sheet.rsplit(b"<table:table-row>", 1)))
    with pytest.raises(TableFileError, match="the 9 cells of a sheet span 3,000,006"):
        read_table(str(ods))


def test_empty_rows_and_columns_at_the_end_are_what_spreadsheets_write(ods: Path) -> None:
    empty = (
        b'<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        b'table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )
    with_content(ods, lambda sheet: sheet.replace(b"</table:table>", empty))
    assert read_table(str(ods)).n_rows == 2


@pytest.mark.parametrize("is_false", [False, True], ids=["true size", "false size"])
def test_what_unpacks_to_a_thousand_times_its_size_is_refused(xlsx: Path, is_false: bool) -> None:
    with_content(xlsx, lambda sheet: sheet.replace(b"</sheetData>", b" " * (110 << 20) + b"</sheetData>"))
    if is_false:
        with zipfile.ZipFile(xlsx) as book:
            size = book.getinfo("xl/worksheets/sheet1.xml").file_size
        xlsx.write_bytes(xlsx.read_bytes().replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    with pytest.raises(TableFileError, match="no sheet can be read" if is_false else "more than 100 times its size"):
        read_table(str(xlsx))


def test_a_binary_workbook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.xlsb"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/workbook.bin", b"\x83\x01\x00")
    with pytest.raises(TableFileError, match=r"no sheet can be read \(it is a binary workbook, \.xlsb\)"):
        read_table(str(path))


def test_an_archive_whose_parts_cannot_be_measured_is_refused(xlsx: Path) -> None:
    with_content(xlsx, lambda sheet: sheet)
    content = bytearray(xlsx.read_bytes())
    begin = content.index(b"xl/worksheets/sheet1.xml") + len("xl/worksheets/sheet1.xml")
    content[begin : begin + 8] = b"\xff" * 8
    xlsx.write_bytes(content)
    with pytest.raises(TableFileError, match="no sheet can be read"):
        read_table(str(xlsx))


def test_a_tag_that_is_not_closed_is_refused_and_not_waited_for(ods: Path) -> None:
    with_content(ods, lambda content: content.replace(b"</table:table>", b"</table:t<row/>able>"))
    with pytest.raises(TableFileError, match="no sheet can be read"):
        read_table(str(ods))


@pytest.mark.parametrize("day", [-400, -1, -0.5, 60, 60.5])
def test_a_day_that_would_be_read_as_another_is_refused(tmp_path: Path, day: float) -> None:
    good = [["moment", "y"], *[[Day(serial), "a"] for serial in (0, 0.25, 1, 59, 59.25, 61, 45000)], [-3, "b"]]
    table = read_table(str(write_xlsx(tmp_path / "good.xlsx", {"one": good})))
    assert len(set(table.column("moment").to_list())) == 8
    path = write_xlsx(tmp_path / "t.xlsx", {"one": [*good, [Day(day), "a"]]})
    with refused(TableFileError, found="A10") as caught:
        read_table(str(path))
    assert "sheet 'one', cell A10: this is shown as a date, but before 1900" in str(caught.value)
