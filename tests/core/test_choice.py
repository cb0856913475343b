"""The core's choice at one node, against the plain rule."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree._native import core
from budgetree.learn.greedy.native import NativeInstance, core_settings
from budgetree.learn.greedy.rule import Settings, decide, stops
from budgetree.problem import PathState

IMPURITIES = [
    bt.Pairs(), bt.Powers(3), bt.Powers(9), bt.Powers(20), bt.HingedPairs(1.5), bt.HingedProduct(3), bt.Gini(),
    bt.Entropy(), bt.Polynomial([(Fraction(1, 3), (1, 1, 2)), (2, (0, 3, 1))]),
]  # fmt: skip


def random_node(rng: random.Random, scale: int) -> tuple[np.ndarray, Any]:
    """Counts by test, outcome and class that add up alike for every test, and prices."""
    n_tests, n_outcomes = rng.randint(1, 40), rng.randint(1, 20)
    total = [rng.choice([0, rng.randint(1, scale)]) for _ in range(3)]
    total[0] += 1
    counts = np.zeros((n_tests, n_outcomes, 3), dtype=np.int64)
    for test in range(n_tests):
        for c in range(3):
            cuts = sorted(rng.randint(0, total[c]) for _ in range(n_outcomes - 1))
            counts[test, :, c] = np.diff([0, *cuts, total[c]])
        if test and rng.random() < 0.3:  # a tie, but for the order of the outcomes
            counts[test] = counts[rng.randrange(test)][::-1]
    names = [str(i) for i in range(n_tests)]
    flat = rng.random() < 0.5
    prices = {
        name: rng.randint(0, 5) if flat else {str(o): rng.randint(0, 4) for o in range(n_outcomes)} for name in names
    }
    shared = {"fee": (rng.randint(1, 5), rng.sample(names, rng.randint(1, n_tests)))} if rng.random() < 0.4 else {}
    outcomes = [[str(o) for o in range(n_outcomes)]] * n_tests
    return counts, bt.Prices(prices, shared=shared).bind(names, outcomes)


@pytest.mark.parametrize("rule", ["worst", "expected"])
@pytest.mark.parametrize("impurity", IMPURITIES, ids=repr)
@pytest.mark.parametrize("scale", [4, 300, 10**5, 10**11])
def test_the_choice_is_the_plain_rules(impurity: bt.Impurity, rule: Any, scale: int) -> None:
    rng = random.Random(scale)
    form = impurity.form(Fraction(1), 3)
    is_weighted = scale > 10**5
    for _ in range(60 if scale < 10**5 else 25):
        counts, prices = random_node(rng, scale)
        total = int(counts[0].sum())
        delta = Fraction(rng.choice([0, 0, rng.randint(0, scale)]), 2)
        budget, paid = rng.choice([3, 6, 2**53]), rng.choice([0, 0, 2])
        settings = Settings(form, delta, budget, rule)
        native = NativeInstance(None, None, total, 3, prices.highest_price)
        if not native.compares(form):
            continue
        flags = rng.choice([0, 1])
        is_leaf = stops(counts[0].sum(axis=0), form, delta)
        expected = None if is_leaf else decide(counts, prices, PathState((paid,), flags, ()), settings)
        found = core.parts.choose(
            counts,
            core.CostModel(**prices.lowered),
            core_settings(native, settings),
            core.PathState([paid], flags),
            is_weighted,
        )
        assert found == ((-1, False) if expected is None else (expected.test, expected.fallback))


def test_two_ratios_that_floats_cannot_tell_apart() -> None:
    # R is price / reduction: (2^53 − 1) / a and (2^53 − 3) / b, with cross products that round to one float.
    for price_a, price_b in [(2**53 - 1, 2**53 - 3), (2**53 - 3, 2**53 - 1)]:
        counts = np.zeros((2, 2, 2), dtype=np.int64)
        counts[:, 0, 0] = counts[:, 1, 1] = 10**5
        prices = bt.Prices({"0": 1, "1": 1}).bind(["0", "1"], [["0", "1"]] * 2)
        prices.amounts.flags.writeable = True
        prices.amounts[0, 0], prices.amounts[0, 1] = price_a, price_b
        settings = Settings(bt.Pairs().form(Fraction(1), 2), Fraction(0), 2**53, "worst")
        native = NativeInstance(None, None, 2 * 10**5, 2, 2**53)
        costs, start = core.CostModel(**prices.lowered), core.PathState()
        chosen = core.parts.choose(counts, costs, core_settings(native, settings), start, False)
        assert chosen == (int(price_b < price_a), False)
