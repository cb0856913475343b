"""estimated: after the search the same is done without the rows that judge it, within the time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.routes import split_time
from budgetree.learn.settings import FitRequest
from budgetree.services.clock import DEFAULT_PLAN
from budgetree.tree.provenance import Objective, ObjectiveChoice, Reason


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_every_point_has_an_error_on_new_cases_and_folds_change_nothing_else(method: str) -> None:
    votes = bt.datasets.load("house_votes")
    found = bt.frontier(votes, method=method, max_budget=3, objective="known")  # type: ignore[arg-type]
    plain = bt.frontier(votes, method=method, max_budget=3, folds=0, objective="known")  # type: ignore[arg-type]
    assert [(p.max_cost, p.errors, p.source) for p in found] == [(p.max_cost, p.errors, p.source) for p in plain]
    assert plain.validation is None
    assert plain[-1].new_error is None
    assert str(found.validation) == "error on new cases: cross-validated, 5 of 5 folds"
    most_common = np.bincount(votes.labels).max() / votes.n_objects  # with or without a fifth of the merged rows
    assert found[0].new_error == pytest.approx(1 - most_common)
    assert all(point.new_error is not None and point.new_error_se > 0 for point in found)
    again = bt.frontier(votes, method=method, max_budget=3, objective="known")  # type: ignore[arg-type]
    assert [point.estimate for point in again] == [point.estimate for point in found]


def test_a_table_known_by_heart_is_overfitted_and_not_recommended() -> None:
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 200)
    codes = np.column_stack([np.where(generator.random(200) < 0.1, 1 - truth, truth), np.arange(200)])
    found = bt.frontier(bt.Instance(codes, truth.tolist(), prices={"0": 1, "1": 2}), objective="known")
    assert found[-1].errors == 0
    assert found[-1].overfitted
    assert found.recommended.max_cost == 1
    assert not found.recommended.overfitted


def test_rows_of_one_group_are_not_known_already() -> None:
    generator = np.random.default_rng(2)
    patient = np.repeat(np.arange(40), 5)
    instance = bt.Instance(patient[:, None], generator.integers(0, 2, 40)[patient].tolist())
    apart, together = (
        bt.frontier(instance, objective="known")[-1],
        bt.frontier(instance, groups=patient, objective="known")[-1],
    )
    assert apart.new_error is not None
    assert apart.new_error < 0.1
    assert together.new_error is not None
    assert together.new_error > 0.3


def test_half_of_the_time_is_for_the_folds() -> None:
    work, plan = FitRequest(method="auto", folds=5), DEFAULT_PLAN
    new = ObjectiveChoice(Objective.NEW, Reason.ASKED, 100, 2)
    for request, seconds in [
        (work, (2 * plan.auto_seconds, plan.auto_seconds)),
        (replace(work, folds=0), (plan.auto_seconds, plan.auto_seconds)),
        (replace(work, method="exact"), (2 * plan.exact_seconds, plan.exact_seconds)),
        (replace(work, method="greedy"), (None, None)),
        (replace(work, choice=new), (None, None)),
        (replace(work, time_limit=math.inf), (None, None)),
    ]:
        clocks = split_time(request)
        assert tuple(clock.seconds_left for clock in clocks) == seconds
        assert all(clock.counts_work for clock in clocks)
    whole, search = split_time(replace(work, time_limit=80.0))
    assert not search.counts_work
    assert whole.seconds_left == pytest.approx(80, abs=1)
    assert search.seconds_left == pytest.approx(40, abs=1)


def test_without_time_there_is_a_frontier_that_says_so() -> None:
    found = bt.frontier(bt.datasets.load("soybean"), time_limit=0, objective="known")
    assert found[-1].new_error is None
    assert not found[-1].overfitted
    assert "not known" in str(found.validation)
    assert found.recommended is found[-1]


def test_an_objective_is_known_or_new() -> None:
    with refused(SettingError, subject="objective", found="best", expected=("auto", "known", "new")):
        bt.frontier(bt.datasets.load("figure1"), objective="best")  # type: ignore[arg-type]


def test_merged_duplicates_do_not_look_like_overfitting() -> None:
    import pandas as pd

    frame = pd.DataFrame({"x": [0] * 100 + [1] * 100, "y": ([0] * 7 + [1] * 3) * 10 + [1] * 100})
    merged = bt.frontier(bt.Instance.from_frame(frame, "y", duplicates="merge"), objective="known")
    assert merged[-1].errors == 0
    assert merged[-1].new_error is None  # two cases, one of each class
    assert not merged[-1].overfitted
