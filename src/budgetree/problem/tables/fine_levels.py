"""Fine levels: a column of numbers that keeps up to 254 of them apart, for models that add up what they say."""

from __future__ import annotations

import itertools
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

    Other than Levels it cuts between the values that there are: each has a level of its own while they are few, and
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
    if not thresholds:
        return ("any",)
    texts = [f"{threshold:.6g}" for threshold in thresholds]
    if len(set(texts)) < len(texts):
        texts = [repr(threshold) for threshold in thresholds]
    inner = [f"{low} to {high}" for low, high in itertools.pairwise(texts)]
    return (f"below {texts[0]}", *inner, f"{texts[-1]} or more")
