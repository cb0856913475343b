"""Coded: a column with each different value once, and per row which of them it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.values import int_if_whole, is_missing, plain_value

ABSENT = -1  # the position of a missing value


@dataclass(frozen=True, slots=True, eq=False)
class Coded(Sequence[Any]):
    """A sequence of values, so that each different one is looked at once and the rows by vector operations.

    values    b  a  None  b         distinct  (b, a)       positions  0  1  -1  0
    """

    distinct: tuple[Any, ...]  # not all of them need have a row: some rows of a column keep all of its values
    positions: NDArray[np.signedinteger[Any]]  # in distinct; ABSENT where the value is missing

    @classmethod
    def of(cls, values: Sequence[Any]) -> Coded:
        """Any sequence of hashable values; TypeError where one is not."""
        if isinstance(values, Coded):
            return values
        place: dict[Any, int] = {}
        positions = np.empty(len(values), dtype=np.int32)
        for row, value in enumerate(values):
            positions[row] = ABSENT if is_missing(value) else place.setdefault(plain_value(value), len(place))
        return cls(tuple(place), positions)

    @classmethod
    def of_distinct(cls, distinct: Iterable[Any], positions: NDArray[np.signedinteger[Any]]) -> Coded:
        """From positions that another library found, where missing values may be among the distinct ones."""
        values = tuple(distinct)
        if not any(is_missing(value) for value in values):
            return cls(tuple(map(plain_value, values)), positions)
        return cls(values, positions).mapped(values)

    @classmethod
    def of_numbers(cls, numbers: NDArray[np.float64]) -> Coded:
        """Numbers as values to be told apart; whole ones as ints."""
        distinct, positions = np.unique(numbers, return_inverse=True, equal_nan=True)
        return cls.of_distinct(map(int_if_whole, distinct.tolist()), positions.astype(np.int32))

    def mapped(self, values: Sequence[Any]) -> Coded:
        """The same rows with other values, one for each distinct one; some may be missing, or the same."""
        other = Coded.of(values)
        return Coded(other.distinct, self.look_up(other.positions, ABSENT))

    def look_up(self, found: NDArray[Any], absent: Any) -> NDArray[Any]:
        """Per row, what was found for its value."""
        per_value: NDArray[Any] = np.append(found, np.asarray([absent], dtype=found.dtype))
        return np.asarray(per_value[self.positions])  # ABSENT is the last place

    def take(self, rows: NDArray[np.int64]) -> Coded:
        """Only these rows."""
        return Coded(self.distinct, self.positions[rows])

    @property
    def is_absent(self) -> NDArray[np.bool_]:
        """Per row, whether the value is missing."""
        return np.asarray(self.positions < 0)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each distinct value, and at the end, how many miss one."""
        counts: NDArray[np.int64] = np.bincount(self.positions.astype(np.int64) + 1, minlength=len(self.distinct) + 1)
        return np.roll(counts, -1)

    def present(self) -> list[Any]:
        """The different values that the rows do hold."""
        return [value for value, count in zip(self.distinct, self.counts.tolist(), strict=False) if count]

    def first_row(self, position: int) -> int:
        """The first row that holds a distinct value."""
        return int(np.argmax(self.positions == position))

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Coded: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return Coded(self.distinct, self.positions[row])
        position = self.positions[row]
        return None if position < 0 else self.distinct[position]

    def __iter__(self) -> Iterator[Any]:
        values = (*self.distinct, None)
        return (values[position] for position in self.positions.tolist())
