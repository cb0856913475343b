"""Budgets worth a look: within the limit, where something changes, and the same however the table is ordered."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.learn.predictive.budgets import DEFAULT_POINTS
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.services.clock import Clock


def budgets(instance: bt.Instance, n_budgets: int = DEFAULT_POINTS, limit: int = LARGEST_EXACT) -> list[int | float]:
    trees = PredictiveTrees(instance, confidence=None, leaves="auto", threads=1)
    return trees.budgets(limit, n_budgets, Clock(None))


def table(seed: int, order: list[int]) -> bt.Instance:
    """Six tests at prices of their own, some by outcome, three of which share fees; columns in this order."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (90, 6))
    labels = (codes[:, 0] + codes[:, 1] + rng.integers(0, 2, 90) > 2).astype(int)
    own = {str(test): int(price) for test, price in enumerate(rng.integers(1, 30, 6))}
    by_outcome = {"1": {"0": 1, "1": int(rng.integers(2, 9)), "2": 3}}
    shared = {"draw": (int(rng.integers(1, 6)), ["2", "3"]), "visit": (4, ["3", "4"])}
    names = [str(test) for test in order]
    return bt.Instance(codes[:, order], labels, prices=bt.Prices(own | by_outcome, shared=shared), test_names=names)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.permutations(range(6)), st.integers(1, 60))
def test_they_are_within_the_limit_and_more_of_them_keep_the_fewer(seed: int, order: list[int], limit: int) -> None:
    instance, shuffled = table(seed, [*range(6)]), table(seed, order)
    few, many = budgets(instance, 4, limit), budgets(instance, 9, limit)
    largest = min(limit, instance.schema.costs.price_of_all)
    for found, most in ((few, 4), (many, 9)):
        assert found[-1] == largest
        assert found[0] > 0
        assert all(before < after for before, after in pairwise(found))
        assert len(found) <= most
    assert set(few) <= set(many)
    assert budgets(shuffled, 9, limit) == many


def test_what_each_purchase_costs_is_a_budget() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (400, 8))
    labels = np.where(rng.random(400) < 0.1, rng.integers(0, 2, 400), codes[:, 5] + 2 * codes[:, 6])
    prices = dict(zip(map(str, range(8)), (1, 1, 1, 1, 1, 17, 40, 100), strict=True))
    found = budgets(bt.Instance(codes, labels, prices=prices), 4)
    assert {17, 57, 162} <= set(found)  # one that tells, both that do, and all


def test_of_many_tests_the_small_budgets_are_close_together() -> None:
    rng = np.random.default_rng(0)
    found = budgets(bt.Instance(rng.integers(0, 2, (60, 300)), rng.integers(0, 2, 60)))
    assert len(found) == DEFAULT_POINTS
    assert found[0] == 1
    assert found[-1] == 300
    assert sum(budget <= 20 for budget in found) >= 4


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [0, 0, 0, 0]])
def test_nothing_to_pay_for_or_to_find_out_is_no_budget(labels: list[int]) -> None:
    instance = bt.Instance([[0], [1], [0], [1]], labels, prices=sum(labels) and 0)
    assert budgets(instance) == []


def test_all_tests_together_pay_a_fee_once() -> None:
    prices = bt.Prices({"0": {"0": 1, "1": 2}}, shared={"visit": (5, ["1", "2"])}, default=3)
    instance = bt.Instance([[0, 0, 0], [1, 1, 1]] * 9, [0, 1] * 9, prices=prices)
    assert instance.schema.costs.price_of_all == 13
    assert budgets(instance, limit=9)[-1] == 9
    assert set(budgets(instance)) <= {2, 8, 10, 11, 13}
