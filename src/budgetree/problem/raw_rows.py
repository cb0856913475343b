"""RawRows: an instance's raw rows and what was done with them, so that it can be done again with some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, LevelCounts, LevelPlan, fit_encoder, side_by_side
from budgetree.data.table import Table
from budgetree.problem.duplicates import add_up_duplicates, merge_duplicates
from budgetree.problem.units import weight_units

# Rows that agree on every test become one case with the most common label; or stay; or, where they agree on the label
# too, become one case that counts as much as they all do.
Duplicates = Literal["merge", "keep", "add up"]


@dataclass(frozen=True, slots=True, eq=False)
class CodedCases:
    """Known cases as codes, and how they were coded."""

    encoders: tuple[ColumnEncoder, ...]
    codes: NDArray[np.uint8]
    labels: NDArray[np.int64]
    weight_units: NDArray[np.int64]
    weight_scale: Fraction  # so many units count as one row


@dataclass(frozen=True, slots=True, eq=False)
class RawRows:
    """Raw rows with their labels and weights, and how they become known cases.

    Whether a column holds numbers or words was decided when its table was read. Its levels or categories, and which
    rows are alike, are found in the rows at hand: cases made from some of the rows know nothing of the others.
    """

    tests: Table  # a column per test
    labels: NDArray[np.int64]  # per row, the position of its class in the instance's class_names
    levels: LevelCounts
    duplicates: Duplicates
    weights: NDArray[np.float64] | None = None  # None: each row counts once

    def __post_init__(self) -> None:
        for array in (self.labels, self.weights):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.tests)

    def take(self, positions: NDArray[np.int64]) -> RawRows:
        """Only these rows."""
        weights = None if self.weights is None else self.weights[positions]
        return replace(self, tests=self.tests.take(positions), labels=self.labels[positions], weights=weights)

    def to_cases(self, n_classes: int, fixed: Mapping[str, ColumnEncoder] | None = None) -> CodedCases:
        """Encode the columns, all from scratch but those with a fixed encoder, and see to rows that are alike."""
        encoders, codes = _encode(self.tests.columns, self.levels, fixed or {})
        labels = self.labels
        if self.duplicates == "merge":
            codes, labels = merge_duplicates(codes, labels, n_classes)
        units, scale = weight_units(self.weights, len(codes))  # before they are added up, so that no order matters
        if self.duplicates == "add up":
            codes, labels, units = add_up_duplicates(codes, labels, units)
        return CodedCases(encoders, codes, labels, units, scale)


def check_positions(positions: Any, n_rows: int) -> NDArray[np.int64]:
    """Which rows, from positions or a mask; a row may be there twice."""
    chosen = np.asarray(positions)
    if chosen.dtype == np.bool_ and chosen.shape == (n_rows,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or len(chosen) == 0 or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"positions is {positions!r:.60}; expected the positions of at least one row, or a mask of {n_rows} rows."
        )
    if chosen.min() < 0 or chosen.max() >= n_rows:
        raise ValueError(
            f"positions: they run from {chosen.min()} to {chosen.max()}; expected 0 to {n_rows - 1}, since there are "
            f"{n_rows} rows."
        )
    return chosen.astype(np.int64)


def _encode(
    tests: Sequence[Column], levels: LevelCounts, fixed: Mapping[str, ColumnEncoder]
) -> tuple[tuple[ColumnEncoder, ...], NDArray[np.uint8]]:
    """How each column becomes codes, and the codes."""
    LevelPlan.of(levels).check([column.name for column in tests])
    encoders = tuple(fixed.get(column.name) or fit_encoder(column, levels) for column in tests)
    coded = [encoder.encode(column) for encoder, column in zip(encoders, tests, strict=True)]
    return encoders, side_by_side(coded, len(tests[0]))
