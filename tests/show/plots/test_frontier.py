"""plot_frontier: steps, points, and the region where no tree can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.show.frontier_view import frontier_steps
from losing import losing_frontier


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_the_frontier_shows_steps_points_and_what_is_impossible(method: str) -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method=method, folds=0)
    axes = bt.plot_frontier(frontier)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "frontier" in names
    assert {"Powers(2) alone", "HingedPairs alone"} <= set(names)
    assert ("no tree can be here" in names) is (method == "exact")
    line = next(line for line in axes.lines if line.get_label() == "frontier")
    total = frontier.instance.weights.sum()
    corners = frontier_steps(frontier, 1.06 * frontier[-1].max_cost).loss.divided(total).corners
    assert np.allclose(line.get_xydata(), corners)
    drawn = sum(len(line.get_xdata()) for line in axes.lines if "fewest" in str(line.get_label()))
    assert drawn == len(frontier)
    shade = [collection for collection in axes.collections if collection.get_label() == "no tree can be here"]
    if method == "exact":
        assert shade[0].get_paths()[0].vertices[:, 0].max() == pytest.approx(axes.get_xlim()[1])
    for single in (line for line in axes.lines if "alone" in str(line.get_label())):
        assert (np.diff(single.get_ydata()) <= 0).all()
        for cost, rate in single.get_xydata():
            assert rate >= frontier.best(budget=float(cost)).error_rate - 1e-12


def test_bars_show_the_error_on_new_cases() -> None:
    frontier = bt.frontier(bt.datasets.load("soybean"), method="greedy", max_budget=3)
    axes = bt.plot_frontier(frontier, impurities=())
    (bars,) = axes.containers
    ends = [(point.new_error - point.new_error_se, point.new_error + point.new_error_se) for point in frontier]
    drawn = [tuple(segment[:, 1]) for segment in bars.lines[2][0].get_segments()]
    assert np.allclose(drawn, ends)
    assert "new cases, ± standard error" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert axes.get_ylabel() == "cases it gets wrong"


def test_a_frontier_of_one_point_is_drawn() -> None:
    frontier = bt.frontier(bt.Instance([[0], [0]], [1, 1]), folds=0)
    assert bt.plot_frontier(frontier).lines


def test_axes_of_others_are_used() -> None:
    right = pyplot.subplots(1, 2, figsize=(6, 3))[1][1]
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="greedy", folds=0)
    assert bt.plot_frontier(frontier, ax=right, impurities=()) is right


@pytest.mark.parametrize("wrong", [None, "tree", 3])
def test_what_cannot_be_drawn_is_named(wrong: Any) -> None:
    with refused(SettingError, subject="frontier", found=wrong):
        bt.plot_frontier(wrong)


def test_with_losses_the_axis_is_loss() -> None:
    frontier = losing_frontier()
    axes = bt.plot_frontier(frontier)
    assert axes.get_ylabel() == "mean loss of the known cases"
    line = next(line for line in axes.lines if line.get_label() == "frontier")
    assert np.allclose(line.get_xydata()[0], (0, frontier[0].mean_loss))
    assert "proven to be the least" in [text.get_text() for text in axes.get_legend().get_texts()]
    for single in (line for line in axes.lines if "alone" in str(line.get_label())):
        for cost, loss in single.get_xydata():
            assert loss >= frontier.best(budget=float(cost)).mean_loss - 1e-9


def test_with_losses_bars_show_the_loss_of_new_cases() -> None:
    frontier = losing_frontier(folds=5)
    (bars,) = bt.plot_frontier(frontier, impurities=()).containers
    drawn = [tuple(segment[:, 1]) for segment in bars.lines[2][0].get_segments()]
    ends = [(point.new_loss - point.new_loss_se, point.new_loss + point.new_loss_se) for point in frontier]
    assert np.allclose(drawn, ends)
