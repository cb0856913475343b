"""Pictures: nothing overlaps or leaves the paper, the costliest path is marked, and names are only shown."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
import reference
from matplotlib import pyplot
from support import to_instance

import budgetree as bt
from budgetree.show.colours import WORST, class_colours
from budgetree.show.drawing import Box, Drawing, Stroke, Text, text_width

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Any:
    yield
    pyplot.close("all")


def spans(drawing: Drawing) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of what must not overlap: boxes, and the texts outside them."""
    found = []
    for shape in drawing.shapes:
        if isinstance(shape, Box):
            found.append((shape.x, shape.y, shape.x + shape.width, shape.y + shape.height))
        elif isinstance(shape, Text) and shape.anchor == "start":
            width = text_width(shape.text, shape.size, shape.bold)
            found.append((shape.x, shape.y - shape.size / 2, shape.x + width, shape.y + shape.size / 2))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_nothing_overlaps_or_leaves_the_paper(seed: int) -> None:
    tree = bt.grow(to_instance(reference.random_problem(random.Random(seed))))
    drawing = tree.draw(max_leaves=random.Random(seed).choice([1, 5, 40]))
    boxes = spans(drawing)
    for index, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= drawing.width + 1e-6
        assert bottom <= drawing.height + 1e-6
        for other in boxes[index + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart, (boxes[index], other)


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


def test_the_costliest_path_is_marked_from_the_root_to_its_leaf() -> None:
    prices = {"a": 1, "b": 5, "c": 2}
    codes = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]]
    tree = bt.grow(bt.Instance(codes, ["u", "v", "x", "y"], prices=prices, test_names=["a", "b", "c"]))
    drawing = tree.draw()
    red = [shape for shape in drawing.shapes if isinstance(shape, Stroke) and shape.colour == WORST]
    grey = [shape for shape in drawing.shapes if isinstance(shape, Stroke) and shape.colour != WORST]
    texts = [shape.text for shape in drawing.shapes if isinstance(shape, Text) and shape.colour == WORST]
    assert texts == ["costs 1, spent 1", "costs 5, spent 6"]
    assert len(red) == 2
    assert len(grey) == 4
    assert red[0].points[-1][1] == red[1].points[0][1]  # one goes on where the other ends


def test_of_equal_paths_the_one_most_cases_take_is_marked() -> None:
    tree = bt.grow(bt.Instance([[0], [1], [1], [1], [2]], ["u", "v", "v", "v", "w"]))
    strokes = [shape for shape in tree.draw().shapes if isinstance(shape, Stroke)]
    assert [stroke.colour == WORST for stroke in sorted(strokes, key=lambda s: s.points[-1][1])] == [False, True, False]


def test_a_folded_part_may_hold_the_costliest_path() -> None:
    prices = {"a": 1, "b": 2, "c": 50}
    codes = [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]]
    tree = bt.grow(bt.Instance(codes, list("uvuvxy"), prices=prices, test_names=["a", "b", "c"]))
    assert tree.test_names[tree.nodes.test[0]] == "a"
    drawing = tree.draw(max_depth=1)
    strokes = [shape for shape in drawing.shapes if isinstance(shape, Stroke)]
    lowest = max(strokes, key=lambda stroke: stroke.points[-1][1])
    assert lowest.colour == WORST  # a = 1 leads to the test of price 50, which is not drawn


def test_long_names_keep_both_ends() -> None:
    names = [f"a class with a really long name, number {i}" for i in range(3)]
    tree = bt.grow(bt.Instance([[0], [1], [2]], names))
    shown = [shape.text for shape in tree.draw().shapes if isinstance(shape, Text) and "…" in shape.text]
    assert len(set(shown)) == 3


def test_wide_letters_get_room() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["炎症" * 6, "健康" * 6], test_names=["血液検査"]))
    boxes = [shape for shape in tree.draw().shapes if isinstance(shape, Box)]
    assert max(box.width for box in boxes) > 12 * 9


def test_outcomes_with_the_same_subtree_share_a_branch() -> None:
    codes = [[first, second] for first in range(4) for second in range(2)]
    labels = [second if first < 3 else 1 - second for first, second in codes]
    tree = bt.optimal(bt.Instance(codes, labels, test_names=["first", "second"]), budget=2).tree
    texts = [shape.text for shape in tree.draw().shapes if isinstance(shape, Text)]
    assert len(tree.rules()) == 4
    assert any("0 | 1 | 2" in text for text in texts)


def test_a_large_tree_is_folded_where_few_cases_pass() -> None:
    tree = bt.grow(bt.datasets.load("soybean"))
    drawing = tree.draw(max_leaves=12)
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Box)]
    texts = [shape.text for shape in drawing.shapes if isinstance(shape, Text)]
    assert sum(box.dashed for box in boxes) > 3
    assert len([box for box in boxes if box.fill != "#FFFFFF"]) <= 12
    assert any("stand for a part that is not shown" in text for text in texts)
    shallow = tree.draw(max_depth=1, max_leaves=100)
    assert sum(isinstance(shape, Box) for shape in shallow.shapes) == 1 + len(tree.outline.branches((0,)))


def test_a_single_leaf_can_be_drawn() -> None:
    leaf = bt.grow(bt.datasets.load("pima"), budget=0)
    assert any(isinstance(shape, Text) and shape.text == "neg" for shape in leaf.draw().shapes)
    assert bt.plot_tree(leaf).texts


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_leaves": 0}, "max_leaves is 0; expected"),
        ({"max_depth": ""}, "max_depth is ''"),
        ({"max_leaves": "x"}, "'x'"),
    ],
)
def test_a_wrong_size_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.grow(bt.datasets.load("figure1")).draw(**settings)


def test_an_svg_is_xml_and_names_are_not_markup() -> None:
    name = "<script>alert(1)</script> & \x00\n"
    tree = bt.grow(bt.Instance([[0], [1]], ["<b>", '"&'], test_names=[name]))
    root = ElementTree.fromstring(tree.to_svg())
    assert len(list(root.iter("{http://www.w3.org/2000/svg}title"))) == 3  # the long story of each box
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>alert(1)</script> &   "[:29] in "".join(text or "" for text in texts)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_a_notebook_draws_the_tree() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    html = tree._repr_html_()
    assert html.startswith("<div")
    assert html.count("<rect") > 10
    assert "glucose" in html or "age" in html


def test_dollars_are_no_mathematics() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["$x_$", "$"], test_names=["$\\frac$"]))
    axes = bt.plot_tree(tree)
    axes.figure.canvas.draw()
    assert "$\\frac$" in [text.get_text() for text in axes.texts]


def test_axes_of_others_are_used_and_letters_shrink_to_fit() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    left, right = pyplot.subplots(1, 2, figsize=(6, 3))[1]
    assert bt.plot_tree(tree, ax=left) is left
    assert max(text.get_fontsize() for text in left.texts) < 5
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="greedy")
    assert bt.plot_frontier(frontier, ax=right, impurities=()) is right


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_the_frontier_shows_steps_points_and_what_is_impossible(method: str) -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method=method)
    axes = bt.plot_frontier(frontier)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "frontier" in names
    assert {"Powers(2) alone", "HingedPairs alone"} <= set(names)
    assert ("no tree can be here" in names) is (method == "exact")
    line = next(line for line in axes.lines if line.get_label() == "frontier")
    assert np.allclose(line.get_ydata()[:-1], [point.error_rate for point in frontier])
    assert np.allclose(line.get_xdata()[:-1], [point.max_cost for point in frontier])
    drawn = sum(len(line.get_xdata()) for line in axes.lines if "fewest" in str(line.get_label()))
    assert drawn == len(frontier)
    shade = [collection for collection in axes.collections if collection.get_label() == "no tree can be here"]
    if method == "exact":
        assert shade[0].get_paths()[0].vertices[:, 0].max() == pytest.approx(axes.get_xlim()[1])
    for single in (line for line in axes.lines if "alone" in str(line.get_label())):
        assert (np.diff(single.get_ydata()[:-1]) < 0).all()
        for cost, rate in zip(single.get_xdata(), single.get_ydata(), strict=True):
            assert rate >= frontier.best(budget=float(cost)).error_rate - 1e-12


def test_a_frontier_of_one_point_is_drawn() -> None:
    frontier = bt.frontier(bt.Instance([[0], [0]], [1, 1]))
    assert bt.plot_frontier(frontier).lines


def test_the_bounds_hold_between_the_points() -> None:
    instance = bt.datasets.load("pima")
    frontier = bt.frontier(instance, method="exact", max_budget=7)
    for (budget, least), (following, _) in zip(frontier.bounds, [*frontier.bounds[1:], (7, 0)], strict=True):
        between = (budget + following) / 2
        assert bt.optimal(instance, budget=between).errors == least
    open_points = [replace(point, proven=False, lower_bound=0) for point in frontier.points[3:]]
    mixed = replace(frontier, points=(*frontier.points[:3], *open_points), n_searched=3)
    assert [errors for _, errors in mixed.bounds[:4]] == [frontier[0].errors, frontier[1].errors, 0, 0]
    early = replace(frontier, complete=False, n_searched=len(frontier) - 1)
    assert early.bounds[:-2] == frontier.bounds[:-2]
    assert early.bounds[-2:] == ((frontier[-2].max_cost, frontier[-1].errors), frontier.bounds[-1])
    greedy = bt.frontier(bt.datasets.load("pima"), method="greedy")
    assert {errors for _, errors in greedy.bounds} == {0}


@pytest.mark.parametrize("wrong", [None, "tree", 3])
def test_what_cannot_be_drawn_is_named(wrong: Any) -> None:
    with pytest.raises(ValueError, match="tree: expected a Tree, but got"):
        bt.plot_tree(wrong)
    with pytest.raises(ValueError, match="frontier: expected a Frontier, but got"):
        bt.plot_frontier(wrong)


def test_colours_differ_for_as_many_classes_as_there_are() -> None:
    for n_classes in (1, 2, 7, 8, 19, 60):
        assert len(set(class_colours(n_classes))) == n_classes


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
