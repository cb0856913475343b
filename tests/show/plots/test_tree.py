"""plot_tree: matplotlib's letters stay apart, names are no mathematics, axes of others are used."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib import pyplot

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError


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
def test_what_cannot_be_drawn_is_named(wrong: Any) -> None:
    with refused(SettingError, subject="tree", found=wrong):
        bt.plot_tree(wrong)
