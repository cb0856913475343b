"""Table: the raw rows of a file, a data frame or an array, column by column, whichever reader made it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.coded import Coded
from budgetree.problem.tables.lines import Lines
from budgetree.problem.tables.number_format import POINTS, NumberFormat
from budgetree.problem.tables.values import int_if_whole, is_missing
from budgetree.problem.units import LARGEST_EXACT

IMMUTABLE = ("polars", "pyarrow")  # data frames that nobody can change


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A raw column: numbers (NaN where missing), or plain values; both where numbers as floats lose digits."""

    name: str
    dtype: str  # as its reader calls it, for messages
    numbers: NDArray[np.float64] | None = None
    values: Sequence[Any] | None = None
    # As a file of text has it, None where missing: the same cell may be a number here and a word to a model.
    texts: Sequence[str | None] | None = None
    written: NumberFormat = POINTS  # how the texts write numbers

    def __len__(self) -> int:
        if self.numbers is not None:
            return len(self.numbers)
        return len(self.values or ())

    def to_list(self) -> list[Any]:
        """The values; whole numbers as ints."""
        if self.values is not None or self.numbers is None:
            return list(self.values or ())
        return [int_if_whole(number) for number in self.numbers.tolist()]

    def as_numbers(self) -> NDArray[np.float64] | None:
        """The numbers; also where all values are numbers or missing, as in a table of objects. Else None."""
        if self.numbers is not None:
            return self.numbers
        if isinstance(self.values, Coded):
            numbers = Column(self.name, self.dtype, values=list(self.values.distinct)).as_numbers()
            return None if numbers is None else self.values.look_up(numbers, np.nan)
        values = self.values or ()
        kinds = {type(value) for value in values if not is_missing(value)}
        if not all(issubclass(kind, (int, float, np.number, Decimal)) and kind is not bool for kind in kinds):
            return None
        return np.array([np.nan if is_missing(value) else as_float(value) for value in values], dtype=np.float64)

    def as_values(self) -> Column:
        """The same column with its numbers as plain values, to be told apart rather than rounded."""
        return replace(self, numbers=None, values=self.coded())

    def coded(self) -> Coded:
        """The values, each different one once; lists and tables within a table cannot be told apart."""
        if self.values is None and self.numbers is not None:
            return Coded.of_numbers(self.numbers)
        try:
            return Coded.of(self.values or ())
        except TypeError as error:
            raise ValueError(
                f"column {self.name!r} holds {self.dtype}; a test's outcomes must be plain values."
            ) from error

    def labels(self) -> Sequence[Any]:
        """The values as they are where there are any; whole numbers as ints."""
        return self.values if self.values is not None else self.coded()

    @property
    def is_absent(self) -> NDArray[np.bool_]:
        """Per row, whether its value is missing."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        if isinstance(self.values, Coded):
            return self.values.is_absent
        return np.fromiter(map(is_missing, self.values or ()), dtype=bool, count=len(self))

    def with_numbers(self) -> Column:
        """Objects as what they are: numbers where all of them are, with their digits where floats would lose some."""
        numbers = self.as_numbers()
        if numbers is None or len(numbers) == 0:
            return self
        low, high = float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers))  # which overlook NaN
        if np.isnan(low):
            return self
        if np.isinf(low) or np.isinf(high):
            row = int(np.flatnonzero(np.isinf(numbers))[0])
            raise ValueError(f"column {self.name!r} is infinite in row {row}; use a finite number or a missing value.")
        return replace(self, numbers=numbers, values=None if max(-low, high) < LARGEST_EXACT else self.values)

    def owned(self) -> Column:
        """The same column, its numbers in no one else's memory."""
        if self.numbers is None or self.numbers.flags.owndata:
            return self
        return replace(self, numbers=self.numbers.copy())

    def take(self, positions: NDArray[np.int64]) -> Column:
        """The same column with only these rows; what it holds, numbers or texts, stays as it is."""
        numbers = None if self.numbers is None else self.numbers[positions]
        values, texts = _taken(self.values, positions), _taken(self.texts, positions)
        return replace(self, numbers=numbers, values=values, texts=texts)


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


def are_exact(numbers: NDArray[np.float64]) -> bool:
    """Whether all are small enough to be the whole numbers that they were."""
    return not bool((np.abs(numbers) >= LARGEST_EXACT).any())  # which NaN is not


def _taken(cells: Sequence[Any] | None, positions: NDArray[np.int64]) -> Sequence[Any] | None:
    if isinstance(cells, Coded):
        return cells.take(positions)
    return None if cells is None else [cells[row] for row in positions.tolist()]


def as_float(value: Any) -> float:
    """The nearest float; infinity where there is none."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
