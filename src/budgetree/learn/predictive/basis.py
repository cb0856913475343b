"""Basis: one test's outcomes as columns of a linear model.

    number of many values   z, clipped to ±3; its rank r; (r − ¼)₊, (r − ½)₊, (r − ¾)₊
    3 to 8 values           z, and an indicator for each value but the commonest
    2 values                z
    ordered words           as numbers 0, 1, 2, …
    nominal                 an indicator for each outcome but the commonest

The columns of numbers have standard deviation ½, so that one ridge fits all of them; all are centred on the known
cases, so that an outcome never seen is a row of zeros: the average case. So is a blank that is unknown, and the
average is that of the cases which have the result: what a test adds is learned from them alone. A blank that is a
result is an outcome like any other of a nominal test; of a number it is the median, with an indicator of its own where
at least three cases have it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import Categories, FineLevels, Levels
from budgetree.problem import Instance

FEW_VALUES = 8
MIN_MISSING = 3  # cases with a blank, for an indicator of that
CLIP = 3.0
KNOTS = (0.25, 0.5, 0.75)
CONSTANT = 1e-9  # a standard deviation below it is none


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What the models see of one test: its outcomes as columns of a linear model."""

    values: NDArray[np.float64]  # outcome × column, centred on the known cases
    numbers: NDArray[np.float64] | None  # of the levels, ascending, a blank comes after them; None where it is nominal
    missing: int | None  # the outcome of a result that is not known
    thresholds: tuple[float, ...] = ()  # per level after the first, where it begins; none where that is not known

    @property
    def is_ordered(self) -> bool:
        return self.numbers is not None

    @property
    def n_outcomes(self) -> int:
        return int(self.values.shape[0])

    @property
    def n_levels(self) -> int:
        """The outcomes that are in the order of numbers, from 0 on."""
        return 0 if self.numbers is None else len(self.numbers)

    @property
    def width(self) -> int:
        return int(self.values.shape[1])


def bases_of(instance: Instance) -> tuple[Basis, ...]:
    """The basis of every test, from what the encoders say of the outcomes; without encoders they are nominal."""
    schema, weights = instance.schema, instance.weights
    bases = []
    for test, column in enumerate(np.ascontiguousarray(instance.codes.T)):
        cases = np.bincount(column, weights, int(schema.n_outcomes[test])).astype(np.float64)
        encoder = schema.encoder(test)
        basis = make_basis(cases, level_values(encoder), schema.unknown(test))
        bases.append(replace(basis, thresholds=encoder.thresholds) if isinstance(encoder, FineLevels) else basis)
    return tuple(bases)


def level_values(encoder: Any) -> NDArray[np.float64] | None:
    """The numbers that the outcomes stand for, in order; None where they are nominal."""
    if isinstance(encoder, FineLevels):
        return np.array(encoder.values)
    if isinstance(encoder, Levels):
        return np.linspace(encoder.low, encoder.high, encoder.levels)
    if isinstance(encoder, Categories) and encoder.is_ordered:
        return np.arange(len(encoder.values), dtype=np.float64)
    if isinstance(encoder, Categories) and encoder.values and set(map(type, encoder.values)) <= {int, float}:
        return np.array(encoder.values, dtype=np.float64)
    return None


def make_basis(cases: NDArray[np.float64], values: NDArray[np.float64] | None, missing: int | None = None) -> Basis:
    """From the weight of the cases per outcome, and the number that each stands for; None for a nominal test.

    missing  the outcome of a result that is not known
    """
    known = cases.copy()
    known[[] if missing is None else missing] = 0
    n_values = len(cases) if values is None else len(values)
    if not known[:n_values].any():  # no known case has a result
        return Basis(np.zeros((len(cases), 0)), values, missing)
    if values is None:
        columns = _indicators(known)
    else:
        columns = _number_columns(known[:n_values], values)
        if len(cases) > n_values:
            below = np.cumsum(known[:n_values])
            median = int(np.searchsorted(below, below[-1] / 2))
            columns = np.vstack([columns, columns[median]])
            if known[n_values] >= MIN_MISSING:
                columns = np.column_stack([columns, np.arange(len(cases)) == n_values])
    columns = columns - known @ columns / known.sum()
    columns[[] if missing is None else missing] = 0
    return Basis(np.ascontiguousarray(columns), values, missing)


def _number_columns(cases: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    total = cases.sum()
    values = values / max(float(np.abs(values).max()), np.finfo(float).tiny)  # so that no square overflows
    mean = cases @ values / total
    deviation = np.sqrt(cases @ (values - mean) ** 2 / total)
    z = np.clip((values - mean) / max(deviation, np.finfo(float).tiny), -CLIP, CLIP)
    n_distinct = int((cases > 0).sum())
    if n_distinct <= FEW_VALUES:
        number = _scaled(z[:, None], cases)
        return number if n_distinct <= 2 else np.hstack([number, _indicators(cases)])
    rank = (np.cumsum(cases) - cases / 2) / total
    return _scaled(np.column_stack([z, rank, *(np.maximum(rank - knot, 0) for knot in KNOTS)]), cases)


def _indicators(cases: NDArray[np.float64]) -> NDArray[np.float64]:
    """One column per outcome that some case has, but for the commonest, the first of several."""
    kept = (cases > 0) & (np.arange(len(cases)) != cases.argmax())
    return np.eye(len(cases))[:, kept]


def _scaled(columns: NDArray[np.float64], cases: NDArray[np.float64]) -> NDArray[np.float64]:
    """All to a standard deviation of ½; constant ones are left out."""
    share = cases / cases.sum()
    deviation = np.sqrt(share @ (columns - share @ columns) ** 2)
    kept = deviation > CONSTANT
    return np.asarray(columns[:, kept] / (2 * deviation[kept]))
