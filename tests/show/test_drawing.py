"""Drawings: nothing overlaps or leaves the paper, the costliest path is marked, large trees are folded."""

from __future__ import annotations

import random
import re
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
    sheets,
    text_width,
    tint,
)
from budgetree.show.stages import stage_records
from built_trees import random_tree
from losing import losing_tree


def spans(drawing: Drawing) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of what must not overlap: the frames of stages; texts, which lie in frames and chips."""
    frames = [shape for shape in drawing.shapes if isinstance(shape, Box) and shape.fill == "#FFFFFF"]
    return [(box.x, box.y, box.x + box.width, box.y + box.height) for box in frames]


def texts_of(drawing: Drawing) -> list[tuple[float, float, float, float]]:
    found = []
    for shape in drawing.shapes:
        if isinstance(shape, Text):
            width = text_width(shape.text, shape.size, shape.bold)
            left = shape.x - (width if shape.anchor == "end" else 0)
            found.append((left, shape.y - shape.size / 2, left + width, shape.y + shape.size / 2))
    return found


def check_layout(drawing: Drawing) -> None:
    """Nothing leaves the paper; no two frames and no two texts overlap; chips lie in a frame and hold their text."""
    chips = [shape for shape in drawing.shapes if isinstance(shape, Box) and shape.fill != "#FFFFFF"]
    for places in (spans(drawing), texts_of(drawing)):
        for index, (left, top, right, bottom) in enumerate(places):
            assert left >= 0
            assert top >= 0
            assert right <= drawing.width + 1e-6
            assert bottom <= drawing.height + 1e-6
            for other in places[index + 1 :]:
                apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                assert apart, (places[index], other)
    for chip in chips:
        inside = [
            place
            for place in texts_of(drawing)
            if chip.y <= (place[1] + place[3]) / 2 <= chip.y + chip.height and chip.x <= place[0] <= chip.x + chip.width
        ]
        assert inside
        assert all(right <= chip.x + chip.width + 1e-6 for _, _, right, _ in inside)
        frames = spans(drawing)
        assert not frames or any(a <= chip.x and chip.x + chip.width <= c + 1e-6 for a, _, c, _ in frames)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_overlaps_or_leaves_the_paper(seed: int) -> None:
    tree = bt.grow(to_instance(reference.random_problem(random.Random(seed))))
    check_layout(tree.draw(max_leaves=random.Random(seed).choice([1, 5, 40])))
    tree, _ = random_tree(seed)
    check_layout(tree.draw())
    for page in sheets(tree, "A title", ["a note"]):
        check_layout(page)


def endings(drawing: Drawing) -> list[Stroke]:
    """The lines that lead from a result to an answer or to the next stage, from top to bottom."""
    return [shape for shape in drawing.shapes if isinstance(shape, Stroke) and shape.width in (0.8, 1.6)]


def test_the_costliest_path_is_marked_from_the_root_to_its_leaf() -> None:
    prices = {"a": 1, "b": 5, "c": 2}
    codes = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]]
    tree = bt.grow(bt.Instance(codes, ["u", "v", "x", "y"], prices=prices, test_names=["a", "b", "c"]))
    drawing = tree.draw()
    red = [stroke for stroke in endings(drawing) if stroke.colour == WORST]
    texts = [shape.text for shape in drawing.shapes if isinstance(shape, Text) and shape.colour == WORST]
    assert texts == ["costs 1", "costs 5, 6 in all; 50% of the cases"]
    assert len(red) == 2
    assert len(endings(drawing)) == 6
    lines = [shape for shape in drawing.shapes if isinstance(shape, Stroke) and len(shape.points) == 3]
    assert [line.colour == WORST for line in lines] == [True, False]  # from the first stage to the two that follow


def test_of_equal_paths_the_one_most_cases_take_is_marked() -> None:
    tree = bt.grow(bt.Instance([[0], [1], [1], [1], [2]], ["u", "v", "v", "v", "w"]))
    assert [stroke.colour == WORST for stroke in endings(tree.draw())] == [False, True, False]


def test_a_folded_part_may_hold_the_costliest_path() -> None:
    prices = {"a": 1, "b": 2, "c": 50}
    codes = [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]]
    tree = bt.grow(bt.Instance(codes, list("uvuvxy"), prices=prices, test_names=["a", "b", "c"]))
    assert tree.test_names[tree.nodes.test[0]] == "a"
    drawing = tree.draw(max_depth=1)
    assert endings(drawing)[-1].colour == WORST  # a = 1 leads to the test of price 50, which is not drawn


def test_of_folded_parts_the_one_is_marked_that_costs_a_known_case_most() -> None:
    prices = {"a": 1, "b": {"0": 1, "1": 1, "2": 9}, "c": 3}
    codes = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1], [2, 2, 0]]
    tree = bt.grow(bt.Instance(codes, ["u", "v", "x", "y", "z"], prices=prices, test_names=["a", "b", "c"]))
    drawing = tree.draw(max_depth=1)
    assert "red: the costliest path, 4" in "".join(s.text for s in drawing.shapes if isinstance(s, Text))
    # After a = 0 comes b, which would cost 9 where it shows what no known case shows there; after a = 1 comes c.
    assert [stroke.colour == WORST for stroke in endings(drawing)] == [False, True, False]


def test_long_names_keep_both_ends() -> None:
    names = [f"a class with a really long name, number {i}" for i in range(3)]
    tree = bt.grow(bt.Instance([[0], [1], [2]], names))
    shown = [shape.text for shape in tree.draw().shapes if isinstance(shape, Text) and "…" in shape.text]
    assert len(set(shown)) == 3


def test_wide_letters_get_room() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["炎症" * 6, "健康" * 6], test_names=["血液検査"]))
    chips = [shape for shape in tree.draw().shapes if isinstance(shape, Box) and shape.fill != "#FFFFFF"]
    assert min(chip.width for chip in chips) > 12 * 9


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
    assert any("parts not shown" in text for text in texts)
    shallow = tree.draw(max_depth=1, max_leaves=100)
    assert sum(isinstance(shape, Box) for shape in shallow.shapes) == 1 + len(tree.outline.branches((0,)))


def shown(drawing: Drawing) -> str:
    return " ".join(shape.text for shape in drawing.shapes if isinstance(shape, Text))


def test_a_figure_fits_a_column_in_letters_that_can_be_read() -> None:
    for name in ("pima", "soybean", "house_votes"):
        drawing = bt.grow(bt.datasets.load(name)).draw()
        assert drawing.width <= 180 / 25.4 * 72
        assert min(shape.size for shape in drawing.shapes if isinstance(shape, Text)) >= 7


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_pathway_of_a_few_stages_is_one_sheet_with_every_test_threshold_and_answer(paper: str) -> None:
    tree = bt.fit(bt.datasets.load("pima"), budget=22, leaves="points").tree
    (page,) = sheets(tree, "Diabetes", ["at most 22"], paper=paper)
    text = shown(page)
    records = stage_records(tree)
    assert len(records) >= 1
    for record in records:
        for test in record.tests:
            assert tree.test_names[test.test] in text
            assert all(f"{points}" in text for _, points in test.groups)
            assert all(name in text for names, _ in test.groups for name in names)
        for ending in record.endings:
            assert " | ".join(ending.names) in text
            assert (f"go to {ending.goes_to}" if ending.answer is None else tree.class_names[ending.answer]) in text
    assert "…" not in text
    check_layout(page)


def test_a_large_pathway_takes_several_sheets_with_numbered_boxes() -> None:
    tree = bt.grow(bt.datasets.load("soybean"))
    pages = sheets(tree, "Soybean")
    n_stages = len(stage_records(tree))
    assert len(pages) > 1
    boxes = [box for page in pages for box in page.shapes if isinstance(box, Box) and box.fill == "#FFFFFF"]
    assert len(boxes) == n_stages
    text = " ".join(map(shown, pages))
    assert all(f"go to {number}" in text for number in range(2, n_stages + 1))
    for page in pages:
        check_layout(page)


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
        assert re.fullmatch(r"<?\d+%: [\d.]+ cases?", texts[position + 1])


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
    assert "prefers-color-scheme:dark" in html


@pytest.mark.parametrize("name", ["soybean", "pima", "dna"])
def test_a_notebook_has_less_than_60_kilobytes_and_loads_nothing(name: str) -> None:
    html = bt.grow(bt.datasets.load(name))._repr_html_()
    assert len(html.encode()) < 60_000
    assert "<svg" in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")


def test_colours_differ_for_as_many_classes_as_there_are() -> None:
    for n_classes in (1, 2, 7, 8, 19, 60):
        assert len(set(class_colours(n_classes))) == n_classes


def test_a_tint_is_the_colour_mixed_with_white() -> None:
    assert tint("#000000", 0.2) == "#CCCCCC"
    assert tint("#0072B2", 1) == "#0072B2"


def test_answers_that_are_no_class_are_grey() -> None:
    assert answer_colours(2, 2) == class_colours(2)
    assert answer_colours(2, 6) == (*class_colours(2), *GREYS, GREYS[0])
