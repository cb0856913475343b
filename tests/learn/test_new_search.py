"""new_search: a few budgets, and the learner for new cases at each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.tree.provenance import Method


def test_a_frontier_for_new_cases_has_a_point_for_each_budget(learner: list[dict[str, Any]]) -> None:
    pima = bt.datasets.load("pima")
    found = bt.frontier(pima, objective="new", max_budget=3, folds=0, leaves="tree", confidence=0.9)
    assert [point.max_cost for point in found] == [0, 1, 2, 3]
    assert [call["budget"] for call in learner] == [1, 2, 3]
    assert all((call["leaves"], call["confidence"]) == ("tree", 0.9) for call in learner)
    assert found.found_by is Method.PREDICTIVE
    assert all(point.errors == point.tree.errors for point in found)
    learner.clear()
    judged = bt.frontier(pima, objective="new", max_budget=2, time_limit=60)
    assert all(point.new_error is not None for point in judged)
    n_rows = [call["n_rows"] for call in learner]
    assert n_rows[:2] == [768] * 2
    assert len(n_rows) == 12
    assert max(n_rows[2:]) < 768


def test_as_many_budgets_are_tried_as_there_are_points(learner: list[dict[str, Any]]) -> None:
    votes = bt.datasets.load("house_votes")
    for points in (1, 3):
        learner.clear()
        bt.frontier(votes, points=points, folds=0, leaves="tree")
        assert len(learner) == points
        assert learner[-1]["budget"] == 16
    with refused(SettingError, subject="points", found=0):
        bt.frontier(votes, points=0)
    with refused(SettingError, subject="points", found=3):
        bt.frontier(votes, points=3, budgets=[1, 2])
    with refused(SettingError, subject="points", found=3):
        bt.frontier(votes, points=3, objective="known")


def test_confidence_is_checked(learner: list[dict[str, Any]]) -> None:
    with refused(SettingError, subject="confidence", found=3):
        bt.frontier(bt.datasets.load("figure1"), objective="new", confidence=3)


def test_shares_are_of_all_rows_also_where_cases_were_merged() -> None:
    rng = np.random.default_rng(0)
    number = rng.normal(size=200).round(1)
    frame = pd.DataFrame({"a": number, "class": np.where(number + rng.normal(size=200) > 0, "pos", "neg")})
    found = bt.frontier(bt.Instance.from_frame(frame, "class"), objective="new", folds=0)
    last = found[-1]
    assert last.error_rate == last.errors / 200 == last.tree.errors / last.tree.n_objects
