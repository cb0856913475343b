"""Blanks: what a learner for new cases makes of empty cells that go with the class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.errors import SettingError
from budgetree.learn.predictive.exact_start import ExactStarts

KINDS = ["tree", "points", "model"]
seeds = st.integers(0, 10_000)


def rows(seed: int, n_rows: int, is_nominal: bool, share: float = 0.3) -> pd.DataFrame:
    """`weak` and `fair` tell something, `lost` nothing."""
    rng = np.random.default_rng(seed)
    is_ill = rng.random(n_rows) < share
    frame = pd.DataFrame({"lost": rng.normal(size=n_rows)})
    if is_nominal:
        frame = pd.DataFrame({"lost": rng.choice(["a", "b", "c"], n_rows)})
    frame["weak"] = 0.5 * is_ill + rng.normal(size=n_rows)
    frame["fair"] = 1.2 * is_ill + rng.normal(size=n_rows)
    return frame.assign(y=np.where(is_ill, "ill", "well"))


def with_blanks(frame: pd.DataFrame, seed: int, blank_class: str, share: float = 1.0) -> pd.DataFrame:
    """`lost` is blank where the class is this one, or in this share of those cases; and in as many others less."""
    drawn = np.random.default_rng([seed, 1]).random(len(frame))  # not what `rows` drew
    is_blank = np.where(frame["y"] == blank_class, drawn < share, drawn < 1 - share)
    return frame.assign(lost=frame["lost"].mask(is_blank))


def learn(frame: pd.DataFrame, blanks: Any, leaves: str, budget: float = 2) -> bt.Tree:
    return bt.predictive(bt.Instance.from_frame(frame, "y", blanks=blanks), budget=budget, leaves=leaves)  # type: ignore[arg-type]


def error(tree: bt.Tree, frame: pd.DataFrame) -> float:
    return float((tree.predict(frame.drop(columns="y")) != frame["y"]).mean())


@pytest.mark.parametrize("leaves", KINDS)
@pytest.mark.parametrize("blank_class", ["ill", "well"])
@pytest.mark.parametrize("share", [1.0, 0.9])
def test_blanks_that_go_with_the_class_are_of_no_use(leaves: str, blank_class: str, share: float) -> None:
    excess = []
    for seed in range(4):
        frame, new = (rows(number, n_rows, seed % 2 == 0) for number, n_rows in ((seed, 400), (seed + 100, 3000)))
        tree = learn(with_blanks(frame, seed, blank_class, share), None, leaves)
        excess.append(error(tree, new) - error(learn(frame.drop(columns="lost"), None, leaves), new))
    assert np.mean(excess) < 0.015  # with blanks as results it is 0.07 to 0.48
    assert max(excess) < 0.04


@pytest.mark.parametrize("leaves", KINDS)
@pytest.mark.parametrize("is_nominal", [True, False])
def test_a_blank_that_is_a_result_is_learned(leaves: str, is_nominal: bool) -> None:
    blank, new = with_blanks(rows(0, 400, is_nominal), 0, "ill"), with_blanks(rows(1, 1000, is_nominal), 1, "ill")
    tree = learn(blank, {"lost": "result"}, leaves, budget=1)
    assert [tree.test_names[test] for test in tree.tests_used] == ["lost"]
    assert error(tree, new) < 0.01
    assert error(tree, rows(1, 1000, is_nominal)) == pytest.approx(0.3, abs=0.03)  # no new row has it: all are well


@pytest.mark.parametrize("leaves", KINDS)
@given(seeds)
@settings(max_examples=3, deadline=None)
def test_a_test_that_half_of_the_rows_lack_is_bought_where_it_is_best(leaves: str, seed: int) -> None:
    frame = rows(seed, 600, False, 0.5)
    frame["fair"] = frame["fair"].mask(np.random.default_rng([seed, 1]).random(600) < 0.5)
    tree = learn(frame, None, leaves, budget=1)
    assert [tree.test_names[test] for test in tree.tests_used] == ["fair"]


@pytest.mark.parametrize("leaves", KINDS)
def test_a_case_without_the_result_is_between_those_who_have_it(leaves: str) -> None:
    frame = rows(3, 600, False, 0.5)
    blank = frame.assign(fair=frame["fair"].mask(with_blanks(frame, 3, "ill", 0.8)["lost"].isna()))
    tree = learn(blank, None, leaves, budget=1)
    assert [tree.test_names[test] for test in tree.tests_used] == ["fair"]
    given_ = pd.DataFrame({"lost": 0.0, "weak": 0.0, "fair": [np.nan, *np.linspace(-3, 4, 50)]})
    unknown, *known = tree.predict_proba(given_)[:, 0]
    assert min(known) <= unknown <= max(known)
    assert min(known) < 0.4 < 0.6 < max(known)


def test_the_exact_tree_does_without_tests_that_have_blanks() -> None:
    frame = with_blanks(rows(0, 200, True), 0, "ill")[["lost", "y"]].assign(coin=["h", "t"] * 100)
    for blanks, is_open in ((None, True), ("result", False)):
        instance = bt.Instance.from_frame(frame, "y", blanks=blanks)
        starts = ExactStarts(instance, np.arange(200) % 5)
        lost = instance.test_names.index("lost")
        assert (starts._instance.codes[:, lost] == 0).all() == is_open
        assert (starts._instance.codes[:, 1 - lost] == instance.codes[:, 1 - lost]).all()


def test_trees_for_known_cases_take_blanks_for_results() -> None:
    frame = with_blanks(rows(0, 200, True), 0, "ill")
    assert bt.fit(bt.Instance.from_frame(frame, "y"), budget=1, objective="known", folds=0).errors == 0
    instance = bt.Instance.from_frame(frame, "y", blanks={"lost": "unknown"})
    with pytest.raises(SettingError, match="'lost'") as caught:
        bt.fit(instance, budget=1, objective="known", folds=0)
    assert (caught.value.subject, caught.value.found, caught.value.expected) == ("blanks", "unknown", ("result",))


@pytest.mark.parametrize("blanks", ["none", {"lost": "skip"}, {"lost": None}, 3])
def test_other_readings_are_refused(blanks: Any) -> None:
    with pytest.raises(SettingError, match=r"blanks is .*; expected 'result', 'unknown'"):
        bt.Instance.from_frame(rows(0, 30, True), "y", blanks=blanks)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(SettingError, match="blanks: no test is named 'gone'; the tests are"):
        bt.Instance.from_frame(rows(0, 30, True), "y", blanks={"gone": "result"})
