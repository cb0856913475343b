"""Workbooks (.xlsx, .xls, .ods) as tables: a sheet is read as a file of text would be."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from budgetree.data.column import int_if_whole, text_column
from budgetree.data.csv_file import check_header, joined_names
from budgetree.data.source import Reading
from budgetree.data.table import Lines, Table
from budgetree.errors import Remedy, TableFileError, Where
from budgetree.services.words import no_such

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

Place = tuple[int, int]  # a cell's row and column, from 0

# A file of two kilobytes may say that it has a cell in the last corner, and reading takes memory for all cells between
# the first and the last; so would a part that unpacks to a thousand times its size.
MAX_SPANNED = 2_000_000  # cells that a sheet may span whatever it holds; beyond that, a share of them has to be there
LEAST_SHARE = 4  # one in so many
MAX_UNPACKED, MAX_RATIO = 100 << 20, 100  # bytes of a part, and how many times its packed size beyond that
CHUNK = 1 << 20
SAVE = "Save the table as CSV and give that."
# What Python says of a broken part; for the end of a tag that is not closed the reader of .ods would wait forever.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, UnicodeDecodeError, expat.ExpatError)

# A reference of a cell or a row, also where no blank stands before it: readers are patient.
REFERENCE = re.compile(rb"""r\s?=\s?["']([A-Za-z]{0,9})([0-9]{1,30})""")
BLANKS = re.compile(rb"\s{2,}")
CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
FORMULA_CELL = re.compile(rb"<c\b([^>]*[^/>])>(.*?)</c>", re.DOTALL)
VALUE = re.compile(rb"<v\b[^>]*>[^<]")
TEXT = re.compile(rb"""\bt=["']str""")  # of a formula: what it gives is a text, which may be empty
DAY = re.compile(rb"<v\b[^>]*>\s*(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*<")
PLACE = re.compile(rb"""\br=["']([A-Z]+[0-9]+)""")


def read_workbook(path: str, reading: Reading) -> Table:
    """One sheet of a workbook; the first row that holds anything is its header, by default."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    _check_size(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            sheet = _sheet(path, book, reading.sheet)
            name, start = sheet.name, sheet.start or (0, 0)
            cells, ranges = sheet.to_python(skip_empty_area=True), sorted(sheet.merged_cell_ranges or ())
    except PasswordError as error:
        raise TableFileError("this workbook has a password; save it without one.", where=Where(path)) from error
    except (CalamineError, OSError) as error:
        raise _unreadable(path, error) from error
    first, last = (row - 1 - start[0] for row in reading.header_rows or (start[0] + 1,) * 2)
    if not 0 <= first <= last < len(cells):
        message = f"the header is expected in row {start[0] + 1 + last}, but the sheet holds something in rows"
        where, held = Where(path, entry=f"sheet {name!r}"), f"{start[0] + 1} to {start[0] + len(cells)}."
        raise TableFileError(f"{message} {held}", subject="header_row", found=reading.header_row, where=where)
    above, rows = cells[first : last + 1], cells[last + 1 :]
    for (top, left), (_, right) in ranges:  # a group's name stands over all of its columns
        if first <= (row := top - start[0]) < last:
            name_of_group = above[row - first][left - start[1]]
            above[row - first][left - start[1] : right + 1 - start[1]] = [name_of_group] * (right + 1 - left)
    start = (start[0] + last, start[1])
    if reading.fill_down:
        _fill_down(ranges, start, rows)
    elif (merged := merged_cells(ranges, start, rows)) is not None:
        message = "they are merged, and only the first of them holds a value. Split them, and fill in what each of them"
        fill = Remedy("means; or give fill_down=True.", "means; or use --fill-down.")
        raise TableFileError(message, where=Where(path, entry=f"sheet {name!r}, cells {merged}"), remedy=fill)
    if (cell := no_date(path, name, start, rows)) is not None:
        message = (
            "this is shown as a date, but before 1900, and on 29 February 1900, spreadsheets know no days; expected"
        )
        remedy = "a later date. Write it as text, such as 1899-12-31, or as an age in years."
        raise TableFileError(f"{message} {remedy}", where=Where(path, entry=f"sheet {name!r}, cell {cell}"), found=cell)
    header = joined_names([list(map(_text, row)) for row in above])
    named = [(heading, [row[at] for row in rows]) for at, heading in enumerate(header)]
    # Spreadsheets keep empty columns beside a table, which have no name.
    kept = [(heading, column) for heading, column in named if heading or any(map(_text, column))]
    first_row = start[0] + 1
    check_header(Where(path, entry=f"sheet {name!r}, row {first_row}"), [heading for heading, _ in kept])
    written, absent = reading.number_format(), reading.missing_cells
    columns = []
    words = [[cell.strip() for cell in column if isinstance(cell, str)] for _, column in kept]
    written = written.shown_by(chain.from_iterable(words))
    for (heading, column), typed in zip(kept, words, strict=True):
        doubtful = any(map(written.is_ambiguous, typed))
        texts = [_text(cell, written.decimal) for cell in column]
        if doubtful:  # 1.136 as a text may be 1136; as a number it is 1.136, which 1.1360 is for certain
            is_typed = [not isinstance(cell, str) and written.is_ambiguous(_text(cell)) for cell in column]
            texts = [f"{text}0" if typed else text for text, typed in zip(texts, is_typed, strict=True)]
        present = [None if text in absent else text for text in texts]
        columns.append(text_column(heading, present, written if doubtful else replace(written, is_shown=True), typed))
    if any(column.is_absent.any() for column in columns) and (cell := empty_formula(path, name)) is not None:
        message = "a formula without a value, as some programs write them. Open the workbook in a spreadsheet program"
        remedy = "and save it, which computes the formulas; or save the sheet as CSV."
        raise TableFileError(f"{message} {remedy}", where=Where(path, entry=f"sheet {name!r}, cell {cell}"))
    starts = partial(zip, [path] * len(rows), range(first_row + 1, first_row + 1 + len(rows)))
    return Table(path, tuple(columns), len(rows), lines=Lines(np.arange(len(rows)), starts), sheet=name)


def _sheet(path: str, book: CalamineWorkbook, wanted: str | None) -> CalamineSheet:
    """The sheet that is wanted, by its name or number; by default the only one that holds something."""
    names = book.sheet_names
    if wanted is not None and wanted not in names:
        if not wanted.isdigit() or not 1 <= int(wanted) <= len(names):
            raise TableFileError(no_such("sheet", wanted, names), subject="sheet", found=wanted, where=Where(path))
        wanted = names[int(wanted) - 1]
    sheets = map(book.get_sheet_by_name, names if wanted is None else [wanted])
    full = {sheet.name: sheet for sheet in sheets if sheet.height}
    if not full:
        raise TableFileError("the sheet is empty; expected a header row and a row per case.", where=Where(path))
    first, *others = full
    if others:
        message = f"{len(full)} sheets hold something: {', '.join(full)}."
        remedy = Remedy(f"Say which: sheet={first!r}.", f"Say which: --sheet {first!r}.")
        raise TableFileError(message, subject="sheet", found=tuple(full), where=Where(path), remedy=remedy)
    return full[first]


def _text(cell: Any, decimal: str = ".") -> str:
    """A cell as a file of text would have it."""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return str(int_if_whole(float(cell))).replace(".", decimal)
    if isinstance(cell, datetime) and cell.time() == time():
        return str(cell.date())
    return str(cell).strip()


def merged_cells(ranges: Iterable[tuple[Place, Place]], start: Place, rows: Sequence[Sequence[Any]]) -> str | None:
    """The first cells below the header that are merged and hold something, such as "B2:B4"; None if there are none.

    Places are rows and columns from 0; the header begins at the start.
    """
    for (top, left), (bottom, right) in sorted(ranges):
        row, column = top - start[0] - 1, left - start[1]
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]) and _text(rows[row][column]):
            return f"{_cell_name(top, left)}:{_cell_name(bottom, right)}"
    return None


def _fill_down(ranges: Iterable[tuple[Place, Place]], start: Place, rows: list[list[Any]]) -> None:
    """Gives all cells that are merged below the header the value of the first."""
    for (top, left), (bottom, right) in ranges:
        first, column = top - start[0] - 1, left - start[1]
        for row in rows[max(first, 0) : bottom - start[0]] if first >= 0 else ():
            row[column : right + 1 - start[1]] = [rows[first][column]] * (right + 1 - left)


def _cell_name(row: int, column: int) -> str:
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def empty_formula(path: str, sheet: str) -> str | None:
    """The first cell of a sheet in an .xlsx file that has a formula and no value, such as "B2"; None if it is missing.

    Programs write them, and only a spreadsheet program computes them. Files of another kind, or written in a way that
    is not understood here, have none.
    """
    content = _sheet_xml(path, sheet)
    for attributes, inner in FORMULA_CELL.findall(content) if b"<f" in content else ():
        place = PLACE.search(attributes)
        if b"<f" in inner and place and not VALUE.search(inner) and not TEXT.search(attributes):
            return place[1].decode()
    return None


def no_date(path: str, sheet: str, start: Place, rows: Sequence[Sequence[Any]]) -> str | None:
    """The first cell below the header of an .xlsx sheet that is shown as a date and is none, such as "B2".

    Day 60 would be the 29th of February 1900, which was not, and is read as the day before; days before 1900 are
    negative, and are read as a time. An old workbook (.xls) does not say which it was: there a date in 1900 up to that
    day, and a time in a column of dates, are taken for none.
    """
    is_old, doubtful = not zipfile.is_zipfile(path), set[str]()
    for column, cells in enumerate(zip(*rows, strict=True)):
        has_dates = is_old and any(isinstance(cell, date) for cell in cells)
        for row, cell in enumerate(cells):
            is_time = isinstance(cell, time) and (has_dates or not is_old)
            if is_time or (isinstance(cell, date) and cell.timetuple()[:3] == (1900, 2, 28)):
                doubtful.add(found := _cell_name(start[0] + 1 + row, start[1] + column))
                if is_old:
                    return found
    for attributes, inner in FORMULA_CELL.findall(_sheet_xml(path, sheet)) if doubtful else ():
        place, day = PLACE.search(attributes), DAY.search(inner)
        if place and day and place[1].decode() in doubtful and (float(day[1]) < 0 or 60 <= float(day[1]) < 61):
            return place[1].decode()
    return None


def _sheet_xml(path: str, sheet: str) -> bytes:
    """A sheet as an .xlsx file has it; nothing where it is another kind of file, or not understood."""
    try:
        with zipfile.ZipFile(path) as book:
            listed = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(SHEET)
            relation = {entry.get("name"): entry.get(RELATION) for entry in listed}[sheet]
            targets = ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
            target = {entry.get("Id"): entry.get("Target", "") for entry in targets}[relation]
            return book.read(target[1:] if target.startswith("/") else f"xl/{target}")
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, OSError):
        return b""


def _unreadable(path: str, why: Exception | str) -> TableFileError:
    message = f"this looks like a workbook or an archive, but no sheet can be read ({why})."
    return TableFileError(f"{message} {SAVE}", where=Where(path))


def _check_size(path: str) -> None:
    """TableFileError where a workbook is larger than its file can hold, or that cannot be known."""
    with open(path, "rb") as file:
        if file.read(2) != b"PK":  # an old workbook (.xls), which is not measured
            return
    try:
        with zipfile.ZipFile(path) as book:
            for part in book.infolist():
                if part.filename.endswith("workbook.bin"):
                    raise _unreadable(path, "it is a binary workbook, .xlsb")
                if part.file_size > max(MAX_UNPACKED, MAX_RATIO * part.compress_size):
                    message = f"{part.filename!r} unpacks to more than {MAX_RATIO} times its size, as no table does."
                    raise TableFileError(f"{message} {SAVE}", where=Where(path, entry=part.filename))
                is_ods = part.filename == "content.xml"
                with book.open(part) as content:  # which is an error where the archive lies about the size
                    measure = _span_of_rows if is_ods else _span_of_cells
                    spanned, n_cells = measure(iter(partial(content.read, CHUNK), b""))
                if (is_ods or "worksheets/" in part.filename) and spanned > max(MAX_SPANNED, LEAST_SHARE * n_cells):
                    message = f"the {n_cells:,} cells of a sheet span {spanned:,}, which would take all memory;"
                    remedy = "some lie far from the table. Delete them, or save the table as CSV and give that."
                    raise TableFileError(f"{message} {remedy}", where=Where(path))
    except BROKEN as error:
        raise _unreadable(path, error) from error


def _span_of_cells(chunks: Iterator[bytes]) -> tuple[int, int]:
    """Of a sheet of .xlsx: how many cells lie between the first and the last, and how many there are."""
    last_row, columns, n_cells, rest = 0, {b"A"}, 0, b""
    for chunk in chunks:
        text = BLANKS.sub(b" ", rest + chunk)
        n_cells += len(CELL.findall(text))
        if found := REFERENCE.findall(text):
            last_row = max(last_row, max(int(row) for _, row in found))
            columns.update(column.upper() for column, _ in found)
        rest = text[-60:]  # a reference may begin here
    width = max(sum((letter - 64) * 26**at for at, letter in enumerate(reversed(letters))) for letters in columns)
    return last_row * width, n_cells


def _span_of_rows(chunks: Iterator[bytes]) -> tuple[int, int]:
    """The same of .ods, whose rows and cells may say that they are there many times; empty ones at the end are not."""
    n_rows, n_repeated, width, filled, seen, n_cells = 0, 1, 0, 0, 0, 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal n_repeated, filled, seen, n_cells
        if tag == "table:table-row":
            n_repeated, filled, seen = int(attributes.get("table:number-rows-repeated", "1")), 0, 0
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            seen += int(attributes.get("table:number-columns-repeated", "1"))
            if any("value" in name for name in attributes):
                filled, n_cells = seen, n_cells + 1

    def end(tag: str) -> None:
        nonlocal n_rows, width
        if tag == "table:table-row":
            n_rows += n_repeated if filled else 1
            width = max(width, filled)

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    for chunk in chunks:
        parser.Parse(chunk)
    parser.Parse(b"", True)
    return n_rows * width, n_cells
