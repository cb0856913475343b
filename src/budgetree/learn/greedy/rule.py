"""The greedy rule, in NumPy and exact: which test to do at a node. The core's choice.cpp is its twin.

R(t) = max over the outcomes i present of c(t, i) / (F(G) − F(G_i)); the smallest R wins. Ties go to the test that
leaves the fewest misclassified cases, then to the first column. Where every R is infinite, Pairs chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.impurity import Form, Pairs

RuleName = Literal["worst", "expected"]

LARGEST_INT64 = 2**62
SCREEN = 1e-12  # far above the error of a float quotient of exact numbers, so no winner is screened out
FLOAT_TIE = 1e-9  # functions computed in floats tie when their R differ by less than this, relatively


@dataclass(frozen=True, slots=True)
class Choice:
    """The test to do, and whether Pairs had to choose it."""

    test: int
    fallback: bool


def choose(
    counts: NDArray[np.int64],
    prices: NDArray[np.int64],
    offered: NDArray[np.bool_],
    form: Form,
    rule: RuleName,
) -> Choice | None:
    """The rule's test for a node, or None when no offered test splits it.

    counts   weight units per test × outcome × class
    prices   units per test × outcome, fees due included
    offered  per test, whether the budget allows it
    """
    totals = counts.sum(axis=2)
    tests = np.flatnonzero(offered & ((totals > 0).sum(axis=1) >= 2))
    if not len(tests):
        return None
    counts, prices, totals = counts[tests], prices[tests], totals[tests]
    misclassified = (totals - counts.max(axis=2)).sum(axis=1)
    winner = _best(counts, prices, totals, misclassified, form, rule)
    if winner is not None:
        return Choice(int(tests[winner]), fallback=False)
    pairs = Pairs().form(Fraction(1), counts.shape[2])
    winner = _best(counts, prices, totals, misclassified, pairs, rule)
    assert winner is not None  # splitting an impure node always separates some pair
    return Choice(int(tests[winner]), fallback=True)


def stops(node_counts: NDArray[np.int64], form: Form, delta: Fraction) -> bool:
    """True when the node is pure or owes no more than δ."""
    if np.count_nonzero(node_counts) <= 1:
        return True
    if not form.exact:
        return bool(form.value(node_counts) <= float(delta * form.stretch) * (1 + FLOAT_TIE))
    return bool(form.value(node_counts.astype(object)) <= delta * form.stretch)


def _best(
    counts: NDArray[Any],
    prices: NDArray[np.int64],
    totals: NDArray[np.int64],
    misclassified: NDArray[np.int64],
    form: Form,
    rule: RuleName,
) -> int | None:
    """Position of the winning test, or None when every R is infinite.

    Ties decide trees, so R is compared exactly; but fractions are slow, and most tests are far from winning. So the
    floats only screen: they may be off by a few parts in 10^16, and every test within 10^-12 of the smallest goes on.

        R in floats   0.5    0.3333333333333333   0.3333333333333334   2.0
        screened             ✓                    ✓
        as fractions         1/3                  1/3                        a tie: the fewer misclassified cases win

    A function that is computed in floats itself has no exact R; its candidates tie within 10^-9.
    """
    if form.exact:
        counts, prices, totals = _wide_enough(counts, prices, totals, form)
    else:
        prices, totals = prices.astype(np.float64), totals.astype(np.float64)
    whole = form.value(counts[0].sum(axis=0))
    kept = form.value(counts)
    reduction = whole - kept
    if not form.exact and not (np.isfinite(whole) and np.isfinite(kept).all()):
        raise ValueError(
            "impurity: a value is not a finite number; expected a number for every vector of class counts."
        )
    if rule == "expected":
        # One quotient per test: the mean price over the mean reduction, both times the node's weight.
        prices = (totals * prices).sum(axis=1, keepdims=True)
        reduction = (totals * reduction).sum(axis=1, keepdims=True)
        present = np.ones(prices.shape, dtype=bool)
        whole = whole * totals[0].sum()
    else:
        present = totals > 0
    kept_all = reduction <= (0 if form.exact else FLOAT_TIE * whole)
    finite = ~(kept_all & present).any(axis=1)
    if not finite.any():
        return None
    quotient = np.zeros(reduction.shape)
    reduced = present & ~kept_all
    quotient[reduced] = prices[reduced].astype(np.float64) / _as_floats(reduction[reduced])
    ratio = np.where(finite, quotient.max(axis=1), np.inf)
    band = SCREEN if form.exact else FLOAT_TIE
    candidates = np.flatnonzero(ratio <= ratio.min() * (1 + band))
    if form.exact:
        exact = [_worst(prices[t][present[t]], reduction[t][present[t]]) for t in candidates]
        smallest = min(exact)
        candidates = np.array([t for t, value in zip(candidates, exact, strict=True) if value == smallest])
    return int(candidates[np.argmin(misclassified[candidates])])


def _worst(prices: NDArray[Any], reductions: NDArray[Any]) -> Fraction:
    pairs = set(zip(prices.tolist(), reductions.tolist(), strict=True))
    return max(Fraction(price) / Fraction(reduction) for price, reduction in pairs)


def _as_floats(values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except OverflowError:  # beyond 1e308; one common factor changes no comparison
        largest = Fraction(values.max())
        return np.array([float(Fraction(value) / largest) for value in values])


def _wide_enough(
    counts: NDArray[Any], prices: NDArray[Any], totals: NDArray[Any], form: Form
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Python's integers where 64 bits might overflow."""
    total = int(totals[0].sum())
    largest = form.largest(total)
    if largest is not None and largest * total < LARGEST_INT64 and int(prices.max()) * total < LARGEST_INT64:
        return counts, prices, totals
    return counts.astype(object), prices.astype(object), totals.astype(object)
