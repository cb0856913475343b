"""Frontier and Point: the right point for every wish, clear refusals, and tables of the caller's library."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.points import Frontier
from budgetree.learn.validation import Validation
from budgetree.tree.provenance import Estimate, NewError

greedy = partial(bt.frontier, method="greedy", folds=0)


def test_best_is_the_last_point_within_the_budget() -> None:
    frontier = greedy(bt.datasets.load("pima"))
    assert frontier.best(budget=0).tree.n_leaves == 1
    assert frontier.best(budget=0.99).errors == frontier.points[0].errors
    for point, after in itertools.pairwise(frontier.points):
        assert frontier.best(budget=point.max_cost) is point
        assert frontier.best(budget=(point.max_cost + after.max_cost) / 2) is point
    assert frontier.best(budget=10**6) is frontier.points[-1]
    assert frontier.best(budget=None) is frontier.points[-1]


def test_best_takes_the_cost_of_each_point_though_sums_exceed_the_largest_price() -> None:
    codes = list(itertools.product([0, 1], repeat=2))
    cases = bt.Instance(codes, [0, 0, 0, 1], prices=1e30)
    frontier = bt.frontier(cases, method="exact", folds=0)
    assert frontier[-1].max_cost == 2 * 10**30
    assert [frontier.best(budget=point.max_cost) for point in frontier] == list(frontier)
    with refused(SettingError, subject="budget", found=1e61):
        frontier.best(budget=1e61)


def test_cheapest_is_the_first_point_with_few_enough_errors() -> None:
    frontier = greedy(bt.datasets.load("pima"))
    for point in frontier:
        assert frontier.cheapest(max_error=point.error_rate) is point
    assert frontier.cheapest(max_error=1) is frontier.points[0]
    assert frontier.cheapest(max_error=0).errors == 0


def test_an_unreachable_error_names_its_cause() -> None:
    instance = bt.Instance([[0], [0], [0], [1]], ["a", "a", "b", "b"])
    with refused(SettingError, subject="max_error", found=0.1, expected=0.25) as caught:
        greedy(instance).cheapest(max_error=0.1)
    assert "no better than 0.25 (1 error): 3 cases agree on every test" in caught.value.message
    limited = greedy(bt.datasets.load("pima"), max_budget=3)
    with refused(SettingError, subject="max_error", found=0, expected=limited[-1].error_rate):
        limited.cheapest(max_error=0)


@pytest.mark.parametrize("max_error", [-0.1, 1.5, float("nan"), "few"])
def test_a_bad_error_is_refused(max_error: Any) -> None:
    with refused(SettingError, subject="max_error", found=max_error):
        greedy(bt.datasets.load("figure1")).cheapest(max_error=max_error)


def test_the_advice_of_an_unreachable_error_works() -> None:
    frontier = greedy(bt.Instance([[0], [0], [0]], [0, 0, 1]))
    with refused(SettingError, subject="max_error", expected=0.3334):
        frontier.cheapest(max_error=0)
    assert frontier.cheapest(max_error=0.3334).errors == 1


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_frame_is_of_the_callers_library(library: Any) -> None:
    raw = bt.datasets.frame("mammographic")
    instance = bt.Instance.from_frame(library(raw.to_dict("list")), "Severity")
    table = greedy(instance).to_frame()
    assert isinstance(table, type(library({"x": [1]})))
    assert table.shape == (len(greedy(instance)), len(greedy(instance).columns))


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_frontiers_can_be_pickled(method: Any) -> None:
    found = bt.frontier(bt.datasets.load("house_votes"), method=method, folds=0, objective="known")
    again = pickle.loads(pickle.dumps(found))
    assert [point.tree for point in again] == [point.tree for point in found]


def judged(frontier: Frontier, *steps: float) -> Frontier:
    """The frontier's first points, each better on new cases than the one before by so many standard errors."""
    places = [0.0, *itertools.accumulate(steps)]
    advantages = tuple(tuple(there - here for there in places) for here in places)
    estimate = Estimate(NewError(0.2, 0.1), False, "")
    points = tuple(replace(point, estimate=estimate) for point in frontier.points[: len(places)])
    return replace(frontier, points=points, validation=Validation((), 5, 5, 100, False, advantages=advantages))


def test_the_cheapest_point_that_none_is_better_than_by_a_standard_error_is_recommended() -> None:
    frontier = greedy(bt.datasets.load("house_votes"))
    assert frontier.recommended is frontier[-1]
    assert frontier.enough is None
    for steps, enough in (((9, 0.6, 0.3), 1), ((9, 0.6, 0.5), 2), ((9, -3, 1.1), 1), ((9, 2, 2), 3), ((2.1, 0.9), 1)):
        found = judged(frontier, *steps)
        assert found.recommended is found.enough is found[enough]
        assert (f"no evidence that more than {found[enough].max_cost} helps" in found.to_text()) == (
            enough < len(steps)
        )


def test_where_no_budget_is_significantly_better_than_the_leaf_none_is_recommended() -> None:
    frontier = greedy(bt.datasets.load("house_votes"))
    for steps, enough in (((0.9, -4), 0), ((1.5, 0.4), 1), ((-1, 1.5), 0)):
        found = judged(frontier, *steps)
        assert found.recommended is None
        assert found.enough is found[enough]
        assert "recommended: none, as no budget is significantly better on new cases than no test" in found.to_text()


def test_a_point_is_overfitted_where_its_estimate_says_so() -> None:
    last = greedy(bt.datasets.load("house_votes"))[-1]
    assert last.error_rate == 0
    assert not last.overfitted
    assert last.estimate is None
    assert replace(last, estimate=Estimate(NewError(0.05, 0.02), True, "")).overfitted
