"""validation: the whole procedure is done again without the rows that judge it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.validation import NEVER_HELD_OUT, FoldSettings, Validation, check_folds, cross_validate
from budgetree.services.clock import Clock, OutOfTimeError, WorkPlan
from budgetree.tree import Tree


@pytest.fixture
def noise() -> bt.Instance:
    """Labels that nothing can predict, and a column that tells every row apart."""
    generator = np.random.default_rng(5)
    return bt.Instance(
        np.column_stack([np.arange(100), generator.integers(0, 3, 100)]), generator.integers(0, 2, 100).tolist()
    )


def optimal(part: bt.Instance, clock: Clock) -> Callable[[Any], Tree]:
    return lambda budget: bt.optimal(part, budget=budget, progress=False).tree


def test_every_row_is_predicted_once_by_a_tree_that_has_not_seen_it(noise: bt.Instance) -> None:
    sizes: list[int] = []

    def learn(part: bt.Instance, clock: Clock) -> Callable[[Any], Tree]:
        sizes.append(part.n_rows)
        return optimal(part, clock)

    found = cross_validate(noise, learn, [0, 1], FoldSettings(5), Clock(None))
    assert (sizes, found.n_rows, found.n_done) == ([80] * 5, 100, 5)
    assert bt.optimal(noise, budget=1, progress=False).tree.errors == 0
    assert all(0.3 < new.error < 0.7 for new in found.new_errors)
    assert found.new_errors[1].exceeds(0.0)


def test_levels_and_duplicates_are_found_again_in_each_part() -> None:
    import pandas as pd

    frame = pd.DataFrame({"x": [*range(30), 1000.0], "y": [*([0] * 15), *([1] * 15), 1]})
    instance = bt.Instance.from_frame(
        frame, "y", levels=4, binning="uniform"
    )  # the last row alone makes one level of all others

    largest: list[str] = []

    def learn(part: bt.Instance, clock: Clock) -> Callable[[Any], Tree]:
        largest.append(part.outcome_names[0][-1])
        return optimal(part, clock)

    cross_validate(instance, learn, [1], FoldSettings(31), Clock(None))
    assert sum(name == "24.2 to 29.0" for name in largest) == 1  # without the last row there are levels for the others
    assert len(largest) == 31


def test_groups_are_held_out_together(noise: bt.Instance) -> None:
    groups = tuple(range(50)) * 2

    def learn(part: bt.Instance, clock: Clock) -> Callable[[Any], Tree]:
        rows = part.codes[:, 0]
        assert all((rows == row).sum() == (rows == (row + 50) % 100).sum() for row in range(100))
        return optimal(part, clock)

    assert cross_validate(noise, learn, [1], FoldSettings(5, groups), Clock(None)).n_rows == 100


def test_what_there_is_no_time_for_is_left_out_and_said(noise: bt.Instance) -> None:
    nothing = cross_validate(noise, optimal, [1], FoldSettings(5), Clock(0))
    assert nothing.new_errors == ()
    assert "not known" in str(nothing)
    hurried = cross_validate(noise, optimal, [1], FoldSettings(5), Clock(60), min_seconds=100)
    assert hurried.n_done == 0
    clock = Clock(None)

    def interrupted(part: bt.Instance, share: Clock) -> Callable[[Any], Tree]:
        if part.n_rows and not done:
            done.append(1)
        else:
            share.interrupt()
        return optimal(part, share)

    done: list[int] = []
    two = cross_validate(noise, interrupted, [1], FoldSettings(5), clock)
    assert (two.n_done, two.n_rows) == (2, 40)
    assert str(two) == "error on new cases: cross-validated, 2 of 5 folds (3 left out: no time)"


def test_a_fold_without_time_for_all_its_trees_does_not_judge(noise: bt.Instance) -> None:
    clock = Clock(None)
    made: list[Any] = []

    def slow(part: bt.Instance, share: Clock) -> Callable[[Any], Tree]:
        def tree_for(budget: Any) -> Tree:
            made.append(budget)
            if len(made) == 3:  # of the second fold's two trees the first
                clock.interrupt()
            return optimal(part, share)(budget)

        return tree_for

    found = cross_validate(noise, slow, [0, 1], FoldSettings(5), clock)
    assert (found.n_done, found.n_rows, len(made)) == (1, 20, 3)
    assert "1 of 5 folds (4 left out: no time)" in str(found)


def test_a_fold_that_finds_nothing_in_time_is_left_out(noise: bt.Instance) -> None:
    def nothing(part: bt.Instance, share: Clock) -> Callable[[Any], Tree]:
        raise OutOfTimeError

    found = cross_validate(noise, nothing, [0, 1], FoldSettings(5), Clock(None))
    assert found.n_done == 0
    assert "not known, because the time was over" in str(found)


def test_a_fold_is_not_begun_whose_rows_cannot_be_coded_in_time() -> None:
    frame = pd.DataFrame({"a": np.arange(30.0), "class": ["x", "y"] * 15})
    instance = bt.Instance.from_frame(frame, "class")
    assert cross_validate(instance, optimal, [1], FoldSettings(5), Clock(60)).n_done == 5
    slow = WorkPlan(seconds_per_cell=100.0)
    assert cross_validate(instance, optimal, [1], FoldSettings(5), Clock(60, plan=slow)).n_done == 0
    assert cross_validate(instance, optimal, [1], FoldSettings(5), Clock(None, plan=slow)).n_done == 5


def test_rows_that_do_not_count_do_not_judge() -> None:
    instance = bt.Instance([[0], [0], [1], [1]] * 5, [0, 0, 1, 0] * 5, weights=[1, 1, 1, 0] * 5)
    found = cross_validate(instance, optimal, [1], FoldSettings(5), Clock(None))
    assert (found.n_rows, found.new_errors[0].error) == (15, 0)


def test_a_large_table_says_that_one_fifth_was_held_out(noise: bt.Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.learn.validation.HOLD_OUT_FROM", 100)
    settings = FoldSettings(5)
    assert (settings.folds(noise) == NEVER_HELD_OUT).sum() == 80
    found = cross_validate(noise, optimal, [1], settings, Clock(None))
    assert str(found) == "error on new cases: on 20 rows held out"


@pytest.mark.parametrize(
    ("folds", "groups", "fields"),
    [
        (1, None, {"subject": "folds", "found": 1}),
        (True, None, {"subject": "folds", "found": True}),
        (2.5, None, {"subject": "folds", "found": 2.5}),
        (-2, None, {"subject": "folds", "found": -2}),
        (5, [1, 2], {"subject": "groups", "found": 2, "expected": 100}),
        (5, "patient", {"subject": "groups", "found": "patient"}),
        (5, 7, {"subject": "groups", "found": 7}),
        (5, [1] * 100, {"subject": "groups", "found": 1, "expected": 2}),
        (5, [None, *range(99)], {"subject": "groups", "found": None}),
        (5, [*range(99), math.nan], {"subject": "groups", "found": math.nan}),
        (5, [[1]] * 100, {"subject": "groups", "found": [[1]] * 100}),
    ],
)
def test_bad_folds_and_groups_are_refused(folds: Any, groups: Any, fields: dict[str, Any], noise: bt.Instance) -> None:
    with refused(SettingError, **fields):
        check_folds(folds, groups, noise)


def test_groups_may_come_one_by_one(noise: bt.Instance) -> None:
    assert check_folds(5, iter(range(100)), noise) == FoldSettings(5, tuple(range(100)))


def test_there_are_no_more_folds_than_rows_or_groups(noise: bt.Instance) -> None:
    assert check_folds(0, None, noise) is None
    assert check_folds(0, list(range(100)), noise) is None
    assert check_folds(5, None, bt.Instance([[0]], [1])) is None
    assert check_folds(200, None, noise) == FoldSettings(100)
    groups = [0, 1, 2, 3] * 25
    assert check_folds(5, groups, noise) == FoldSettings(4, tuple(groups))


def test_the_words_for_all_folds() -> None:
    assert str(Validation((), (), 5, 5, 100, False)) == "error on new cases: cross-validated, 5 of 5 folds"


def test_with_losses_the_mean_loss_is_estimated_beside_the_error() -> None:
    instance = bt.datasets.load("pima").with_losses(bt.Losses({"pos": 5}, answers={"refer": 0.4}))
    frontier = bt.frontier(instance, max_budget=2, method="greedy")
    assert frontier.validation is not None
    assert len(frontier.validation.new_losses) == len(frontier)
    first = frontier[0]  # everybody is referred
    assert (first.new_loss, first.new_error) == (pytest.approx(0.4), 0)
    for point in frontier:
        assert point.new_loss is not None
        assert point.new_loss_se is not None
        assert 0 < point.new_loss_se < 0.3
        assert point.estimate is not None
        assert point.tree.estimate == point.estimate
    lowest = min(frontier, key=lambda point: point.new_loss or 0)
    assert lowest is first
    assert frontier.recommended is None  # referring everybody loses least
    assert bt.frontier(bt.datasets.load("pima"), max_budget=1)[-1].new_loss is None


def test_where_every_class_has_one_row_nothing_is_held_out() -> None:
    faults = bt.Instance([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"])
    assert check_folds(5, None, faults) is None
    assert check_folds(5, None, bt.Instance([[0, 0], [0, 1], [1, 0]], ["a", "b", "b"])) is not None
    assert bt.frontier(faults, progress=False).validation is None
