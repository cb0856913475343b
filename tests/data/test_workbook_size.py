"""Workbooks that would take all memory are refused before they are read, and others are not."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from workbooks import write_ods, write_xlsx

from budgetree.data.source import read_table
from budgetree.errors import TableFileError

ROWS = [["a", "b", "y"], [1, 2, "x"], [3, 4, "z"]]


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
    return write_xlsx(tmp_path / "cases.xlsx", {"cases": ROWS})


@pytest.fixture
def ods(tmp_path: Path) -> Path:
    return write_ods(tmp_path / "cases.ods", "cases", ROWS)


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
