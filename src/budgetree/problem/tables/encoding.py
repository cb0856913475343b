"""From a column of raw values to outcome codes, and names a person can read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.fine_levels import MAX_OUTCOMES as MAX_OUTCOMES
from budgetree.problem.tables.fine_levels import MISSING as MISSING
from budgetree.problem.tables.fine_levels import UNSEEN as UNSEEN
from budgetree.problem.tables.fine_levels import FineLevels
from budgetree.problem.tables.level_plan import DEFAULT_LEVELS as DEFAULT_LEVELS
from budgetree.problem.tables.level_plan import LevelCounts, LevelPlan
from budgetree.problem.tables.table import Column, as_float
from budgetree.problem.tables.values import int_if_whole, sort_key

SAMPLE = 1024  # rows that usually show at once that a column has many values
BLOCK_ROWS = 8192  # rows whose codes stay in the cache while they are put together
FEW = 16  # values that a number is compared with one by one


@dataclass(frozen=True, slots=True)
class Levels:
    """A numeric column, each value rounded to the nearest of evenly spaced levels."""

    name: str
    low: float
    high: float
    levels: int
    has_missing: bool

    @property
    def outcome_names(self) -> tuple[str, ...]:
        names = _range_names(self.low, self.high, self.levels)
        return (*names, MISSING) if self.has_missing else names

    def encode(self, column: Column) -> NDArray[np.uint8]:
        numbers = column.as_numbers()
        if numbers is None:
            raise ValueError(f"column {self.name!r} was numeric when it was learned, but now holds {column.dtype}.")
        codes = np.empty(len(numbers), dtype=np.uint8)
        for first in range(0, len(numbers), BLOCK_ROWS):
            rows = slice(first, first + BLOCK_ROWS)
            codes[rows] = self._codes(numbers[rows])
        return codes

    def _codes(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The paper's rounding: halves go to the even level, and values outside the range to its ends."""
        span = self.high - self.low
        level = np.clip(numbers, self.low, self.high)
        level -= self.low
        level /= span if span > 0 else 1
        level *= self.levels - 1
        np.rint(level, out=level)
        level[np.isnan(level)] = self.levels if self.has_missing else UNSEEN
        return level

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Per level after the first, the least float that is rounded to it, or infinity where none is.

        `x < threshold` then says exactly what encode does, also in a language that rounds in another way.
        """
        return _thresholds(self.low, self.high, self.levels)


@dataclass(frozen=True, slots=True)
class Categories:
    """A column with one outcome per value."""

    name: str
    values: tuple[Any, ...]
    has_missing: bool

    @property
    def outcome_names(self) -> tuple[str, ...]:
        names = _value_names(self.values)
        return (*names, MISSING) if self.has_missing else names

    def encode(self, column: Column) -> NDArray[np.uint8]:
        code = {value: index for index, value in enumerate(self.values)}
        missing_code = len(self.values) if self.has_missing else UNSEEN
        if column.values is None and column.numbers is not None:
            return _places(code, column.numbers, missing_code)
        coded = column.coded()
        known = np.fromiter((code.get(value, UNSEEN) for value in coded.distinct), np.uint8, len(coded.distinct))
        return coded.look_up(known, missing_code)


def _places(code: Mapping[Any, int], numbers: NDArray[np.float64], missing_code: int) -> NDArray[np.uint8]:
    """The codes of numbers, of which only those that are known have one."""
    amounts = {value: place for value, place in code.items() if isinstance(value, (int, float, np.number, Decimal))}
    known = sorted((as_float(value), place) for value, place in amounts.items())
    values = np.array([value for value, _ in known] or [np.nan])
    places = np.array([place for _, place in known] or [UNSEEN], dtype=np.uint8)
    at = _next_of(values, numbers)
    codes = np.where(values[at] == numbers, places[at], np.uint8(UNSEEN))
    codes[np.isnan(numbers)] = missing_code
    return codes


def _next_of(values: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
    """Per number, the position of the least value that is not below it; the last where all are."""
    if len(values) > FEW:
        return np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    found = np.zeros(len(numbers), dtype=np.uint8)
    for value in values[:-1]:  # which a processor does many times faster than searching
        found += numbers > value
    return found


def side_by_side(columns: Sequence[NDArray[np.uint8] | None], n_rows: int) -> NDArray[np.uint8]:
    """Columns of codes as one table, UNSEEN where a column is None; row block by row block, as caches like it."""
    codes = np.full((n_rows, len(columns)), UNSEEN, dtype=np.uint8)
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        block = codes[rows]
        for place, column in enumerate(columns):
            if column is not None:
                block[:, place] = column[rows]
    return codes


NumberEncoder = Levels | FineLevels  # both have thresholds
ColumnEncoder = NumberEncoder | Categories


@lru_cache(maxsize=10_000)  # a tree asks for the same column's in many nodes
def _thresholds(low: float, high: float, levels: int) -> tuple[float, ...]:
    span = high - low
    if span == 0:
        return (math.inf,) * (levels - 1)
    found = []
    for level in range(1, levels):
        below, at = low, high
        while below < (middle := below + (at - below) / 2) < at:
            # As in encode: Python's round also sends halves to the even number.
            if round((middle - low) / span * (levels - 1)) >= level:
                at = middle
            else:
                below = middle
        found.append(at)
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """What a column holds, as far as its encoder must know."""

    name: str
    dtype: str
    has_missing: bool
    low: float | None = None  # the least number; None where there is none
    high: float | None = None
    numbers: NDArray[np.float64] | None = None  # the different ones; None where they are too many
    # Values that are no numbers, or whole numbers that floats would not tell apart; None where there are none.
    values: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, column: Column, max_numbers: int) -> Contents:
        """Look at all rows; more different numbers than these are too many."""
        if column.numbers is None:
            present, has_missing = _present(column)
            return cls(column.name, column.dtype, has_missing, values=present)
        absent = np.isnan(column.numbers)
        numbers = column.numbers[~absent] if absent.any() else column.numbers
        if not len(numbers):
            return cls(column.name, column.dtype, bool(absent.any()))
        low, high = float(numbers.min()), float(numbers.max())
        few = _distinct(numbers, max_numbers)
        values = None if column.values is None or few is None else _present(column)[0]
        return cls(column.name, column.dtype, bool(absent.any()), low, high, few, values)


def fit_encoder(column: Column, levels: LevelCounts) -> ColumnEncoder:
    """Choose how to encode a column; a mapping of levels names the columns that are always rounded."""
    plan = LevelPlan.of(levels)
    if column.numbers is None and column.name in plan.columns:
        raise _no_levels(column)
    return encoder_for(Contents.of(column, plan.count(column.name)), plan)


def encoder_for(contents: Contents, levels: LevelCounts) -> ColumnEncoder:
    """The same for contents that were found part by part."""
    plan = LevelPlan.of(levels)
    is_named, low, high = contents.name in plan.columns, contents.low, contents.high
    if low is not None and high is not None:
        if not math.isfinite(high - low):
            raise ValueError(f"column {contents.name!r} spans more than a float can hold; rescale it.")
        if (is_named and plan.always) or contents.numbers is None:
            return Levels(contents.name, low, high, plan.count(contents.name), contents.has_missing)
    elif is_named and contents.values:
        raise _no_levels(contents)
    if contents.values is not None or contents.numbers is None:
        return _categories(contents, sorted(contents.values or (), key=sort_key))
    return _categories(contents, [int_if_whole(v) for v in contents.numbers.tolist()])


def _no_levels(column: Column | Contents) -> ValueError:
    return ValueError(f"levels: column {column.name!r} holds {column.dtype}, not numbers, so it has no levels.")


def _present(column: Column) -> tuple[tuple[Any, ...], bool]:
    """The different values, and whether some are missing."""
    coded = column.coded()
    return tuple(coded.present()), bool(coded.is_absent.any())


def _categories(contents: Contents, values: list[Any]) -> Categories:
    count = len(values) + contents.has_missing
    if count > MAX_OUTCOMES:
        raise ValueError(
            f"column {contents.name!r} ({contents.dtype}) has {count} different outcomes; a test may have at most "
            f"{MAX_OUTCOMES}. Drop the column if it identifies the row, convert it to numbers (they are rounded to "
            "levels), or group its rare values."
        )
    return Categories(contents.name, tuple(values), contents.has_missing)


def _distinct(numbers: NDArray[np.float64], max_count: int) -> NDArray[np.float64] | None:
    """The different numbers, in order; None where they are too many."""
    few = np.unique(numbers[:SAMPLE])
    if 0 < len(few) <= max_count:
        others = numbers[few[_next_of(few, numbers)] != numbers]
        few = np.unique(np.concatenate((few, others))) if len(others) else few
    return few if len(few) <= max_count else None


def _value_names(values: Sequence[Any]) -> tuple[str, ...]:
    names = [str(value) for value in values]
    if len(set(names)) < len(names) or MISSING in names:
        # 1 and "1" in one column, or a text that says "missing": repr keeps them apart.
        names = [repr(value) for value in values]
    return tuple(names)


def _range_names(low: float, high: float, levels: int) -> tuple[str, ...]:
    step = (high - low) / (levels - 1)
    if not step > 0:
        return (_number(low, 6), *(f"level {level}" for level in range(1, levels)))
    edges = [low, *(low + (level + 0.5) * step for level in range(levels - 1)), high]
    decimals = 1 - math.floor(math.log10(step))
    texts = [_number(edge, decimals) for edge in edges]
    if len(set(texts)) < len(texts):
        texts = [repr(edge) for edge in edges]
    if len(set(texts)) < len(texts):  # levels closer together than floats are
        return tuple(f"level {level}" for level in range(levels))
    return tuple(f"{a} to {b}" for a, b in itertools.pairwise(texts))


def _number(value: float, decimals: int) -> str:
    if decimals > 12 or abs(value) >= 1e15:
        return f"{value:.8g}"
    text = f"{value:.{max(decimals, 0)}f}"
    return text.removeprefix("-") if float(text) == 0 else text
