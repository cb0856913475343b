"""Workbooks (.xlsx, .xls, .ods) as tables: a sheet is read as a file of text would be."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from functools import partial
from typing import IO, Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from budgetree.data.column import int_if_whole, text_column
from budgetree.data.csv import check_header
from budgetree.data.source import Reading
from budgetree.data.table import Lines, Table
from budgetree.errors import TableFileError
from budgetree.services.words import no_such

MAX_SPANNED = 2_000_000  # cells that a sheet may span whatever it holds; beyond that, a share of them has to be there
LEAST_SHARE = 4  # one in so many
MAX_UNPACKED, MAX_RATIO = 100 << 20, 100  # bytes of a part, and how many times its packed size beyond that
CHUNK = 1 << 20
LOCAL_HEADER = 30  # bytes, without the name and what follows it
# A reference of a cell or a row, also where no blank stands before it: readers are patient.
REFERENCE = re.compile(rb"""r\s?=\s?["']([A-Za-z]{0,9})([0-9]{1,30})""")
BLANKS = re.compile(rb"\s{2,}")
CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
OPEN_ROW = re.compile(rb"<table:table-row\b([^>]*)>")
ROW_END = b"</table:table-row>"
OPEN_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b([^>]*)>")
ROWS_REPEATED = re.compile(rb"""number-rows-repeated=["']([0-9]{1,9})""")
COLUMNS_REPEATED = re.compile(rb"""number-columns-repeated=["']([0-9]{1,9})""")


def unreadable(path: str, why: Exception | str) -> TableFileError:
    """What a workbook is told that nobody can read."""
    return TableFileError(
        f"{path}: this looks like a workbook or an archive, but no sheet can be read ({why}). Save the table as CSV "
        "and give that."
    )


def check_size(path: str) -> None:
    """TableFileError where a workbook is larger than its file can hold, or that cannot be known."""
    with open(path, "rb") as file:
        if file.read(2) != b"PK":  # an old workbook (.xls), which is not measured
            return
    try:
        with zipfile.ZipFile(path) as book, open(path, "rb") as file:
            for part in book.infolist():
                if part.filename.endswith("workbook.bin"):
                    raise unreadable(path, "it is a binary workbook, .xlsb")
                chunks = _measured(path, part, _unpacked(file, part))
                if part.filename == "content.xml":
                    _check_span(path, *_span_of_rows(_well_formed(chunks)))
                elif "worksheets/" in part.filename:
                    _check_span(path, *_span_of_cells(chunks))
                else:
                    for _ in chunks:
                        pass
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, UnicodeDecodeError, expat.ExpatError) as error:
        raise unreadable(path, error) from error


def _unpacked(file: IO[bytes], part: zipfile.ZipInfo) -> Iterator[bytes]:
    """The part's content, however long the archive says that it is."""
    file.seek(part.header_offset)
    header = file.read(LOCAL_HEADER)
    if len(header) < LOCAL_HEADER:
        return
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    left, unpack = part.compress_size, zlib.decompressobj(-zlib.MAX_WBITS)
    while left > 0 and (packed := file.read(min(CHUNK, left))):
        left -= len(packed)
        if part.compress_type == zipfile.ZIP_STORED:
            yield packed
            continue
        while packed and not unpack.eof:
            yield unpack.decompress(packed, CHUNK)
            packed = unpack.unconsumed_tail


def _measured(path: str, part: zipfile.ZipInfo, chunks: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > max(MAX_UNPACKED, MAX_RATIO * part.compress_size):
            raise TableFileError(
                f"{path}: {part.filename!r} unpacks to more than {MAX_RATIO} times its size, as no table does. "
                "Save the table as CSV and give that."
            )
        yield chunk


def _well_formed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same; ExpatError where a tag is not closed, for whose end the reader of .ods would wait forever."""
    parser = expat.ParserCreate()
    for chunk in chunks:
        parser.Parse(chunk)
        yield chunk
    parser.Parse(b"", True)


def _span_of_cells(chunks: Iterator[bytes]) -> tuple[int, int]:
    """Of a sheet of .xlsx: how many cells lie between the first and the last, and how many there are."""
    last_row, columns, n_cells, rest = 0, set[bytes](), 0, b""
    for chunk in chunks:
        text = BLANKS.sub(b" ", rest + chunk)
        n_cells += len(CELL.findall(text))
        if found := REFERENCE.findall(text):
            last_row = max(last_row, max(int(row) for _, row in found))
            columns.update({column for column, _ in found})
        rest = text[-60:]  # a reference may begin here
    return last_row * max(map(_column_number, columns | {b"A"})), n_cells


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _span_of_rows(chunks: Iterator[bytes]) -> tuple[int, int]:
    """The same of .ods, whose rows and cells may say that they are there many times; empty ones at the end are not."""
    n_rows, width, n_cells, rest = 0, 0, 0, b""
    for chunk in chunks:
        *rows, rest = (rest + chunk).split(ROW_END)
        for row in rows:
            opened = OPEN_ROW.search(row)
            filled, seen = 0, 0
            for cell in OPEN_CELL.finditer(row):
                repeated = COLUMNS_REPEATED.search(cell.group(1))
                seen += int(repeated.group(1)) if repeated else 1
                if b"value" in cell.group(1):
                    filled, n_cells = seen, n_cells + 1
            times = ROWS_REPEATED.search(opened.group(1)) if opened and filled else None
            n_rows += int(times.group(1)) if times else 1
            width = max(width, filled)
    return n_rows * width, n_cells


def _check_span(path: str, spanned: int, n_cells: int) -> None:
    if spanned > max(MAX_SPANNED, LEAST_SHARE * n_cells):
        raise TableFileError(
            f"{path}: the {n_cells:,} cells of a sheet span {spanned:,}, which would take all memory; some lie far "
            "from the table. Delete them, or save the table as CSV and give that."
        )


SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
FORMULA_CELL = re.compile(rb"<c\b([^>]*[^/>])>(.*?)</c>", re.DOTALL)
VALUE = re.compile(rb"<v\b[^>]*>[^<]")
TEXT = re.compile(rb"""\bt=["']str""")  # of a formula: what it gives is a text, which may be empty
PLACE = re.compile(rb"""\br=["']([A-Z]+[0-9]+)""")


def empty_formula(path: str, sheet: str) -> str | None:
    """The first cell of a sheet in an .xlsx file that has a formula and no value, such as "B2"; None if there is none.

    Files of another kind, or written in a way that is not understood here, have none.
    """
    try:
        with zipfile.ZipFile(path) as book:
            content = book.read(_part_of(book, sheet))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, OSError):
        return None
    if b"<f" not in content:
        return None
    for attributes, inner in FORMULA_CELL.findall(content):
        place = PLACE.search(attributes)
        is_empty = b"<f" in inner and not VALUE.search(inner) and not TEXT.search(attributes)
        if is_empty and place is not None:
            return place[1].decode()
    return None


def _part_of(book: zipfile.ZipFile, sheet: str) -> str:
    """The name of the archive's part that holds the sheet; KeyError where there is none."""
    listed = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(SHEET)
    relation = {entry.get("name"): entry.get(RELATION) for entry in listed}[sheet]
    targets = ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
    target = {entry.get("Id"): entry.get("Target", "") for entry in targets}[relation]
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


Place = tuple[int, int]  # a cell's row and column, from 0


def read_excel(path: str, reading: Reading) -> Table:
    """One sheet of a workbook; the first row that holds anything is its header."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    check_size(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            sheets = {name: book.get_sheet_by_name(name) for name in _wanted(path, book.sheet_names, reading.sheet)}
            full = {name: sheet for name, sheet in sheets.items() if sheet.height}
            name = _only_one(path, list(full))
            start = full[name].start or (0, 0)
            first_row = start[0] + 1
            header, *rows = full[name].to_python(skip_empty_area=True)
            merged = merged_cells(full[name].merged_cell_ranges or (), start, rows)
    except PasswordError as error:
        raise TableFileError(f"{path}: this workbook has a password; save it without one.") from error
    except (CalamineError, OSError) as error:
        raise unreadable(path, error) from error
    where = f"{path}, sheet {name!r}"
    if merged is not None:
        raise TableFileError(
            f"{where}, cells {merged}: they are merged, and only the first of them holds a value. Split them, and fill "
            "in what each of them means."
        )
    names = [_text(cell) for cell in header]
    cells = [[row[at] for row in rows] for at in range(len(names))]
    # Spreadsheets keep empty columns beside a table, which have no name.
    kept = [at for at, heading in enumerate(names) if heading or any(_text(cell) for cell in cells[at])]
    names, cells = [names[at] for at in kept], [cells[at] for at in kept]
    check_header(f"{where}, row {first_row}", tuple(names))
    written = reading.number_format()
    columns = tuple(
        text_column(name, _texts(column, reading, written.decimal), written)
        for name, column in zip(names, cells, strict=True)
    )
    if any(column.is_absent.any() for column in columns) and (cell := empty_formula(path, name)) is not None:
        raise TableFileError(
            f"{where}, cell {cell}: a formula without a value, as some programs write them. Open the workbook in a "
            "spreadsheet program and save it, which computes the formulas; or save the sheet as CSV."
        )
    places = Lines(np.arange(len(rows)), partial(_places, first_row + 1, len(rows)))
    return Table(where, columns, len(rows), lines=places)


def _wanted(path: str, names: Sequence[str], sheet: str | None) -> list[str]:
    """The sheets to look at: all, or the one that was asked for, by name or by number."""
    if sheet is None:
        return list(names)
    if sheet in names:
        return [sheet]
    if sheet.isdigit() and 1 <= int(sheet) <= len(names):
        return [names[int(sheet) - 1]]
    raise TableFileError(f"{path}: {no_such('sheet', sheet, names)}")


def _only_one(path: str, full: Sequence[str]) -> str:
    if len(full) == 1:
        return full[0]
    if not full:
        raise TableFileError(f"{path}: the sheet is empty; expected a header row and a row per case.")
    raise TableFileError(
        f"{path}: {len(full)} sheets hold something: {', '.join(full)}. Say which: --sheet {full[0]!r}."
    )


def _texts(cells: Sequence[Any], reading: Reading, decimal: str) -> list[str | None]:
    absent = reading.missing_cells
    return [None if text in absent else text for text in (_text(cell, decimal) for cell in cells)]


def _text(cell: Any, decimal: str = ".") -> str:
    """A cell as a file of text would have it."""
    if isinstance(cell, (bool, time)):
        return str(cell)
    if isinstance(cell, (int, float)):
        return str(int_if_whole(float(cell))).replace(".", decimal)
    if isinstance(cell, datetime) and cell.time() == time():
        return str(cell.date())
    return str(cell) if isinstance(cell, date) else str(cell).strip()


def merged_cells(ranges: Iterable[tuple[Place, Place]], start: Place, rows: Sequence[Sequence[Any]]) -> str | None:
    """The first cells below the header that are merged and hold something, such as "B2:B4"; None if there are none.

    Places are rows and columns from 0; the header begins at the start.
    """
    for (top, left), (bottom, right) in sorted(ranges):
        row, column = top - start[0] - 1, left - start[1]
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]) and _text(rows[row][column]):
            return f"{_cell_name(top, left)}:{_cell_name(bottom, right)}"
    return None


def _cell_name(row: int, column: int) -> str:
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def _places(first: int, count: int) -> Iterator[str]:
    return (f"row {row}" for row in range(first, first + count))
