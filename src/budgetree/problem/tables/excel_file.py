"""Workbooks (.xlsx, .xls, .ods) as tables: a sheet is read as a file of text would be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from functools import partial
from typing import Any

import numpy as np

from budgetree.errors import TableFileError
from budgetree.problem.tables.csv_source import check_header
from budgetree.problem.tables.excel_formulas import empty_formula
from budgetree.problem.tables.lines import Lines
from budgetree.problem.tables.reading import Reading
from budgetree.problem.tables.table import Table
from budgetree.problem.tables.texts import text_column
from budgetree.problem.tables.values import int_if_whole
from budgetree.problem.tables.workbook_size import check_size, unreadable
from budgetree.services.words import no_such

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
