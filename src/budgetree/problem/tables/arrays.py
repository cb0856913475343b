"""NumPy arrays as tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.table import Column, Table, are_exact

SHORT = 4  # bytes of a whole number, which a float can always hold


def read_array(array: NDArray[Any]) -> Table:
    """A two-dimensional array, its columns called x0, x1, …; objects are numbers where all of a column are."""
    columns = tuple(_column(f"x{index}", column) for index, column in enumerate(array.T))
    return Table("array", columns, len(array))


def _column(name: str, cells: NDArray[Any]) -> Column:
    dtype = str(cells.dtype)
    if cells.dtype.kind in "bfiu":
        numbers = cells.astype(np.float64)
        if cells.dtype.kind in "bf" or cells.dtype.itemsize <= SHORT or are_exact(numbers):
            return Column(name, dtype, numbers=numbers)
    return Column(name, dtype, values=cells.tolist()).with_numbers()
