"""ColumnProfile: what a column holds, found part by part and merged; and what the classes are.

The parts of a table, in any number and order, give the same profile as the whole table does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column, int_if_whole, sort_key
from budgetree.data.frames import code_series
from budgetree.errors import TableError
from budgetree.services.words import counted

SAMPLE = 1024  # rows that usually show at once that a column has many values
FEW = 16  # values that a number is compared with one by one
MAX_GROUPS = 2**10  # of numbers that are counted together, where there are more different ones: 24 kB per part
FLOAT_BITS = 64
MAX_VALUES = 100_000  # different values of a column that are kept; a test may have 255, a target more


@dataclass(frozen=True, slots=True, eq=False)
class NumberCounts:
    """How many rows hold each number; beyond MAX_GROUPS different ones, each group that agrees in its first bits.

    Floats that are sorted are also sorted by their bits, so that a group is a range. The last bits are left out, as
    many as are needed and no more; as the groups of a whole table are those of its parts, so is that number, and no
    order of rows or parts matters.
    """

    low: NDArray[np.float64]  # per group, in ascending order: its least number
    high: NDArray[np.float64]  # and its greatest
    count: NDArray[np.int64]
    n_bits: int = 0  # that are left out

    @classmethod
    def of(cls, numbers: NDArray[np.float64], max_groups: int = MAX_GROUPS) -> NumberCounts:
        """Of numbers in any order, at least one and none missing."""
        few = np.unique(numbers[:SAMPLE])
        if len(few) <= FEW and bool((few[at := n_reached(few[1:], numbers)] == numbers).all()):
            distinct, count = few, np.bincount(at, minlength=len(few))
        else:
            ascending = np.sort(numbers)
            first = np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))
            distinct, count = ascending[first], np.diff(np.append(first, len(numbers)))
        distinct = distinct + 0.0  # -0 is 0
        return cls(distinct, distinct, count)._grouped(max_groups)

    def merge(self, other: NumberCounts, max_groups: int = MAX_GROUPS) -> NumberCounts:
        low, high = np.concatenate((self.low, other.low)), np.concatenate((self.high, other.high))
        order, count = np.argsort(low), np.concatenate((self.count, other.count))
        return NumberCounts(low[order], high[order], count[order], max(self.n_bits, other.n_bits))._grouped(max_groups)

    def _grouped(self, max_groups: int) -> NumberCounts:
        """Neighbours that agree but for the bits left out become one, with as few of these as the maximum allows."""
        bits = self.low.view(np.int64)
        bits = bits ^ ((bits >> (FLOAT_BITS - 1)) & np.iinfo(np.int64).max)  # in the order of the floats

        def is_first(n_bits: int) -> NDArray[np.bool_]:
            prefix = bits >> n_bits
            return np.concatenate(([True], prefix[1:] != prefix[:-1]))

        choices = range(self.n_bits, FLOAT_BITS)
        n_bits = choices[bisect_left(choices, True, key=lambda n: int(is_first(n).sum()) <= max_groups)]
        first = np.flatnonzero(is_first(n_bits))
        if len(first) == len(bits):
            return replace(self, n_bits=n_bits)
        high, count = np.maximum.reduceat(self.high, first), np.add.reduceat(self.count, first)
        return NumberCounts(self.low[first], high, count, n_bits)

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnProfile:
    """What a column holds, as far as its encoder must know; of all rows, or of some parts of its table."""

    name: str
    dtype: str
    has_missing: bool
    max_numbers: int  # more different ones are too many to be told apart
    numbers: NumberCounts | None = None  # None where there are none
    # Values that are no numbers, or whole numbers that floats would not tell apart; None where there are none.
    values: tuple[Any, ...] | None = None
    part: str = ""  # where the first value is, for messages
    example: Any = None  # such a value; None if it is missing
    order: tuple[Any, ...] | None = None  # of the values, where the column has one
    censored: tuple[float, ...] = ()  # numbers that stand for all beyond a limit

    @classmethod
    def of(cls, column: Column, max_numbers: int, part: str = "") -> ColumnProfile:
        """Look at all rows."""
        name, dtype = column.name, column.dtype
        if column.numbers is None:
            coded = column.coded()
            values = tuple(coded.present())
            example, is_absent = values[0] if values else None, bool(coded.is_absent.any())
            return cls(name, dtype, is_absent, max_numbers, None, values, part, example, column.order)
        absent = np.isnan(column.numbers)
        has_missing = bool(absent.any())
        numbers = column.numbers[~absent] if has_missing else column.numbers
        if not len(numbers):
            return cls(name, dtype, has_missing, max_numbers, part=part)
        counts = NumberCounts.of(numbers)
        has_digits = column.values is not None and len(counts) <= max_numbers
        exact = tuple(column.coded().present()) if has_digits else None
        least = float(counts.low[0])
        return cls(name, dtype, has_missing, max_numbers, counts, exact, part, least, censored=column.censored)

    @property
    def holds(self) -> str:
        """Numbers, text or nothing, for messages."""
        if self.example is None:
            return "nothing"
        is_numbers = self.numbers is not None or (self.values and all(map(is_amount, self.values)))
        return "numbers" if is_numbers else "text"

    @property
    def has_many_numbers(self) -> bool:
        """Whether there are too many to tell them apart."""
        return self.numbers is not None and len(self.numbers) > self.max_numbers

    def merge(self, other: ColumnProfile, max_values: int = MAX_VALUES) -> ColumnProfile:
        """What is known after both; MixedColumnError where their kinds differ."""
        has_missing = self.has_missing or other.has_missing
        if self.example is None or other.example is None:
            return replace(other if self.example is None else self, has_missing=has_missing)
        if self.holds != other.holds:
            raise MixedColumnError(self, other)
        if self.order != other.order:
            found = " and ".join(f"{part.order!r:.60} in {part.part}" for part in (self, other))
            message = f"column {self.name!r} has the order {found}; expected the same in all parts."
            raise TableError(message, subject=self.name, found=(self.order, other.order))
        if self.numbers is None or other.numbers is None:
            values = dict.fromkeys((*(self.values or ()), *(other.values or ())))
            return replace(self, values=tuple(values)[:max_values], has_missing=has_missing)
        numbers, exact = self.numbers.merge(other.numbers), None
        if self.values is not None or other.values is not None:
            exact = tuple(dict.fromkeys((*self.distinct, *other.distinct)))[:max_values]
        censored = tuple(sorted({*self.censored, *other.censored}))
        return replace(self, numbers=numbers, values=exact, has_missing=has_missing, censored=censored)

    @property
    def distinct(self) -> Sequence[Any]:
        """The different values, numbers with all of their digits; none where they are too many."""
        if self.values is not None or self.numbers is None or self.has_many_numbers:
            return self.values or ()
        return [int_if_whole(number) for number in self.numbers.low.tolist()]


class MixedColumnError(TableError):
    """A column that is numbers in one part and text in another."""

    def __init__(self, one: ColumnProfile, other: ColumnProfile) -> None:
        found = " and ".join(f"{part.holds} in {part.part} ({part.example!r:.40})" for part in (one, other))
        advice = "Convert the column, say by .astype(str), or make its texts missing values."
        message = f"column {one.name!r} holds {found}; expected one kind of values in all parts. {advice}"
        super().__init__(message, subject=one.name, found=(one.holds, other.holds))
        self.others: tuple[str, ...] = ()  # columns of the same table for which that holds too


def merged(profiles: Sequence[ColumnProfile], max_values: int = MAX_VALUES) -> ColumnProfile:
    return reduce(lambda one, other: one.merge(other, max_values), profiles)


def is_amount(value: Any) -> bool:
    """Whether a value is a number, which True is not."""
    return isinstance(value, (int, float, Decimal, np.number)) and not isinstance(value, bool)


def n_reached(cuts: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
    """Per number, how many of the cuts, which ascend, are not above it; undefined for NaN."""
    if len(cuts) > FEW:
        return np.searchsorted(cuts, numbers, side="right")
    found = np.zeros(len(numbers), dtype=np.uint8)
    for cut in cuts:  # which a processor does many times faster than searching
        found += numbers >= cut
    return found


def class_codes(
    labels: Any, n_cases: int, class_names: Sequence[Any] | None, column: str | None = None
) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Class codes and class names; with class_names, labels are positions in it, else the names are the labels."""
    what, subject = ("labels", "labels") if column is None else (f"column {column!r}", column)
    names = tuple(map(_plain_name, class_names or ()))
    if len({(type(name), name) for name in names}) < len(names):
        message = f"class_names: {names!r:.80} has a name twice; names must differ."
        raise TableError(message, subject="class_names", found=names)
    try:
        coded = code_labels(labels)
    except TypeError as error:
        message = f"{what}: got {labels!r:.60}; expected one plain value per case ({error})."
        raise TableError(message, subject=subject, found=labels) from error
    if len(coded) != n_cases:
        message = f"{what}: {counted(len(coded), 'label')} for {counted(n_cases, 'case')}; expected one for each."
        raise TableError(message, subject=subject, found=len(coded), expected=n_cases)
    check_labelled(coded.is_absent, what, subject)
    if class_names is None:
        distinct = sorted(coded.present(), key=sort_key)
        position_of = {value: index for index, value in enumerate(distinct)}
        codes_of_values = np.array([position_of.get(value, -1) for value in coded.distinct], dtype=np.int64)
        return coded.look_up(codes_of_values, -1), tuple(distinct)
    positions = range(len(names))
    for position, value in enumerate(coded.distinct):
        if isinstance(value, bool) or value not in positions:
            message = f"{what}: row {coded.first_row(position)} has {value!r}; with class_names, labels are positions"
            raise TableError(f"{message} in it, 0 to {len(names) - 1}.", subject=subject, found=value)
    return coded.look_up(np.array(coded.distinct, dtype=np.int64), -1), names


def check_labelled(is_absent: NDArray[np.bool_], what: str, subject: str) -> None:
    absent = np.flatnonzero(is_absent)
    if len(absent):
        message = f"{counted(len(absent), 'label is', 'labels are')} missing, the first in row {absent[0]}"
        raise TableError(f"{what}: {message}; drop those rows or label them.", subject=subject, found=len(absent))


def _plain_name(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) and not isinstance(name, np.datetime64) else name


def code_labels(labels: Any) -> Coded:
    """The labels, each different one once, from whatever holds them; TypeError where that is nothing like a list."""
    if isinstance(labels, Coded):
        return labels
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iufUb" and labels.ndim == 1:
        distinct, positions = np.unique(labels, return_inverse=True)
        return Coded.of_distinct(distinct.tolist(), positions)
    if hasattr(labels, "to_pylist") or hasattr(labels, "to_list"):
        return code_series(labels)
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "mM":
        return Coded.of([None if np.isnat(value) else str(value) for value in labels])
    return Coded.of(labels.tolist() if hasattr(labels, "tolist") else [_plain_name(label) for label in labels])
