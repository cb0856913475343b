"""Columns: what the encoders need of a data frame, whichever library made it."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")
LARGEST_EXACT = 2**53  # beyond it, whole numbers are not all floats


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A raw column: numbers (NaN where missing), or plain values; both where numbers as floats lose digits."""

    name: str
    dtype: str  # as the data frame calls it, for messages
    numbers: NDArray[np.float64] | None = None
    values: Sequence[Any] | None = None

    def __len__(self) -> int:
        if self.numbers is not None:
            return len(self.numbers)
        return len(self.values or ())

    def to_list(self) -> list[Any]:
        """The values; whole numbers as ints."""
        if self.values is not None or self.numbers is None:
            return list(self.values or ())
        return [plain(number) for number in self.numbers.tolist()]

    def as_numbers(self) -> NDArray[np.float64] | None:
        """The numbers; also where all values are numbers or missing, as in a table of objects. Else None."""
        if self.numbers is not None:
            return self.numbers
        values = self.values or ()
        kinds = {type(value) for value in values if not is_missing(value)}
        if not all(issubclass(kind, (int, float, np.number, Decimal)) and kind is not bool for kind in kinds):
            return None
        return np.array([np.nan if is_missing(value) else _as_float(value) for value in values], dtype=np.float64)

    def rows(self, kept: NDArray[np.bool_]) -> Column:
        """The same column with only these rows."""
        if kept.all():
            return self
        numbers = None if self.numbers is None else self.numbers[kept]
        values = None if self.values is None else list(compress(self.values, kept))
        return replace(self, numbers=numbers, values=values)

    def as_values(self) -> Column:
        """The same column with its numbers as plain values, to be told apart rather than rounded."""
        return replace(self, numbers=None, values=self.to_list())


def read_frame(frame: Any, target: Any = None, only: Collection[str] | None = None) -> list[Column]:
    """The columns of a pandas, polars or pyarrow table, or some of them; the target's values stay as they are."""
    import narwhals.stable.v2 as nw  # takes a while, and not everyone has a data frame

    try:
        table = nw.from_native(frame, eager_only=True)
        names = [str(name) for name in table.columns]
        series = list(table.iter_columns())
    except Exception as error:  # each library refuses in its own words
        raise ValueError(
            f"frame: expected a pandas, polars or pyarrow table with distinct column names, "
            f"but got {type(frame).__name__}: {error}"
        ) from error
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"frame: the column name {repeated[0]!r} occurs more than once; names must differ.")
    return [
        Column(name, str(column.dtype), values=column.to_list())
        if target is not None and name == str(target)
        else _column(name, column)
        for name, column in zip(names, series, strict=True)
        if only is None or name in only
    ]


def array_columns(array: NDArray[Any]) -> list[Column]:
    """The columns of a two-dimensional array, called x0, x1, …; objects are numbers where all of a column are."""
    return [_array_column(f"x{index}", column) for index, column in enumerate(array.T)]


def _array_column(name: str, column: NDArray[Any]) -> Column:
    numeric = column.dtype.kind in "bf" or (column.dtype.kind in "iu" and _are_exact(column.astype(np.float64)))
    if numeric:
        return Column(name, str(column.dtype), numbers=column.astype(np.float64))
    return _told_apart(Column(name, str(column.dtype), values=column.tolist()))


def _are_exact(numbers: NDArray[np.float64]) -> bool:
    """Whether all are small enough to be the whole numbers that they were."""
    return bool((np.abs(numbers[~np.isnan(numbers)]) < LARGEST_EXACT).all())


def _told_apart(column: Column) -> Column:
    """Objects as what they are: numbers where all of them are, with their digits where floats would lose some."""
    numbers = column.as_numbers()
    if numbers is None or np.isnan(numbers).all():
        return column
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ValueError(f"column {column.name!r} is infinite in row {row}; use a finite number or a missing value.")
    return replace(column, numbers=numbers, values=None if _are_exact(numbers) else column.values)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def make_frame(content: dict[str, list[Any]], library: str | None = None) -> Any:
    """A data frame in the library named, or in the first one that is installed."""
    import narwhals.stable.v2 as nw

    backend: Any = library or installed_library()
    if backend is None:
        raise ImportError("a data frame needs a library for it: pip install pandas (or polars, or pyarrow).")
    return nw.from_dict({key: _one_type(column) for key, column in content.items()}, backend=backend).to_native()


def installed_library() -> str | None:
    """The first data frame library that is there."""
    return next((name for name in FRAME_LIBRARIES if importlib.util.find_spec(name) is not None), None)


def _one_type(column: list[Any]) -> list[Any]:
    """Whole numbers become floats beside floats, which some libraries ask for."""
    return [float(v) for v in column] if {type(v) for v in column} == {int, float} else column


def frame_library(frame: Any) -> str:
    """The library that a data frame is from."""
    import narwhals.stable.v2 as nw

    return str(nw.from_native(frame, eager_only=True).implementation.value)


def plain(number: float) -> float | int:
    """3 rather than 3.0."""
    return int(number) if number == np.rint(number) and abs(number) < 2**53 else number


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA: the values that are not equal to themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA refuses to be a truth value; so does a whole column, which is none
        return type(value).__name__ == "NAType"


def _column(name: str, series: nw.Series[Any]) -> Column:
    import narwhals.stable.v2 as nw

    dtype = str(series.dtype)
    if not series.dtype.is_numeric():
        column = Column(name, dtype, values=series.to_list())
        return _told_apart(column) if series.dtype == nw.Object else column
    if series.dtype.is_integer():
        ends = [end for end in (series.min(), series.max()) if not is_missing(end)]
        if any(abs(int(end)) > LARGEST_EXACT for end in ends):
            return _told_apart(Column(name, dtype, values=series.to_list()))
    numbers = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return _told_apart(Column(name, dtype, numbers=numbers))
