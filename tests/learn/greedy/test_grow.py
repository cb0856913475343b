"""The growers: whichever serves, the tree is the same to the bit, however large the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from support import GROWERS, grow_with

import budgetree as bt


@pytest.mark.parametrize("grower", GROWERS)
def test_pairs_chooses_where_every_ratio_is_infinite(grower: str) -> None:
    instance = bt.Instance([[0], [0], [0], [0], [1]], [0, 0, 1, 1, 2])
    tree = grow_with(grower, instance, bt.HingedProduct(1))
    assert tree.n_fallbacks == 1
    assert tree.n_leaves == 2


@pytest.mark.parametrize("grower", GROWERS)
def test_huge_powers_are_compared_exactly(grower: str) -> None:
    # 3000^9 is far beyond float64; of two equal columns the rule must still see the tie and take the first.
    rng = np.random.default_rng(0)
    column = rng.integers(0, 3, (3000, 1))
    codes = np.hstack([rng.integers(0, 3, (3000, 1)), column, column])
    tree = grow_with(grower, bt.Instance(codes, (column[:, 0] + rng.integers(0, 2, 3000)) % 3), bt.Powers(9))
    assert set(tree.nodes.test) == {-1, 0, 1}


@pytest.mark.parametrize("power", [5, 60, 400])
def test_growers_agree_beyond_the_exact_range(power: int) -> None:
    rng = np.random.default_rng(power)
    codes = rng.integers(0, 4, (2500, 6))
    instance = bt.Instance(codes, (codes[:, 0] * codes[:, 1] + rng.integers(0, 2, 2500)) % 3)
    impurity = bt.Powers(power)
    assert grow_with("native", instance, impurity) == grow_with("reference", instance, impurity)


@pytest.mark.parametrize("name", bt.datasets.names())
@pytest.mark.parametrize("rule", ["worst", "expected"])
def test_growers_agree_on_the_bundled_sets(name: str, rule: str) -> None:
    instance = bt.datasets.load(name)
    for impurity in (bt.Pairs(), bt.Powers(5), bt.HingedPairs(3.5), bt.HingedProduct(20), bt.Gini(), bt.Entropy()):
        native = grow_with("native", instance, impurity, rule=rule)
        assert native == grow_with("reference", instance, impurity, rule=rule)


def test_growers_agree_on_many_levels_weights_and_wide_tables() -> None:
    rng = np.random.default_rng(1)
    for n_objects, n_tests, n_outcomes in [(600, 3, 200), (1500, 70, 5), (900, 33, 12), (40, 2, 2), (300, 1, 1)]:
        codes = rng.integers(0, n_outcomes, (n_objects, n_tests))
        labels = rng.integers(0, 3, n_objects)
        for weights in (None, rng.integers(0, 4, n_objects), rng.random(n_objects)):
            instance = bt.Instance(codes, labels, weights=weights)
            for budget in (None, 2):
                native = grow_with("native", instance, bt.Pairs(), budget=budget)
                assert native == grow_with("reference", instance, bt.Pairs(), budget=budget)


@pytest.mark.parametrize("rule", ["worst", "expected"])
@pytest.mark.parametrize("impurity", [bt.Pairs(), bt.Powers(28), bt.Gini(), bt.Entropy()], ids=repr)
def test_growers_agree_on_long_prices_and_weights(impurity: bt.Impurity, rule: str) -> None:
    rng = np.random.default_rng(9)
    for _ in range(40):
        column = rng.integers(0, 3, (60, 1))
        # The last column is the first one relabelled: an exact tie, whatever the digits.
        codes = np.hstack([column, rng.integers(0, 3, (60, 2)), (column + 1) % 3])
        prices = dict(zip("0123", (rng.random(4) * rng.choice([1, 1e6])).tolist(), strict=True))
        prices["3"] = prices["0"]
        weights = rng.random(60) if rng.random() < 0.5 else rng.integers(1, 9, 60)
        instance = bt.Instance(codes, rng.integers(0, 2, 60), weights=weights, prices=prices)
        settings = {"rule": rule, "delta": float(rng.choice([0, 10]))}
        native = grow_with("native", instance, impurity, **settings)
        assert native == grow_with("reference", instance, impurity, **settings)
        assert 3 not in native.nodes.test


@pytest.mark.parametrize("impurity", [bt.Gini(), bt.Entropy()], ids=repr)
def test_growers_agree_on_a_delta_that_a_node_owes_exactly(impurity: bt.Impurity) -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        codes = rng.integers(0, 4, (30, 3))
        instance = bt.Instance(codes, rng.integers(0, 3, 30))
        whole = grow_with("reference", instance, impurity)
        delta = impurity(whole.nodes.counts[rng.integers(len(whole.nodes))])
        stopped = [grow_with(grower, instance, impurity, delta=delta) for grower in GROWERS]
        assert all(tree == stopped[0] for tree in stopped)


def test_a_mean_price_beyond_floats_is_compared_exactly() -> None:
    codes, labels, price = np.zeros((1000, 2), int), np.zeros(1000, int), 4 * 10**14
    codes[0], labels[0] = 1, 1
    prices = {"0": {"0": price, "1": price + 1}, "1": price}
    instance = bt.Instance(codes, labels, prices=prices)
    for grower in GROWERS:
        assert grow_with(grower, instance, bt.Pairs(), rule="expected").nodes.test[0] == 1


def test_a_delta_beyond_floats_stops_at_once() -> None:
    instance = bt.Instance([[0], [1]], [0, 1], weights=[6e9, 6e9])
    for grower in GROWERS:
        assert grow_with(grower, instance, bt.Powers(9), delta=1e99).n_leaves == 1
