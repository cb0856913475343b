"""Prices: every way to give them, errors that name the test, whole units that add up, and levels of numbers."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.data.encoders import LevelPlan
from budgetree.errors import NoPriceError, PricesError, SettingError

NAMES = ("age", "blood")
OUTCOMES = (("young", "old"), ("low", "high", "missing"))


def own_prices(prices: bt.Prices) -> list[list[float]]:
    table = prices.bind(NAMES, OUTCOMES)
    return [
        [table.amount(units) for units in row[: len(names)]]
        for row, names in zip(table.amounts[0], OUTCOMES, strict=True)
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
    ("prices", "fields"),
    [
        ({"age": -3, "blood": 1}, {"subject": "age", "found": -3}),
        ({"age": math.inf, "blood": 1}, {"subject": "age", "found": math.inf}),
        ({"age": "one", "blood": 1}, {"subject": "age", "found": "one"}),
        ({"age": True, "blood": 1}, {"subject": "age", "found": True}),
        (-1, {"subject": "default", "found": -1}),
        (1e-300, {"subject": "default", "found": 1e-300}),
        ("prices.toml", {"subject": None, "found": "prices.toml"}),
        ({"age": 1, "blood": 1, "mri": 1}, {"subject": "mri", "expected": NAMES}),
        ({"age": {"young": 1, "old": 1, "dead": 1}, "blood": 1}, {"subject": "age", "found": "dead"}),
        ({"age": {"young": -1, "old": 1}, "blood": 1}, {"subject": "age", "found": -1}),
        ({"age": {}, "blood": 1}, {"subject": "age", "found": {}}),
    ],
)
def test_bad_prices_are_refused(prices: object, fields: dict[str, Any]) -> None:
    with refused(PricesError, **fields):
        bt.Prices.of(prices).bind(NAMES, OUTCOMES)
    with pytest.raises(PricesError, match="the price of test 'age' is nan; prices must be finite and at least 0"):
        bt.Prices({"age": math.nan, "blood": 1})


@pytest.mark.parametrize(
    ("prices", "names", "test", "in_python", "on_command_line"),
    [
        ({"age": 1}, ("blood",), None, "default=1", "--default-price 1"),
        ({"age": {"young": 1}, "blood": 1}, ("old",), "age", "{'age': {…, 'old': 1}}", "[tests.age], .*: old = 1"),
    ],
)
def test_what_has_no_price_is_named_with_what_to_write(
    prices: object, names: tuple[str, ...], test: str | None, in_python: str, on_command_line: str
) -> None:
    with refused(NoPriceError, found=names, subject=test) as caught:
        bt.Prices.of(prices).bind(NAMES, OUTCOMES)
    assert in_python in str(caught.value)
    assert all(part in caught.value.on_command_line() for part in on_command_line.split(".*"))


@pytest.mark.parametrize(
    ("shared", "fields"),
    [
        ({"draw": (-1, ["age"])}, {"subject": "draw", "found": -1}),
        ({"draw": (1, ["mri"])}, {"subject": "mri", "expected": NAMES}),
        ({"draw": 3}, {"subject": "draw", "found": 3}),
        ({"draw": (1, "age")}, {"subject": "draw", "found": (1, "age")}),
        ({"draw": (1, 5)}, {"subject": "draw", "found": (1, 5)}),
        ([1], {"subject": "shared", "found": [1]}),
        ({f"fee {i}": (1, ["age"]) for i in range(63)}, {"subject": "shared", "found": 63, "expected": 62}),
    ],
)
def test_bad_shared_fees_are_refused(shared: Any, fields: dict[str, Any]) -> None:
    with refused(PricesError, **fields):
        bt.Prices(1, shared=shared).bind(NAMES, OUTCOMES)


def test_a_default_beside_one_number_is_refused() -> None:
    with refused(PricesError, subject="default", found=2):
        bt.Prices(1, default=2)


def test_a_shared_fee_is_paid_once_per_path() -> None:
    prices = bt.Prices({"0": 15.51, "1": 20.68}, shared={"draw": (2.10, ["0", "1"])})
    tree = bt.grow(bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 2, 3], prices=prices))
    assert tree.max_cost == 38.29  # 15.51 + 20.68 + 2.10
    assert bt.grow(bt.Instance([[0, 0], [1, 0]], [0, 1], prices=prices)).max_cost == 17.61


def test_a_price_that_would_be_lost_is_refused() -> None:
    with refused(PricesError, found=Fraction(1, 10**7)):
        bt.Prices({"age": 1e-7, "blood": 1e12 + 1 / 3}).bind(NAMES, OUTCOMES)


def test_equal_price_lists_have_equal_hashes() -> None:
    assert hash(bt.Prices({"a": 1, "b": 2})) == hash(bt.Prices({"b": 2, "a": 1}))


@given(st.lists(st.floats(1e-3, 1e6, allow_nan=False), min_size=1, max_size=6))
def test_prices_with_any_digits_still_add_up(amounts: list[float]) -> None:
    names = [str(i) for i in range(len(amounts))]
    table = bt.Prices(dict(zip(names, amounts, strict=True))).bind(names, [("x",)] * len(names))
    total = int(table.amounts[0, :, 0].sum())
    assert total <= 2**53
    assert table.amount(total) == pytest.approx(sum(amounts), rel=1e-13)  # fifteen digits of twice the total
    assert table.budget_units(sum(amounts)) >= total


def test_a_trees_own_cost_is_a_budget_for_it() -> None:
    for price in (Fraction(1, 3), Fraction(2, 7), 0.1, 0.7, 1.1):
        tree = bt.grow(bt.Instance([[0, 0, 1], [1, 0, 0], [1, 1, 1]], [0, 1, 0], prices=price))
        assert tree.cut(tree.max_cost) == tree
    assert bt.grow(bt.datasets.load("pima"), budget=math.inf) == bt.grow(bt.datasets.load("pima"))


@pytest.mark.parametrize("budget", [10**5000, Decimal("1e-999999999"), 1e-61], ids=["huge", "tiny", "float"])
def test_a_budget_out_of_range_is_refused_at_once(budget: object) -> None:
    table = bt.Prices(1).bind(NAMES, OUTCOMES)
    with refused(SettingError, subject="budget", found=budget):
        table.budget_units(budget)
    assert table.budget_units(Decimal("inf")) == table.budget_units(None)


@given(st.lists(st.decimals(0, 50, places=2), min_size=1, max_size=3))
def test_path_sums_do_not_depend_on_the_order_of_addition(amounts: list[Decimal]) -> None:
    size = len(amounts)
    codes = np.array(list(itertools.product((0, 1), repeat=size)))
    costs = set()
    for order in itertools.permutations(range(size)):  # the columns in every order: every order of doing the tests
        prices = {str(position): float(amounts[test]) for position, test in enumerate(order)}
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
    table = bt.Instance([[0, 1], [1, 0]], ["x", "y"], prices=prices, test_names=["a", "b"]).schema.costs
    assert table.one_price == one


FRAME = pd.DataFrame({"ca": [0, 1, 2, 3, None] * 8, "age": range(40), "y": [0, 1, 1, 2, 2] * 8})
BY_VALUE = {"0": 1, "1": 2, "2": 3, "3": 5, "missing": 4}


def prices(by_outcome: dict[str, float]) -> bt.Prices:
    return bt.Prices({"ca": by_outcome}, shared={"draw": (1, ["age"])}, default=1)


def test_a_level_costs_what_the_costliest_of_its_numbers_does() -> None:
    instance = bt.Instance.from_frame(FRAME, "y", prices=prices(BY_VALUE), levels=3)
    assert instance.prices == prices({"below 0.5": 1, "0.5 to 2.5": 3, "2.5 or more": 5, "missing": 4})
    assert instance.prices.shared == prices(BY_VALUE).shared


def test_no_case_costs_less_than_its_number_says() -> None:
    instance = bt.Instance.from_frame(FRAME, "y", prices=prices(BY_VALUE), levels=2, duplicates="keep")
    for tree in (bt.optimal(instance, budget=5).tree, bt.predictive(instance, budget=5)):
        codes = tree.encode(FRAME)
        for value, cost, tests in zip(
            FRAME["ca"], tree.walk_codes(codes).cost, tree.walk_codes(codes).tests, strict=True
        ):
            least = BY_VALUE["missing" if value != value else f"{value:g}"] if "ca" in tests else 0
            assert cost >= least
        assert tree.max_cost <= 5


def test_names_of_levels_and_numbers_may_be_mixed_and_come_back_from_a_file(tmp_path: Path) -> None:
    mixed = prices({"below 0.5": 1, "1": 2, "2": 3, "3.0": 5, "missing": 4})
    instance = bt.Instance.from_frame(FRAME, "y", prices=mixed, levels=3)
    assert instance.prices == bt.Instance.from_frame(FRAME, "y", prices=prices(BY_VALUE), levels=3).prices
    assert instance.priced(prices(BY_VALUE)).prices == instance.prices
    tree = bt.grow(instance)
    assert tree.priced(prices(BY_VALUE)).schema.prices == instance.prices
    tree.to_json(tmp_path / "m.json")
    assert bt.Tree.from_json(tmp_path / "m.json") == tree


def test_without_rounding_prices_stay_as_they_are() -> None:
    instance = bt.Instance.from_frame(FRAME, "y", prices=prices(BY_VALUE), levels=LevelPlan(3, {"ca": 4}))
    assert instance.prices == prices(BY_VALUE)


def test_what_remains_without_a_price_is_named() -> None:
    def cases(by_outcome: dict[str, float]) -> bt.Instance:
        return bt.Instance.from_frame(FRAME, "y", prices=prices(by_outcome), levels=3)

    with refused(NoPriceError, subject="ca", found=("0.5 to 2.5",)):
        cases({"0": 1, "3": 5, "missing": 4})
    with refused(NoPriceError, subject="ca", found=("missing",)):
        cases({"0": 1, "1": 2, "3": 3})
    with refused(PricesError, subject="ca", found="high"):
        cases({**BY_VALUE, "high": 7})


RULES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"limits": {"time": bt.Limit(90, {"age": 3})}}, {"subject": None, "found": ("blood",)}),
    ({"limits": {"time": bt.Limit(90, {"mri": 3}, default=1)}}, {"subject": "mri"}),
    ({"limits": {"price": 3}}, {"subject": "price"}),
    ({"limits": {"tests": bt.Limit(3, default=2)}}, {"subject": "tests"}),
    ({"limits": {name: bt.Limit(1, 1) for name in "abcd"}}, {"subject": "limits", "found": 4, "expected": 3}),
    ({"limits": 3}, {"subject": "limits", "found": 3}),
    ({"limits": {"time": {"most": 3}}}, {"subject": "time"}),
    ({"panels": {"lab": ["age", "blood"]}}, {"subject": "lab"}),
    ({"panels": {"lab": {"tests": ["age"]}}}, {"subject": "lab", "found": "price"}),
    ({"panels": {"lab": {"tests": ["age"], "price": 3, "tiem": 4}}}, {"subject": "lab", "found": "tiem"}),
    ({"panels": {"lab": {"tests": ["age", "age"], "price": 3}}}, {"subject": "lab"}),
    ({"panels": {"lab": {"tests": [], "price": 3}}}, {"subject": "lab"}),
    ({"panels": {"lab": {"tests": ["mri"], "price": 3}}}, {"subject": "mri"}),
    ({"panels": {"age": {"tests": ["age"], "price": 3}}}, {"subject": "age"}),
    ({"panels": {"a": {"tests": ["age"], "price": 3}, "b": {"tests": ["age"], "price": 3}}}, {"subject": "age"}),
    ({"panels": {"lab": {"tests": ["age"], "price": -3}}}, {"subject": "lab", "found": -3}),
    ({"panels": {"lab": {"tests": ["age"], "price": math.inf}}}, {"subject": "lab", "found": math.inf}),
    ({"panels": {"lab": {"tests": ["age"], "price": 1}}, "tests": {"age": 2}, "default": 1}, {"subject": "age"}),
    (
        {"panels": {"lab": {"tests": ["age"], "price": 1}}, "shared": {"draw": (1, ["age", "blood"])}},
        {"subject": "age"},
    ),
    (
        {
            "limits": {"time": bt.Limit(9, 1, shared={"draw": (1, ["age"])})},
            "panels": {"lab": {"tests": ["age"], "price": 1, "time": 1}},
        },
        {"subject": "age"},
    ),
    ({"order": {"age": ["blood"]}}, {"subject": "age", "found": ["blood"]}),
    ({"order": {"age": {"after": []}}}, {"subject": "age"}),
    ({"order": {"age": {"after": ["mri"]}}}, {"subject": "mri"}),
    ({"order": {"mri": {"after": ["age"]}}}, {"subject": "mri"}),
    ({"order": {"age": {"after": {"blood": ""}}}}, {"subject": "age", "found": ""}),
    ({"order": {"age": {"after": {"blood": []}}}}, {"subject": "age", "found": []}),
    ({"order": {"age": {"after": {"blood": ["no such"]}}}}, {"subject": "blood", "found": "no such"}),
    (
        {"order": {"age": {"after": ["blood"]}, "blood": {"after": ["age"]}}},
        {"subject": "age", "found": ["age", "blood", "age"]},
    ),
    ({"order": {"age": {"after": {"age": ["young"]}}}}, {"subject": "age"}),
    ({"order": {"age": {"after": ["age"]}}}, {"subject": "age", "found": ["age", "age"]}),
    ({"limits": {" ": 3}}, {"subject": "limits", "found": " "}),
    ({"first": ["mri"]}, {"subject": "mri"}),
    ({"first": "age"}, {"subject": "first", "found": "age"}),
    ({"first": ["age"], "order": {"age": {"after": ["blood"]}}}, {"subject": "age"}),
]


def test_messages_name_the_limit() -> None:
    shared = {"draw": (-1, ["age"])}
    for entry in ({"max": 9, "tests": {"age": -1}}, {"max": float("inf")}, {"max": 9, "shared": shared}):
        with refused(PricesError) as error:
            bt.Prices(1, limits={"time": entry})
        assert str(error.value).startswith("limit of 'time': ")
    with refused(NoPriceError) as missing:
        bt.Instance([[0]], [0], test_names=["age"], prices=bt.Prices(1, limits={"time": bt.Limit(9)}))
    assert "[limits.time.tests]" in missing.value.on_command_line()


@pytest.mark.parametrize(("rules", "fields"), RULES)
def test_bad_rules_are_refused(rules: dict[str, Any], fields: dict[str, Any]) -> None:
    kind = NoPriceError if fields.get("found") == ("blood",) else PricesError
    with refused(kind, **fields):
        bt.Prices(**{"tests": 1} | rules).bind(NAMES, OUTCOMES)


@pytest.mark.parametrize("amount", [-1, math.inf, math.nan, "3"])
def test_amounts_of_limits_are_checked_as_prices_are(amount: Any) -> None:
    for make in (lambda: bt.Limit(amount), lambda: bt.Limit(1, {"age": amount}), lambda: bt.Limit(1, default=amount)):
        with pytest.raises(PricesError):
            make()


def test_what_no_path_can_buy_is_named() -> None:
    def unreachable(names: list[str], outcomes: list[list[str]], **rules: Any) -> list[str]:
        prices = bt.Prices(1, **rules)
        return list(prices.bind(names, outcomes).unreachable())

    young, both = {"after": {"age": ["young"]}}, (list(NAMES), [list(names) for names in OUTCOMES])
    (slow,) = unreachable(*both, limits={"time": bt.Limit(8, {"blood": 9}, default=0)})
    assert "no path can buy 'blood': 'blood' can raise 'time' of a case to 9; the limit of 'time' is 8" in slow
    (many,) = unreachable(*both, limits={"tests": 1}, order={"blood": young})
    assert "no path can buy 'blood'" in many
    order = {"b": young, "c": {"after": {"b": ["old"], "age": ["old"]}}}
    (never,) = unreachable(["age", "b", "c"], [["young", "old"]] * 3, order=order)
    assert "no path can buy 'c': 'c' may only follow 'b' with 'old' and 'age' with 'old'" in never
    assert unreachable(*both, order={"blood": young}, limits={"tests": 2}, first=["age"]) == []


def test_rules_are_written_as_they_are_given() -> None:
    rules = bt.Prices(
        {"ecg": 40, "mri": 250},
        limits={"time": bt.Limit(90, {"ecg": 15}, shared={"draw": (25, ["mri"])}, default=10, unit="min"), "tests": 3},
        panels={"lab": {"tests": ["troponin", "d-dimer"], "price": 30, "time": 40}},
        order={"mri": {"after": ["ecg"]}, "lab": {"after": {"ecg": ["unclear", "bad"]}}},
        first=["ecg"],
    )
    again = eval(repr(rules), {"Prices": bt.Prices, "Limit": bt.Limit})
    assert again == rules
    assert hash(again) == hash(rules)
    assert rules != bt.Prices({"ecg": 40, "mri": 250})


def test_a_list_without_some_tests_forgets_their_rules() -> None:
    rules = bt.Prices(
        {"a": 1, "b": 2, "c": 3},
        shared={"draw": (1, ["a", "b"])},
        limits={"time": bt.Limit(9, {"a": 1, "c": 2}, default=1), "tests": 4},
        panels={"lab": {"tests": ["x", "y"], "price": 3, "time": 1}},
        order={"b": {"after": ["a"]}, "c": {"after": ["lab"]}},
        first=["a", "lab"],
    )
    assert rules.needing(["a"]) == ["b"]
    assert rules.needing(["x", "y", "lab"]) == ["c"]
    left = rules.without(["a", "b"])
    assert (set(left.tests), left.shared, left.first, set(left.order)) == ({"c"}, {}, ("lab",), {"c"})
    assert set(left.limits["time"].tests) == {"c"}
    left.bind(["c", "x", "y"], [["0", "1"]] * 3)
    assert rules.without(["x"]).panels["lab"].tests == ("y",)
    assert rules.without(["x", "y"]).panels == {}


def test_limits_may_be_set_anew_and_tests_is_always_one() -> None:
    rules = bt.Prices(1, limits={"time": bt.Limit(9, 2, unit="min")}).limited({"time": 5, "tests": 2})
    assert {name: limit.max for name, limit in rules.limits.items()} == {"time": 5, "tests": 2}
    assert rules.bind(NAMES, OUTCOMES).limits[1:] == (5, 2)
    with refused(PricesError, subject="tiem", expected=("time", "tests")):
        rules.limited({"tiem": 3})
    with refused(PricesError, subject="time", found=-1):
        rules.limited({"time": -1})


def test_a_panel_counts_all_its_tests() -> None:
    rules = bt.Prices(1, limits={"tests": 1}, panels={"lab": {"tests": list(NAMES), "price": 3}})
    costs = rules.bind(NAMES, OUTCOMES)
    assert costs.after_ordering(costs.start, 0).spent == (3, 2)
