"""validation: the whole procedure is done again without the rows that judge it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.validation import (
    NEVER_HELD_OUT,
    KnownRows,
    Validation,
    check_folds,
    cross_validate,
)
from budgetree.services.clock import Clock, OutOfTimeError, WorkPlan
from budgetree.tree import Tree
from budgetree.tree.model.file import model_text
from budgetree.tree.provenance import Objective


@pytest.fixture
def noise() -> bt.Instance:
    """Labels that nothing can predict, and a column that tells every row apart."""
    generator = np.random.default_rng(5)
    return bt.Instance(
        np.column_stack([np.arange(100), generator.integers(0, 3, 100)]), generator.integers(0, 2, 100).tolist()
    )


def optimal(part: bt.Instance, groups: Any, clock: Clock) -> Callable[[Any], Tree]:
    return lambda budget: bt.optimal(part, budget=budget, progress=False).tree


def test_every_row_is_predicted_once_by_a_tree_that_has_not_seen_it(noise: bt.Instance) -> None:
    sizes: list[int] = []

    def learn(part: bt.Instance, groups: Any, clock: Clock) -> Callable[[Any], Tree]:
        sizes.append(part.n_rows)
        return optimal(part, groups, clock)

    found = cross_validate(KnownRows(noise), learn, [0, 1], 5, Clock(None))
    assert (sizes, found.n_rows, found.n_done) == ([80] * 5, 100, 5)
    assert bt.optimal(noise, budget=1, progress=False).tree.errors == 0
    assert all(0.3 < of.new_error.error < 0.7 for of in found.estimates)
    assert found.estimates[1].new_error.exceeds(0.0)


def test_levels_and_duplicates_are_found_again_in_each_part() -> None:
    import pandas as pd

    frame = pd.DataFrame({"x": [*range(30), 1000.0], "y": [*([0] * 15), *([1] * 15), 1]})
    instance = bt.Instance.from_frame(
        frame, "y", levels=4, binning="uniform"
    )  # the last row alone makes one level of all others

    largest: list[str] = []

    def learn(part: bt.Instance, groups: Any, clock: Clock) -> Callable[[Any], Tree]:
        largest.append(part.outcome_names[0][-1])
        return optimal(part, groups, clock)

    cross_validate(KnownRows(instance), learn, [1], 31, Clock(None))
    assert sum(name == "24.2 to 29.0" for name in largest) == 1  # without the last row there are levels for the others
    assert len(largest) == 31


def test_groups_are_held_out_together(noise: bt.Instance) -> None:
    together = tuple(range(50)) * 2

    def learn(part: bt.Instance, groups: Any, clock: Clock) -> Callable[[Any], Tree]:
        rows = part.codes[:, 0]
        assert all((rows == row).sum() == (rows == (row + 50) % 100).sum() for row in range(100))
        assert (np.array(groups)[part.row_order] == rows % 50).all()  # so that the learner can do the same
        return optimal(part, groups, clock)

    assert cross_validate(KnownRows(noise, together), learn, [1], 5, Clock(None)).n_rows == 100


def test_what_there_is_no_time_for_is_left_out_and_said(noise: bt.Instance) -> None:
    nothing = cross_validate(KnownRows(noise), optimal, [1], 5, Clock(0))
    assert nothing.estimates == ()
    assert "not known" in str(nothing)
    hurried = cross_validate(KnownRows(noise), optimal, [1], 5, Clock(60), min_seconds=100)
    assert hurried.n_done == 0
    clock = Clock(None)

    def interrupted(part: bt.Instance, groups: Any, share: Clock) -> Callable[[Any], Tree]:
        if part.n_rows and not done:
            done.append(1)
        else:
            share.interrupt()
        return optimal(part, groups, share)

    done: list[int] = []
    two = cross_validate(KnownRows(noise), interrupted, [1], 5, clock)
    assert (two.n_done, two.n_rows) == (2, 40)
    assert str(two) == "error on new cases: cross-validated, 2 of 5 folds (3 left out: no time)"


def test_a_fold_without_time_for_all_its_trees_does_not_judge(noise: bt.Instance) -> None:
    clock = Clock(None)
    made: list[Any] = []

    def slow(part: bt.Instance, groups: Any, share: Clock) -> Callable[[Any], Tree]:
        def tree_for(budget: Any) -> Tree:
            made.append(budget)
            if len(made) == 3:  # of the second fold's two trees the first
                clock.interrupt()
            return optimal(part, groups, share)(budget)

        return tree_for

    found = cross_validate(KnownRows(noise), slow, [0, 1], 5, clock)
    assert (found.n_done, found.n_rows, len(made)) == (1, 20, 3)
    assert "1 of 5 folds (4 left out: no time)" in str(found)


def test_a_fold_that_finds_nothing_in_time_is_left_out(noise: bt.Instance) -> None:
    def nothing(part: bt.Instance, groups: Any, share: Clock) -> Callable[[Any], Tree]:
        raise OutOfTimeError

    found = cross_validate(KnownRows(noise), nothing, [0, 1], 5, Clock(None))
    assert found.n_done == 0
    assert "not known, because the time was over" in str(found)


def test_a_fold_is_not_begun_whose_rows_cannot_be_coded_in_time() -> None:
    frame = pd.DataFrame({"a": np.arange(30.0), "class": ["x", "y"] * 15})
    instance = bt.Instance.from_frame(frame, "class")
    assert cross_validate(KnownRows(instance), optimal, [1], 5, Clock(60)).n_done == 5
    slow = WorkPlan(seconds_per_cell=100.0)
    assert cross_validate(KnownRows(instance), optimal, [1], 5, Clock(60, plan=slow)).n_done == 0
    assert cross_validate(KnownRows(instance), optimal, [1], 5, Clock(None, plan=slow)).n_done == 5


def test_rows_that_do_not_count_do_not_judge() -> None:
    instance = bt.Instance([[0], [0], [1], [1]] * 5, [0, 0, 1, 0] * 5, weights=[1, 1, 1, 0] * 5)
    found = cross_validate(KnownRows(instance), optimal, [1], 5, Clock(None))
    assert (found.n_rows, found.estimates[0].new_error.error) == (15, 0)


def test_a_large_table_says_that_one_fifth_was_held_out(noise: bt.Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.learn.validation.HOLD_OUT_FROM", 100)
    assert (KnownRows(noise).folds() == NEVER_HELD_OUT).sum() == 80
    found = cross_validate(KnownRows(noise), optimal, [1], 5, Clock(None))
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
        bt.fit(noise, budget=1, folds=folds, groups=groups)


def test_groups_may_come_one_by_one(noise: bt.Instance) -> None:
    assert KnownRows.of(noise, groups=iter(range(100))).groups == tuple(range(100))


def test_there_are_no_more_folds_than_rows_or_groups(noise: bt.Instance) -> None:
    assert check_folds(0, KnownRows(noise)) == 0
    assert check_folds(0, KnownRows(noise, tuple(range(100)))) == 0
    assert check_folds(5, KnownRows(bt.Instance([[0]], [1]))) == 0
    assert check_folds(200, KnownRows(noise)) == 100
    assert check_folds(5, KnownRows(noise, (0, 1, 2, 3) * 25)) == 4
    assert check_folds(5, KnownRows(noise, (0,) * 100)) == 0


def frame_of(n_rows: int, n_tests: int = 5, n_values: int = 1000) -> pd.DataFrame:
    """Labels by the toss of a coin."""
    rng = np.random.default_rng(n_rows)
    frame = pd.DataFrame(rng.integers(0, n_values, (n_rows, n_tests)), columns=list("abcde")[:n_tests])
    return frame.assign(y=rng.integers(0, 2, n_rows))


@pytest.mark.parametrize("objective", ["new", "known"])
def test_copies_are_one_case_where_rows_are_held_out(objective: Any) -> None:
    once = frame_of(150)
    twice = pd.concat([once, once]).sample(frac=1, random_state=0)
    found = bt.fit(bt.Instance.from_frame(twice, "y"), budget=3, objective=objective)
    assert found.request.rows is not None
    assert found.request.rows.n_copies == 150
    assert found.estimate is not None
    assert 0.4 < found.estimate.new_error.error < 0.6
    assert found.estimate.new_error.se > 0.05
    assert found.estimate.how.endswith("150 copies together with the row repeated")
    named = bt.fit(bt.Instance.from_frame(twice, "y"), budget=3, objective=objective, groups=range(300))
    assert named.request.rows is not None
    assert named.request.rows.n_copies == 0  # they are different cases, by the user's word
    assert named.estimate is not None
    assert named.estimate.new_error.error < 0.35


def test_a_copy_of_another_class_is_the_same_case() -> None:
    once = frame_of(150)
    twice = pd.concat([once, once.assign(y=np.random.default_rng(1).integers(0, 2, 150))])
    groups = KnownRows.of(bt.Instance.from_frame(twice, "y")).groups
    assert groups is not None
    assert groups[:150] == groups[150:]


def test_equal_rows_of_few_results_are_different_cases() -> None:
    for frame in (frame_of(300, 4, 2), frame_of(300, 3, 5), frame_of(300, 1, 40), frame_of(3000, 2, 60)):
        instance = bt.Instance.from_frame(frame, "y")
        assert instance.copies(by_chance=False) is not None
        assert KnownRows.of(instance).groups is None
    assert bt.Instance.from_frame(bt.datasets.frame("mammographic"), "Severity").copies() is None  # ages of few results


def test_merged_rows_are_one_case_where_rows_are_held_out() -> None:
    frame = frame_of(300, 4, 3)
    merged = bt.Instance.from_frame(frame, "y", duplicates="merge")
    known = KnownRows.of(merged, Objective.KNOWN)
    rows = known.instance
    assert (rows.n_rows, rows.labels.tolist(), known.groups) == (merged.n_objects, merged.labels.tolist(), None)
    assert len(np.unique(rows.row_ranks)) == rows.n_rows
    found = bt.frontier(merged, max_budget=2, objective="known")
    assert found.validation is not None
    assert found.validation.n_rows == merged.n_objects
    groups = KnownRows.of(merged).groups
    assert groups is not None
    assert len(set(groups)) == len(frame.drop(columns="y").drop_duplicates())


@pytest.mark.parametrize("n_values", [2, 200])
@pytest.mark.parametrize("objective", ["new", "known"])
def test_a_whole_weight_is_as_many_equal_rows(n_values: int, objective: Any) -> None:
    rng = np.random.default_rng(n_values)
    codes, labels, times = rng.integers(0, n_values, (40, 3)), rng.integers(0, 2, 40), rng.integers(1, 4, 40)
    names = {"outcome_names": [list(map(str, range(n_values)))] * 3}
    weighted = bt.Instance(codes, labels, weights=times, **names)  # type: ignore[arg-type]
    copied = bt.Instance(codes.repeat(times, axis=0), labels.repeat(times), **names)  # type: ignore[arg-type]
    one, other = (bt.fit(each, budget=2, objective=objective) for each in (weighted, copied))
    assert one.estimate is not None
    assert other.estimate is not None
    assert one.estimate.new_error == other.estimate.new_error
    if objective == "new":
        texts = [model_text(replace(found.tree, estimate=None)) for found in (one, other)]
        assert texts[0] == texts[1]


def test_the_words_for_all_folds() -> None:
    assert str(Validation((), 5, 5, 100, False)) == "error on new cases: cross-validated, 5 of 5 folds"


def test_with_losses_the_mean_loss_is_estimated_beside_the_error() -> None:
    instance = bt.datasets.load("pima").with_losses(bt.Losses({"pos": 5}, answers={"refer": 0.4}))
    frontier = bt.frontier(instance, max_budget=2, method="greedy")
    assert frontier.validation is not None
    assert len([of for of in frontier.validation.estimates if of.new_loss]) == len(frontier)
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
    assert bt.frontier(bt.datasets.load("pima"), max_budget=1, objective="known")[-1].new_loss is None


def test_where_every_class_has_one_row_nothing_is_held_out() -> None:
    faults = bt.Instance([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"])
    assert check_folds(5, KnownRows(faults)) == 0
    assert check_folds(5, KnownRows(bt.Instance([[0, 0], [0, 1], [1, 0]], ["a", "b", "b"]))) > 0
    assert bt.frontier(faults, progress=False, objective="known").validation is None
