"""Prices that name numbers hold for the levels that these are rounded to."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import budgetree as bt
from budgetree.data.encoders import LevelPlan

FRAME = pd.DataFrame({"ca": [0, 1, 2, 3, None] * 8, "age": range(40), "y": [0, 1, 1, 2, 2] * 8})
BY_VALUE = {"0": 1, "1": 2, "2": 3, "3": 5, "missing": 4}


def prices(by_outcome: dict[str, float]) -> bt.Prices:
    return bt.Prices({"ca": by_outcome}, shared={"draw": (1, ["age"])}, default=1)


def test_a_level_costs_what_the_costliest_of_its_numbers_does() -> None:
    instance = bt.Instance.from_frame(FRAME, "y", prices=prices(BY_VALUE), levels=3)
    assert instance.prices == prices({"0.0 to 0.8": 1, "0.8 to 2.2": 3, "2.2 to 3.0": 5, "missing": 4})
    assert instance.prices.shared == prices(BY_VALUE).shared


def test_no_case_costs_less_than_its_number_says() -> None:
    instance = bt.Instance.from_frame(FRAME, "y", prices=prices(BY_VALUE), levels=2, duplicates="keep")
    for tree in (bt.optimal(instance, budget=5).tree, bt.predictive(instance, budget=5)):
        codes = tree.encode(FRAME)
        for value, cost, tests in zip(FRAME["ca"], tree.cost(codes), tree.tests_done(codes), strict=True):
            least = BY_VALUE["missing" if value != value else f"{value:g}"] if "ca" in tests else 0
            assert cost >= least
        assert tree.max_cost <= 5


def test_names_of_levels_and_numbers_may_be_mixed_and_come_back_from_a_file(tmp_path: Path) -> None:
    mixed = prices({"0.0 to 0.8": 1, "1": 2, "2": 3, "3.0": 5, "missing": 4})
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


@pytest.mark.parametrize(
    ("by_outcome", "message"),
    [
        ({"0": 1, "3": 5, "missing": 4}, "test 'ca' has no price for its outcome '0.8 to 2.2'; add it: {'ca': {…, "),
        ({**BY_VALUE, "high": 7}, "test 'ca' has no outcome 'high'"),
        ({"0": 1, "1": 2, "3": 3}, "has no price for its outcome 'missing'; add it: {'ca': {…, 'missing': 1}}"),
    ],
)
def test_what_remains_without_a_price_is_named(by_outcome: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.Instance.from_frame(FRAME, "y", prices=prices(by_outcome), levels=3)
