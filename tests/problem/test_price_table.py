"""Prices in whole units: sums and budgets that are exact."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt

NAMES = ("age", "blood")
OUTCOMES = (("young", "old"), ("low", "high", "missing"))


@given(st.lists(st.floats(1e-3, 1e6, allow_nan=False), min_size=1, max_size=6))
def test_prices_with_any_digits_still_add_up(amounts: list[float]) -> None:
    names = [str(i) for i in range(len(amounts))]
    table = bt.Prices(dict(zip(names, amounts, strict=True))).bind(names, [("x",)] * len(names))
    total = int(table.own[:, 0].sum())
    assert total <= 2**53
    assert table.amount(total) == pytest.approx(sum(amounts), rel=1e-13)  # fifteen digits of twice the total
    assert table.budget_units(sum(amounts)) >= total


def test_a_trees_own_cost_is_a_budget_for_it() -> None:
    for price in (Fraction(1, 3), Fraction(2, 7), 0.1, 0.7, 1.1):
        tree = bt.grow(bt.Instance([[0, 0, 1], [1, 0, 0], [1, 1, 1]], [0, 1, 0], prices=price))
        assert tree.cut(tree.max_cost) == tree
    assert bt.grow(bt.datasets.load("pima"), budget=math.inf) == bt.grow(bt.datasets.load("pima"))


@pytest.mark.parametrize("budget", [10**5000, Decimal("1e-999999999"), 1e-31], ids=["huge", "tiny", "float"])
def test_a_budget_out_of_range_is_refused_at_once(budget: object) -> None:
    table = bt.Prices(1).bind(NAMES, OUTCOMES)
    with pytest.raises(ValueError, match=r"^budget is .*; expected 0 or a number between 1e-30 and 1e30"):
        table.budget_units(budget)
    assert table.budget_units(Decimal("inf")) == table.budget_units(None)


@given(st.lists(st.decimals(0, 50, places=2), min_size=1, max_size=3))
def test_path_sums_do_not_depend_on_the_order_of_addition(amounts: list[Decimal]) -> None:
    size = len(amounts)
    codes = np.array(list(itertools.product((0, 1), repeat=size)))
    costs = set()
    for order in itertools.permutations(range(size)):  # the columns in every order: every order of doing the tests
        prices = {str(place): float(amounts[test]) for place, test in enumerate(order)}
        instance = bt.Instance(codes[:, list(order)], np.arange(2**size), prices=prices)
        costs.add(bt.grow(instance).max_cost)
        assert bt.grow(instance, budget=float(sum(amounts))).errors == 0
        assert bt.grow(instance, budget=sum(prices.values())).errors == 0  # a sum of floats, in any order
    assert costs == {float(sum(amounts))}


@pytest.mark.parametrize(
    ("prices", "one"),
    [
        (3, 3),
        (0, 0),
        ({"a": 3, "b": 2}, None),
        ({"a": 1, "b": {"0": 1, "1": 2}}, None),
        (bt.Prices(1, shared={"kit": (2, ["a", "b"])}), None),
        (bt.Prices(1, shared={"kit": (0, ["a", "b"])}), 1),
    ],
)
def test_there_is_one_price_where_nothing_changes_it(prices: object, one: int | None) -> None:
    table = bt.Instance([[0, 1], [1, 0]], ["x", "y"], prices=prices, test_names=["a", "b"]).schema.table
    assert table.one_price == one
