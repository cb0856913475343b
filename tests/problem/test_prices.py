"""Prices: every way to give them, exact sums, and errors that name the test."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ({"age": {"young": 1}, "blood": 1}, "test 'age' has no price for its outcome\\(s\\) 'old'"),
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


def test_a_price_that_would_be_lost_is_refused() -> None:
    with pytest.raises(ValueError, match="differ by too many orders of magnitude"):
        bt.Prices({"age": 1e-7, "blood": 1e12 + 1 / 3}).bind(NAMES, OUTCOMES)
    with pytest.raises(ValueError, match="between 1e-30 and 1e30"):
        bt.Prices(1e-300)


@pytest.mark.parametrize("budget", [10**5000, Decimal("1e-999999999"), 1e-31], ids=["huge", "tiny", "float"])
def test_a_budget_out_of_range_is_refused_at_once(budget: object) -> None:
    table = bt.Prices(1).bind(NAMES, OUTCOMES)
    with pytest.raises(ValueError, match=r"^budget is .*; expected 0 or a number between 1e-30 and 1e30"):
        table.budget_units(budget)
    assert table.budget_units(Decimal("inf")) == table.budget_units(None)


def test_equal_price_lists_have_equal_hashes() -> None:
    assert hash(bt.Prices({"a": 1, "b": 2})) == hash(bt.Prices({"b": 2, "a": 1}))


def test_a_price_list_is_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        """
        default = 1
        [tests]
        glucose = 15.51
        [tests.mri]
        clear = 250
        unclear = 312.5
        [shared."blood draw"]
        fee = 2.10
        tests = ["glucose"]
        """
    )
    expected = bt.Prices(
        {"glucose": 15.51, "mri": {"clear": 250, "unclear": 312.5}},
        shared={"blood draw": (2.10, ["glucose"])},
        default=1,
    )
    assert bt.Prices.from_toml(path) == expected
    assert eval(repr(expected), {"Prices": bt.Prices}) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tests = 3", "'tests' must be a table"),
        ("[test]\nage = 1", "unknown entry 'test'"),
        ("[tests]\nage = -1", "the price of test 'age' is -1"),
        ("[shared.draw]\nfee = 1", r"\[shared.draw\] must hold exactly `fee` and `tests`"),
        ("[tests\n", "not a TOML file"),
        ("default = 1e-999999999", "the price of every test is 1E-999999999; expected 0 or a number between 1e-30 and"),
        ("[tests]\nage = 1e999999999", r"the price of test 'age' is 1E\+999999999; expected 0 or a number between"),
        ("default = 1e99999999999999999999", "there is the number 1e99999999999999999999; expected 0 or a number"),
        (f"default = 1{'0' * 5000}", "a whole number of thousands of digits; expected 0 or a number"),
        (f"default = 0x{'f' * 5000}", "the price of every test is about 1e6020; expected 0 or a number between"),
        (f"default = {'[' * 100_000}", "brackets within brackets"),
    ],
)
def test_a_bad_price_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        bt.Prices.from_toml(path)
    assert str(path) in str(caught.value)
