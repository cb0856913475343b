"""predictive: the verb, what it refuses, and what its tree says of itself."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.predictive.judge import Judge
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.messages import EARLY, leaves_sentence
from budgetree.services.clock import Clock, Ended, OutOfTimeError


@pytest.fixture(scope="module")
def pima() -> bt.Instance:
    return bt.datasets.load("pima")


def test_the_tree_keeps_the_budget_and_says_how_it_was_made(pima: bt.Instance) -> None:
    tree = bt.predictive(pima, budget=3)
    assert tree.max_cost <= 3
    assert str(tree.origin) == "for new cases, budget=3, leaves=model"
    assert all(isinstance(rule, bt.Model) for rule in tree.nodes.rules)
    assert tree.n_objects == pima.n_rows
    choice = tree.origin.choice
    assert choice is not None
    assert (choice.kind, choice.best, choice.excess) == ("model", "model", 0)
    assert [kind for kind, _ in choice.scores] == ["tree", "points", "model"]
    confident = bt.predictive(pima, budget=3, leaves="model", confidence=0.8)
    assert str(confident.origin) == "for new cases, budget=3, leaves=model, confidence=0.8"


def test_a_kind_that_was_asked_for_and_costs_much_says_so(pima: bt.Instance) -> None:
    tree = bt.predictive(pima, budget=3, leaves="points")
    choice = tree.origin.choice
    assert choice is not None
    assert (choice.kind, choice.is_good_enough) == ("points", False)
    assert leaves_sentence(choice) in tree.statement.sentences
    assert len(bt.predictive(pima, budget=3).statement.sentences) == 1


def test_points_are_refused_for_more_than_two_classes() -> None:
    iris = bt.Instance([[0], [1], [2]] * 9, [0, 1, 2] * 9)
    for ask in (bt.predictive, bt.fit, bt.frontier):
        with refused(SettingError, subject="leaves", found="points", expected=("auto", "tree", "model")):
            ask(iris, **({} if ask is bt.frontier else {"budget": 1}), leaves="points")  # type: ignore[operator]


def test_plain_leaves_have_no_models(pima: bt.Instance) -> None:
    tree = bt.predictive(pima, budget=2, leaves="tree")
    assert not any(isinstance(rule, bt.Model) for rule in tree.nodes.rules)
    assert str(tree.origin) == "for new cases, budget=2, leaves=tree"
    assert 2 < tree.n_leaves <= 8


def test_no_time_still_gives_a_tree_within_the_budget(pima: bt.Instance) -> None:
    assert bt.predictive(pima, budget=2, time_limit=0).max_cost <= 2


@pytest.mark.parametrize("leaves", ["model", "tree"])
def test_without_time_for_fine_levels_numbers_stay_as_they_were_rounded(leaves: Any) -> None:
    numbers = np.arange(60.0)
    frame = pd.DataFrame({"a": numbers, "class": np.where(numbers >= 40, "x", "y")})
    rounded = bt.Instance.from_frame(frame, "class", levels=3)
    hurried = PredictiveTrees(rounded, confidence=None, leaves=leaves, clock=Clock(0))
    assert hurried.cases is rounded
    tree = hurried.tree(1)  # now there is time
    assert (tree.max_cost <= 1, tree.schema.n_outcomes.tolist()) == (True, [3])
    calm = PredictiveTrees(rounded, confidence=None, leaves=leaves, clock=Clock(60))
    assert calm.cases.schema.n_outcomes.tolist() == [60]
    with pytest.raises(OutOfTimeError):
        PredictiveTrees(rounded, confidence=None, leaves=leaves, clock=Clock(0), needs_tree=False)


@pytest.mark.parametrize(
    ("name", "value"), [("budget", -1), ("leaves", "both"), ("confidence", 2), ("threads", 0), ("time_limit", -1)]
)
def test_what_makes_no_sense_is_refused(pima: bt.Instance, name: str, value: Any) -> None:
    with refused(SettingError, subject=name, found=value):
        bt.predictive(pima, **{"budget": 2, name: value})


def test_what_is_no_instance_is_refused() -> None:
    with refused(SettingError, subject="instance", found=list):
        bt.predictive([[1, 2]], budget=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("leaves", ["model", "tree"])
@pytest.mark.parametrize("prices", [1, bt.Prices({"age": 2.5, "mass": 2}, default=1)], ids=["one price", "several"])
def test_trees_for_several_budgets_are_those_of_one_call_each(pima: bt.Instance, leaves: Any, prices: Any) -> None:
    cases = pima.priced(prices)
    trees = PredictiveTrees(cases, confidence=0.9, leaves=leaves)
    for budget in (3, 1, 2.5):
        assert trees.tree(budget) == bt.predictive(cases, budget=budget, confidence=0.9, leaves=leaves)


def test_a_budget_without_time_leaves_the_others_theirs(pima: bt.Instance) -> None:
    trees = PredictiveTrees(pima, confidence=None, leaves="model")
    assert trees.tree(2, time_limit=0).n_leaves == 1
    assert trees.tree(2) == bt.predictive(pima, budget=2, leaves="model")


def test_a_tree_for_which_numbers_stayed_rounded_is_not_called_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_time(*_: Any) -> Any:
        raise OutOfTimeError

    instance = bt.datasets.load("pima")
    assert bt.frontier(instance, objective="new", max_budget=1, folds=0, time_limit=60).complete
    monkeypatch.setattr(sys.modules["budgetree.learn.predictive.trees"], "fine_instance", no_time)
    assert not bt.frontier(instance, objective="new", max_budget=1, folds=0, time_limit=60).complete


def test_a_growth_that_ends_early_says_so(pima: bt.Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_time(judge: Judge, *_: Any) -> Any:
        judge.clock.end()
        raise OutOfTimeError

    whole = bt.frontier(pima, objective="new", max_budget=2, folds=0, time_limit=600)
    assert whole.complete
    assert whole[-1].tree.ended is Ended.COMPLETE
    monkeypatch.setattr(Judge, "losses", no_time)
    monkeypatch.setattr(Judge, "loss", lambda judge, _tests: np.zeros(judge.sample.n_cases))
    for budgets in (1, 2):  # of which each has a share of the time
        hurried = bt.frontier(pima, objective="new", max_budget=budgets, folds=0, time_limit=600)
        assert not hurried.complete
    tree = bt.predictive(pima, budget=2, time_limit=600)
    assert tree.n_leaves == 1
    assert tree.bounds is None
    assert tree.ended is Ended.TIME_LIMIT
    assert tree.statement.sentences[-1] == EARLY
