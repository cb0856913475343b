"""Table: columns of equal length, and where in its file each row begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column, first_row, is_missing
from budgetree.data.number_format import POINTS
from budgetree.errors import BudgetreeError, Remedy, TableFileError, Where
from budgetree.services.words import counted, no_such

IMMUTABLE = ("polars", "pyarrow")  # data frames that cannot be changed
QUOTED = ',"\n\r'  # a cell with one of these is written in quotes
DIGITS = re.compile("([0-9]+)")
MAX_COLUMNS = 50_000
MAX_PLACES = 3  # of gaps that are named


def check_width(n_columns: int, kind: type[BudgetreeError], where: Where) -> None:
    """An error of this kind where there are too many columns to examine each."""
    if n_columns > MAX_COLUMNS:
        message = f"it has {n_columns:,} columns; at most {MAX_COLUMNS:,} are read, since each is examined by itself."
        advice = "Among so many, some agree with the class by chance; keep those that may be useful."
        raise kind(f"{message} {advice}", where=where, found=n_columns, expected=MAX_COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Where some rows of a file begin, found when a message has to say so."""

    rows: NDArray[np.int64]  # in the file, from 0
    starts: Callable[[], Iterator[tuple[str, int]]]  # of all rows: the file, and its line or the row of a sheet

    def start(self, row: int) -> tuple[str, int] | None:
        """The file and the line of a row of the table."""
        wanted = int(self.rows[row])
        return next((start for number, start in enumerate(self.starts()) if number == wanted), None)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, and where they came from."""

    source: str  # a file's path, a data set's name, or "frame": what messages begin with
    columns: tuple[Column, ...]
    n_rows: int
    lines: Lines | None = None  # where each row begins, in a file of text or a sheet
    library: str | None = None  # of the data frame, for answers in kind
    sheet: str | None = None  # of the workbook

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """The column of this name, which must be there."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in reversed(self.columns)}  # of equals the first

    @property
    def origin(self) -> Where:
        return Where(self.source, entry=None if self.sheet is None else f"sheet {self.sheet!r}")

    def where(self, row: int) -> Where:
        """Where a row is: its line in a file of text, its row in a sheet, else its number, from 1."""
        path, kind, number = self._start(row)
        if kind == "line":
            return Where(path, line=number)
        return Where(path, entry=f"row {number}" if self.sheet is None else f"sheet {self.sheet!r}, row {number}")

    def place(self, row: int) -> str:
        """The same within a sentence about the table: "line 7"."""
        path, kind, number = self._start(row)
        return f"{kind} {number}" if path == self.source else f"{kind} {number} of {path}"

    def _start(self, row: int) -> tuple[str, str, int]:
        start = None if self.lines is None else self.lines.start(row)
        if start is None:  # also where the file has changed meanwhile
            return self.source, "row", row + 1
        return start[0], "line" if self.sheet is None else "row", start[1]

    def only(self, names: Collection[str]) -> Table:
        known = frozenset(names)
        return replace(self, columns=tuple(column for column in self.columns if column.name in known))

    def without(self, names: Collection[str]) -> Table:
        known = frozenset(names)
        return replace(self, columns=tuple(column for column in self.columns if column.name not in known))

    def by_name(self) -> Table:
        return replace(self, columns=tuple(sorted(self.columns, key=lambda column: name_key(column.name))))

    def renamed(self, names: Sequence[str]) -> Table:
        columns = (replace(column, name=name) for column, name in zip(self.columns, names, strict=True))
        return replace(self, columns=tuple(columns))

    def owned(self) -> Table:
        """The same table in memory of its own, where its owner might change it."""
        return self if self.library in IMMUTABLE else replace(self, columns=tuple(c.owned() for c in self.columns))

    def take(self, positions: NDArray[np.int64]) -> Table:
        """Only these rows."""
        lines = None if self.lines is None else replace(self.lines, rows=self.lines.rows[positions])
        columns = tuple(column.take(positions) for column in self.columns)
        return replace(self, columns=columns, n_rows=len(positions), lines=lines)

    def without_empty_rows(self) -> Table:
        """The rows that hold anything; spreadsheets like to add some that do not."""
        is_empty = np.full(len(self), self.lines is not None and len(self.columns) > 0)
        for column in self.columns:
            if not is_empty.any():
                break
            is_empty &= column.is_absent
        return self.take(np.flatnonzero(~is_empty)) if is_empty.any() else self

    def csv_lines(self) -> list[str]:
        columns = (column.texts or column.to_list() for column in self.columns)
        cells = [[csv_cell("" if is_missing(cell) else str(cell)) for cell in column] for column in columns]
        return [",".join(row) for row in zip(*cells, strict=True)]


def name_key(name: str) -> tuple[list[Any], str]:
    """The sort key of names: t2 comes before t10.

    >>> sorted(["t10", "age", "t2"], key=name_key)
    ['age', 't2', 't10']
    """
    pieces: list[Any] = DIGITS.split(name)  # text, digits, text, …
    pieces[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in pieces[1::2]]
    return pieces, name


def csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in QUOTED) else text


def known_cases(table: Table, target: str, dropped: Sequence[str]) -> Table:
    """The tests and the target of a file: no empty row, no column that is dropped, and nothing doubtful."""
    table, where = table.without_empty_rows(), table.origin
    for name in (target, *dropped):
        if name not in table.names:
            raise TableFileError(no_such("column", name, table.names), subject=name, where=where)
    if len(table) == 0:
        raise TableFileError("there is a header, but no row below it; expected a row per case.", where=where)
    if target in dropped:
        raise TableFileError(f"{target!r} is the target; it cannot be dropped.", subject=target, where=where)
    empty = table.column(target).is_absent.nonzero()[0]
    if len(empty):
        more = ", …" if len(empty) > MAX_PLACES else ""
        places = ", ".join(table.place(row) for row in empty[:MAX_PLACES]) + more
        advice = f"fill in what the case is, or delete the row{'s' if len(empty) > 1 else ''}."
        message = f"{target!r} is empty in {counted(len(empty), 'row')} ({places}); {advice}"
        raise TableFileError(message, subject=target, where=where)
    kept = table.without(dropped)
    check_numbers(kept.without([target]))
    return kept


def check_numbers(table: Table) -> None:
    """An error for a column that would be numbers if the meaning of its marks were known."""
    check_marks(table)
    for column in table.columns:
        check_column(table, column)


def check_marks(table: Table) -> None:
    """The same for commas that were guessed to be decimal, where another column has decimal points."""
    if has_two_marks(table.columns):
        for column in table.columns:
            if column.written.is_guess:
                check_column(table, replace(column, written=POINTS))


def has_two_marks(columns: Sequence[Column]) -> bool:
    """Whether decimal commas were guessed, and a column has decimal points all the same."""
    formats = [column.written for column in columns]
    has_points = any(not written.is_guess and written.decimal == "." for written in formats)
    return has_points and any(written.is_guess and written.decimal == "," for written in formats)


def check_column(table: Table, column: Column) -> None:
    """The same for one column."""
    written = column.written
    row = first_row(column, written.is_ambiguous)
    is_word = first_row(column, lambda text: not written.is_number(text) and not written.is_ambiguous(text))
    if row is None or is_word is not None or column.texts is None:
        return
    cell = column.texts[row] or ""
    mark = written.mark_between(cell) or ""
    decimal = written.other if mark == written.decimal else written.decimal
    in_python = [f"{cell.replace(mark, '')} (decimal={decimal!r}, thousands={mark!r})"]
    typed = [f"{cell.replace(mark, '')} (use --decimal {decimal} --thousands {mark})"]
    if cell.count(mark) == 1 and decimal not in cell:
        in_python.append(f"{cell.replace(mark, '.')} (decimal={mark!r})")
        typed.append(f"{cell.replace(mark, '.')} (use --decimal {mark})")
    which = f"Say which, or write the numbers without {mark!r}."
    remedy = Remedy(*(f"{' or '.join(readings)}. {which}" for readings in (in_python, typed)))
    message = f"column {column.name!r} has {cell!r:.40}, which could be"
    raise TableFileError(message, subject=column.name, found=cell, where=table.where(row), remedy=remedy)
