"""Prices: every way to give them, and errors that name the test."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import budgetree as bt

NAMES = ("age", "blood")
OUTCOMES = (("young", "old"), ("low", "high", "missing"))


def own_prices(prices: bt.Prices) -> list[list[float]]:
    table = prices.bind(NAMES, OUTCOMES)
    return [
        [table.amount(units) for units in row[: len(names)]] for row, names in zip(table.own, OUTCOMES, strict=True)
    ]


@pytest.mark.parametrize(
    ("given_prices", "expected"),
    [
        (None, [[1, 1], [1, 1, 1]]),
        (2.5, [[2.5, 2.5], [2.5, 2.5, 2.5]]),
        (0, [[0, 0], [0, 0, 0]]),
        ({"age": 1, "blood": 17.61}, [[1, 1], [17.61, 17.61, 17.61]]),
        ({"age": {"young": 1, "old": 2}, "blood": Decimal("0.1")}, [[1, 2], [0.1, 0.1, 0.1]]),
        (bt.Prices({"blood": Fraction(1, 3)}, default=2), [[2, 2], [1 / 3, 1 / 3, 1 / 3]]),
        ({"age": np.float32(0.1), "blood": np.int64(3)}, [[0.1, 0.1], [3, 3, 3]]),
    ],
)
def test_prices_may_be_given_in_many_ways(given_prices: object, expected: list[list[float]]) -> None:
    assert own_prices(bt.Prices.of(given_prices)) == expected


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ({"age": -3, "blood": 1}, "the price of test 'age' is -3; prices must be finite and at least 0"),
        ({"age": math.nan, "blood": 1}, "the price of test 'age' is nan; prices must be finite"),
        ({"age": math.inf, "blood": 1}, "the price of test 'age' is inf; prices must be finite"),
        ({"age": "one", "blood": 1}, "the price of test 'age' is 'one'; prices must be"),
        ({"age": True, "blood": 1}, "the price of test 'age' is True; prices must be"),
        (-1, "the price of every test is -1"),
        ({"age": 1}, "no price for 'blood'; give every test a price, or a default"),
        ({"age": 1, "blood": 1, "mri": 1}, "no test is named 'mri'; the tests are 'age', 'blood'"),
        ({"age": {"young": 1}, "blood": 1}, "test 'age' has no price for its outcome 'old'"),
        ({"age": {"young": 1, "old": 1, "dead": 1}, "blood": 1}, "test 'age' has no outcome 'dead'"),
        ({"age": {"young": -1, "old": 1}, "blood": 1}, "test 'age', outcome 'young', is -1; prices must be"),
        ({"age": {}, "blood": 1}, "test 'age' has an empty table"),
    ],
)
def test_bad_prices_are_refused(prices: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.Prices.of(prices).bind(NAMES, OUTCOMES)


@pytest.mark.parametrize(
    ("shared", "message"),
    [
        ({"draw": (-1, ["age"])}, "shared fee 'draw' is -1; prices must be"),
        ({"draw": (1, ["mri"])}, "shared fee 'draw' names the test 'mri', which does not exist"),
        ({"draw": 3}, "shared fee 'draw' is 3; expected"),
        ({"draw": (1, "age")}, "expected \\(fee, \\[test"),
        ({"draw": (1, 5)}, "expected \\(fee, \\[test"),
        ([1], "shared is \\[1\\]; expected {name"),
        ({f"fee {i}": (1, ["age"]) for i in range(63)}, "63 shared fees; at most 62"),
    ],
)
def test_bad_shared_fees_are_refused(shared: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.Prices(1, shared=shared).bind(NAMES, OUTCOMES)


def test_a_default_beside_one_number_is_refused() -> None:
    with pytest.raises(ValueError, match="default has nothing to price"):
        bt.Prices(1, default=2)


def test_a_shared_fee_is_paid_once_per_path() -> None:
    prices = bt.Prices({"0": 15.51, "1": 20.68}, shared={"draw": (2.10, ["0", "1"])})
    tree = bt.grow(bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 2, 3], prices=prices))
    assert tree.max_cost == 38.29  # 15.51 + 20.68 + 2.10
    assert bt.grow(bt.Instance([[0, 0], [1, 0]], [0, 1], prices=prices)).max_cost == 17.61


def test_a_price_that_would_be_lost_is_refused() -> None:
    with pytest.raises(ValueError, match="differ by too many orders of magnitude"):
        bt.Prices({"age": 1e-7, "blood": 1e12 + 1 / 3}).bind(NAMES, OUTCOMES)
    with pytest.raises(ValueError, match="between 1e-30 and 1e30"):
        bt.Prices(1e-300)


def test_equal_price_lists_have_equal_hashes() -> None:
    assert hash(bt.Prices({"a": 1, "b": 2})) == hash(bt.Prices({"b": 2, "a": 1}))
