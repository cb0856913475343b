"""The rule: ties that floats cannot see, and the impurity of a node of one class."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.greedy.rule import choose, stops


def counts_of(*parts: list[list[int]]) -> np.ndarray:
    return np.array(parts, dtype=np.int64)


@pytest.mark.parametrize("rule", ["worst", "expected"])
def test_a_tie_goes_to_fewer_misclassified_cases_then_to_the_first(rule: str) -> None:
    form = bt.Pairs().form(Fraction(1), 2)
    split = [[3, 0], [1, 2]]  # one misclassified
    assert choose(counts_of(split, split), np.ones((2, 2), int), np.ones(2, bool), form, rule).test == 0
    mirrored = counts_of(split, split[::-1], split)
    prices = np.array([[2, 2], [1, 1], [1, 1]])
    assert choose(mirrored, prices, np.ones(3, bool), form, rule).test == 1
    assert choose(mirrored, prices, np.array([True, False, False]), form, rule).test == 0


def test_prices_that_floats_cannot_separate_are_compared_exactly() -> None:
    form = bt.Pairs().form(Fraction(1), 2)
    split = [[3, 0], [0, 3]]
    price = 2**53  # its successor is no float
    prices = np.array([[price + 1] * 2, [price] * 2])
    assert choose(counts_of(split, split), prices, np.ones(2, bool), form, "worst").test == 1


def test_no_test_splits_or_every_ratio_is_infinite() -> None:
    form = bt.HingedProduct(2).form(Fraction(1), 2)
    whole = counts_of([[2, 2], [0, 0]])
    assert choose(whole, np.ones((1, 2), int), np.ones(1, bool), form, "worst") is None
    forgiven = counts_of([[1, 1], [1, 1]])  # to the hinge nothing is left to reduce
    assert choose(forgiven, np.ones((1, 2), int), np.ones(1, bool), form, "worst").fallback


@pytest.mark.parametrize("impurity", [bt.Pairs(), bt.Gini()])
def test_a_node_stops_where_it_owes_no_more_than_delta(impurity: bt.Impurity) -> None:
    form, counts = impurity.form(Fraction(1), 2), np.array([3, 4])
    left = Fraction(impurity(counts))
    assert stops(counts, form, left)
    assert not stops(counts, form, left * Fraction(999, 1000))
    assert stops(np.array([0, 4]), form, Fraction(0))
