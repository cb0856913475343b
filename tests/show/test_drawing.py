"""Drawings: nothing overlaps or leaves the paper, the costliest path is marked, large trees are folded."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest
import reference
from support import to_instance

import budgetree as bt
from budgetree.show.drawing import (
    GREYS,
    WORST,
    Box,
    Drawing,
    Stroke,
    Text,
    answer_colours,
    class_colours,
    text_width,
    tint,
)
from losing import losing_tree


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


def test_of_folded_parts_the_one_is_marked_that_costs_a_known_case_most() -> None:
    prices = {"a": 1, "b": {"0": 1, "1": 1, "2": 9}, "c": 3}
    codes = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1], [2, 2, 0]]
    tree = bt.grow(bt.Instance(codes, ["u", "v", "x", "y", "z"], prices=prices, test_names=["a", "b", "c"]))
    drawing = tree.draw(max_depth=1)
    assert "dark red: the costliest path, 4" in "".join(s.text for s in drawing.shapes if isinstance(s, Text))
    strokes = sorted((shape for shape in drawing.shapes if isinstance(shape, Stroke)), key=lambda s: s.points[-1][1])
    # After a = 0 comes b, which would cost 9 where it shows what no known case shows there; after a = 1 comes c.
    assert [stroke.colour == WORST for stroke in strokes] == [False, True, False]


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


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_an_answer_that_is_no_class_is_drawn_with_the_cases_that_get_it(leaves: str | None) -> None:
    texts = [shape.text for shape in losing_tree(leaves).draw().shapes if isinstance(shape, Text)]
    if leaves == "model":
        assert not {"refer", "wait"} & set(texts)  # a model answers case by case
    else:
        position = next(number for number, text in enumerate(texts) if text in ("refer", "wait"))
        assert texts[position + 1].isdigit()


def test_an_svg_is_xml_and_names_are_not_markup() -> None:
    name = "<script>x</script> & \x00\n"
    tree = bt.grow(bt.Instance([[0], [1]], ["<b>", '"&'], test_names=[name]))
    root = ElementTree.fromstring(tree.to_svg())
    assert len(list(root.iter("{http://www.w3.org/2000/svg}title"))) == 3  # the long story of each box
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert r"<script>x</script> & \x00\n" in "".join(text or "" for text in texts)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_a_notebook_draws_the_tree() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    html = tree._repr_html_()
    assert html.startswith("<div")
    assert html.count("<rect") > 10
    assert "glucose" in html or "age" in html


def test_colours_differ_for_as_many_classes_as_there_are() -> None:
    for n_classes in (1, 2, 7, 8, 19, 60):
        assert len(set(class_colours(n_classes))) == n_classes


def test_a_tint_is_the_colour_mixed_with_white() -> None:
    assert tint("#000000", 0.2) == "#CCCCCC"
    assert tint("#0072B2", 1) == "#0072B2"


def test_answers_that_are_no_class_are_grey() -> None:
    assert answer_colours(2, 2) == class_colours(2)
    assert answer_colours(2, 6) == (*class_colours(2), *GREYS, GREYS[0])
