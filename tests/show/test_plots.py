"""Plots by matplotlib: trees, frontiers, and what is said where it is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.show.frontier_view import frontier_steps
from losing import losing_frontier

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def narrow() -> bt.Instance:
    """One test and short names: nothing is as wide as the title."""
    return bt.Instance([[i % 3] for i in range(300)], [i % 3 for i in range(300)], test_names=["t"])


@pytest.mark.parametrize("name", ["pima", "soybean", "house_votes", "narrow"])
def test_matplotlibs_letters_stay_on_the_paper_and_apart(name: str) -> None:
    axes = bt.plot_tree(bt.grow(narrow() if name == "narrow" else bt.datasets.load(name), budget=3))
    figure = axes.figure
    figure.canvas.draw()
    paper = figure.bbox
    extents = [text.get_window_extent() for text in axes.texts]
    assert all(
        paper.x0 <= box.x0 and box.x1 <= paper.x1 and paper.y0 <= box.y0 and box.y1 <= paper.y1 for box in extents
    )
    for index, box in enumerate(extents):
        assert not any(box.overlaps(other) for other in extents[index + 1 :])


def test_dollars_are_no_mathematics() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["$x_$", "$"], test_names=["$\\frac$"]))
    axes = bt.plot_tree(tree)
    axes.figure.canvas.draw()
    assert "$\\frac$" in [text.get_text() for text in axes.texts]


def test_axes_of_others_are_used_and_letters_shrink_to_fit() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    left = pyplot.subplots(1, 2, figsize=(6, 3))[1][0]
    assert bt.plot_tree(tree, ax=left) is left
    assert max(text.get_fontsize() for text in left.texts) < 5


def test_a_single_leaf_can_be_plotted() -> None:
    assert bt.plot_tree(bt.grow(bt.datasets.load("pima"), budget=0)).texts


@pytest.mark.parametrize("wrong", [None, "tree", 3])
def test_what_is_no_tree_is_named(wrong: Any) -> None:
    with refused(SettingError, subject="tree", found=wrong):
        bt.plot_tree(wrong)


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_the_frontier_shows_steps_points_and_what_is_impossible(method: str) -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method=method, folds=0, objective="known")
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
    frontier = bt.frontier(bt.Instance([[0], [0]], [1, 1]), folds=0, objective="known")
    assert bt.plot_frontier(frontier).lines


def test_axes_of_others_are_used() -> None:
    right = pyplot.subplots(1, 2, figsize=(6, 3))[1][1]
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="greedy", folds=0)
    assert bt.plot_frontier(frontier, ax=right, impurities=()) is right


@pytest.mark.parametrize("wrong", [None, "tree", 3])
def test_what_is_no_frontier_is_named(wrong: Any) -> None:
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


def test_without_matplotlib_the_error_names_the_extra() -> None:
    script = """
import sys
sys.modules["matplotlib"] = None
import budgetree as bt
tree = bt.grow(bt.datasets.load("figure1"))
assert tree._repr_html_()
try:
    bt.plot_tree(tree)
except ImportError as error:
    print(error)
"""
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "pip install 'budgetree[plot]'" in printed


def test_of_trees_for_new_cases_the_line_is_their_error_on_new_cases() -> None:
    frontier = bt.frontier(bt.datasets.load("mammographic"), objective="new", points=2)
    axes = bt.plot_frontier(frontier)
    lines = {str(line.get_label()): line for line in axes.lines}
    assert not [name for name in lines if "alone" in name or name == "frontier"]
    assert set(lines["new cases"].get_ydata()) == {point.new_error for point in frontier}
    known = lines["the same trees on the known cases"]
    assert set(known.get_ydata()) == {point.errors / frontier.instance.weights.sum() for point in frontier}
    html = frontier._repr_html_()
    assert "aria-label='new error against max-cost'" in html
    assert f"<title>{frontier[-1].estimate.new_error} wrong at" in html
