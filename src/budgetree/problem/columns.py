"""Columns: what the encoders need of a data frame, whichever library made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A raw column: either numbers (NaN where missing) or plain values."""

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
        if self.numbers is None:
            return list(self.values or ())
        return [plain(number) for number in self.numbers.tolist()]


def read_frame(frame: Any) -> list[Column]:
    """The columns of a pandas, polars or pyarrow table."""
    try:
        table = nw.from_native(frame, eager_only=True)
        names = [str(name) for name in table.columns]
        series = [table[name] for name in table.columns]
    except Exception as error:  # each library refuses in its own words
        raise ValueError(
            f"frame: expected a pandas, polars or pyarrow table with distinct column names, "
            f"but got {type(frame).__name__}: {error}"
        ) from error
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"frame: the column name {repeated[0]!r} occurs more than once; names must differ.")
    return [_column(name, column) for name, column in zip(names, series, strict=True)]


def plain(number: float) -> float | int:
    """3 rather than 3.0."""
    return int(number) if number == np.rint(number) and abs(number) < 2**53 else number


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA: the values that are not equal to themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA refuses to be a truth value
        return True


def _column(name: str, series: nw.Series[Any]) -> Column:
    dtype = str(series.dtype)
    if not series.dtype.is_numeric():
        return Column(name, dtype, values=series.to_list())
    numbers = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ValueError(f"column {name!r} is infinite in row {row}; use a finite number or a missing value.")
    return Column(name, dtype, numbers=numbers)
