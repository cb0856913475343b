"""Every impurity with a function of exact fractions that computes the same: what the tests here run over."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import reference
from hypothesis import strategies as st

import budgetree as bt


class ErrorCount(bt.Impurity):
    """A user's own: exact, without a form of its own, and not admissible."""

    exact = True

    def value(self, counts: Any) -> Any:
        return counts.sum(axis=-1) - counts.max(axis=-1)


counts_lists = st.lists(st.integers(0, 60), min_size=3, max_size=3)
TERMS = [(Fraction(1, 2), (1, 1, 0)), (Fraction(3), (0, 2, 1)), (Fraction(1), (1, 1, 4))]
EXACT: list[tuple[bt.Impurity, Any]] = [
    (bt.Pairs(), reference.pairs),
    (bt.Powers(2), reference.powers(2)),
    (bt.Powers(5), reference.powers(5)),
    (bt.HingedPairs(2.5), reference.hinged_pairs(Fraction(5, 2))),
    (bt.HingedPairs(0), reference.hinged_pairs(Fraction(0))),
    (bt.HingedProduct(7), reference.hinged_product(Fraction(7))),
    (bt.Polynomial(TERMS), reference.polynomial(TERMS)),
    (bt.ObjectPairs(), lambda counts: sum(counts) * (sum(counts) - 1)),
    (ErrorCount(), lambda counts: sum(counts) - max(counts)),
]
FLOAT: list[tuple[bt.Impurity, Any]] = [(bt.Gini(), reference.gini), (bt.Entropy(), reference.entropy)]
ALL = [impurity for impurity, _ in EXACT + FLOAT]
