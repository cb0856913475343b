"""Fine levels: a column of numbers that keeps up to 254 of them apart, for models that add up what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.table import Column

MAX_OUTCOMES = 255  # codes are bytes, and the last byte value means "never seen"
UNSEEN = 255
MISSING = "missing"
MAX_LEVELS = MAX_OUTCOMES - 1  # one code is left for a missing value


@dataclass(frozen=True, slots=True)
class FineLevels:
    """A numeric column cut at given thresholds; a level stands for the mean of its known values.

    Unlike Levels, it cuts between the values that there are: each has a level of its own while they are few, and
    else as many cases as its neighbours.
    """

    name: str
    thresholds: tuple[float, ...]  # per level after the first, the least number in it
    values: tuple[float, ...]  # per level, the mean of its known values
    low: float  # the known numbers run from here
    high: float  # to there
    has_missing: bool

    @property
    def levels(self) -> int:
        return len(self.values)

    @property
    def outcome_names(self) -> tuple[str, ...]:
        names = _names(self.thresholds)
        return (*names, MISSING) if self.has_missing else names

    def range_names(self, outcomes: Sequence[int]) -> list[str]:
        """What outcomes are called together, neighbouring levels as one range.

        >>> FineLevels("age", (30.0, 40.0, 50.0), (25.0, 35.0, 45.0, 55.0), 20, 60, True).range_names([1, 2, 4])
        ['30 to 50', 'missing']
        """
        texts = _texts(self.thresholds)
        runs: list[list[int]] = []
        for level in (outcome for outcome in outcomes if outcome < self.levels):
            if runs and level == runs[-1][1] + 1:
                runs[-1][1] = level
            else:
                runs.append([level, level])
        names = [_range_name(texts, first, last) for first, last in runs]
        return [*names, MISSING] if self.levels in outcomes else names

    def encode(self, column: Column) -> NDArray[np.uint8]:
        numbers = column.as_numbers()
        if numbers is None:
            raise ValueError(f"column {self.name!r} was numeric when it was learned, but now holds {column.dtype}.")
        level = np.searchsorted(np.asarray(self.thresholds), numbers, side="right")
        missing_code = len(self.values) if self.has_missing else UNSEEN
        return np.where(np.isnan(numbers), missing_code, level).astype(np.uint8)


def fit_fine_levels(column: Column, max_levels: int = MAX_LEVELS) -> FineLevels:
    """One level per value where there are at most max_levels, else as many cases in each as can be."""
    assert column.numbers is not None
    absent = np.isnan(column.numbers)
    distinct, position, count = np.unique(column.numbers[~absent], return_inverse=True, return_counts=True)
    if len(distinct) <= max_levels:
        level_of = np.arange(len(distinct))
    else:
        middle = np.cumsum(count) - count / 2
        share = np.minimum((middle / count.sum() * max_levels).astype(np.int64), max_levels - 1)
        level_of = np.unique(share, return_inverse=True)[1]  # a level that no value fell into is left out
    first = np.flatnonzero(np.diff(level_of)) + 1  # the first value of each level but the lowest
    thresholds = [_between(float(distinct[at - 1]), float(distinct[at])) for at in first]
    level = level_of[position]
    values = np.bincount(level, weights=column.numbers[~absent]) / np.bincount(level)
    low, high = float(distinct[0]), float(distinct[-1])
    return FineLevels(column.name, tuple(thresholds), tuple(values.tolist()), low, high, bool(absent.any()))


def _between(below: float, above: float) -> float:
    """A number above the one and at most the other; half way where floats can say so."""
    middle = below + (above - below) / 2
    return middle if below < middle <= above else above


def _names(thresholds: Sequence[float]) -> tuple[str, ...]:
    texts = _texts(thresholds)
    return tuple(_range_name(texts, level, level) for level in range(len(thresholds) + 1))


def _texts(thresholds: Sequence[float]) -> list[str]:
    texts = [f"{threshold:.6g}" for threshold in thresholds]
    return texts if len(set(texts)) == len(texts) else [repr(threshold) for threshold in thresholds]


def _range_name(texts: Sequence[str], first: int, last: int) -> str:
    """The numbers from one level to another, where level k begins at threshold k - 1."""
    low = texts[first - 1] if first > 0 else None
    high = texts[last] if last < len(texts) else None
    if low is None:
        return "any" if high is None else f"below {high}"
    return f"{low} or more" if high is None else f"{low} to {high}"
