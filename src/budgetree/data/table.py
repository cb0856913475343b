"""Table: columns of equal length, and where in its file each row begins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column, first_row, is_missing
from budgetree.data.number_format import POINTS
from budgetree.errors import TableFileError


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The places of some rows of a file."""

    rows: NDArray[np.int64]  # in the file, from 0
    places: Callable[[], Iterator[str]]  # of all rows of the file, in their order: "line 7"

    def where(self, row: int) -> str:
        """What to call a row of the table."""
        wanted = int(self.rows[row])
        for number, place in enumerate(self.places()):
            if number == wanted:
                return place
        return f"row {wanted + 1}"

    def take(self, positions: NDArray[np.int64]) -> Lines:
        """Only these rows."""
        return replace(self, rows=self.rows[positions])


IMMUTABLE = ("polars", "pyarrow")  # data frames that nobody can change


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length, and where they came from."""

    source: str  # a file's path, a data set's name, or "frame": what messages begin with
    columns: tuple[Column, ...]
    n_rows: int
    lines: Lines | None = None  # where each row begins, in a file of text or a sheet
    library: str | None = None  # of the data frame, for answers in kind

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """The column of this name, which must be there."""
        return next(column for column in self.columns if column.name == name)

    def where(self, row: int) -> str:
        """What to call a row: its line in a file of text, its row in a sheet, else its number, from 1."""
        return f"row {row + 1}" if self.lines is None else self.lines.where(row)

    def only(self, names: Collection[str]) -> Table:
        """The same rows with these columns alone."""
        return replace(self, columns=tuple(column for column in self.columns if column.name in names))

    def without(self, names: Collection[str]) -> Table:
        """The same rows without these columns."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def renamed(self, names: Sequence[str]) -> Table:
        """The same columns under other names."""
        columns = (replace(column, name=name) for column, name in zip(self.columns, names, strict=True))
        return replace(self, columns=tuple(columns))

    def owned(self) -> Table:
        """The same table in memory of its own, where its owner might change it."""
        if self.library in IMMUTABLE:
            return self
        return replace(self, columns=tuple(column.owned() for column in self.columns))

    def take(self, positions: NDArray[np.int64]) -> Table:
        """Only these rows."""
        lines = None if self.lines is None else self.lines.take(positions)
        columns = tuple(column.take(positions) for column in self.columns)
        return replace(self, columns=columns, n_rows=len(positions), lines=lines)

    def without_empty_rows(self) -> Table:
        """The rows that hold anything; spreadsheets like to add some that do not."""
        if self.lines is None or not self.columns:
            return self
        is_empty = self.columns[0].is_absent
        for column in self.columns[1:]:
            if not is_empty.any():
                return self
            is_empty = is_empty & column.is_absent
        return self.take(np.flatnonzero(~is_empty)) if is_empty.any() else self

    def text_rows(self) -> list[list[str]]:
        """The cells as text, row by row, as a file of text has them."""
        cells = [
            ["" if is_missing(cell) else str(cell) for cell in column.texts or column.to_list()]
            for column in self.columns
        ]
        return [list(row) for row in zip(*cells, strict=True)]


def check_numbers(table: Table) -> None:
    """An error where a column would be numbers if its file said what the marks in them mean."""
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
    return any(written.is_guess and written.decimal == "," for written in formats) and POINTS in formats


def check_column(table: Table, column: Column) -> None:
    """The same for one column."""
    written = column.written
    row = first_row(column, written.is_ambiguous)
    is_word = first_row(column, lambda text: not written.is_number(text) and not written.is_ambiguous(text))
    if row is None or is_word is not None or column.texts is None:
        return
    cell = column.texts[row] or ""
    other, decimal = written.other, written.decimal
    without = cell.replace(other, "")
    readings = [f"{without} (say --decimal {decimal} --thousands {other})"]
    if cell.count(other) == 1 and decimal not in cell:
        readings.append(f"{cell.replace(other, '.')} (say --decimal {other})")
    raise TableFileError(
        f"{table.source}, {table.where(row)}: column {column.name!r} has {cell!r:.40}, which could be "
        f"{' or '.join(readings)}. Say which, or write the numbers without {other!r}."
    )
