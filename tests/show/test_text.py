"""A tree as text: tests and prices, outcomes, running cost, counts; folded where asked."""

from __future__ import annotations

import pytest

import budgetree as bt
from losing import losing_tree


def test_the_text_shows_test_price_outcome_running_cost_and_counts() -> None:
    prices = bt.Prices({"a": 1.5, "b": {"low": 1, "high": 2}}, shared={"draw": (0.25, ["b"])})
    instance = bt.Instance(
        [[0, 0], [0, 1], [1, 0], [1, 1]],
        ["well", "ill", "well", "well"],
        prices=prices,
        test_names=["a", "b"],
        outcome_names=[["no", "yes"], ["low", "high"]],
    )
    assert bt.grow(instance).to_text().splitlines() == [
        "4 cases, 3 leaves; worst case 3.75, mean 2.375; 0 errors (0.0%)",
        "a? costs 1.5  [ill 1, well 3]",
        "├─ no: b? costs 1.25 to 2.25 with 0.25 for draw, spent 1.5  [ill 1, well 1]",
        "│  ├─ low: → well, spent 2.75  [well 1]",
        "│  └─ high: → ill, spent 3.75  [ill 1]",
        "└─ yes: → well, spent 1.5  [well 2]",
    ]


@pytest.mark.parametrize("tree", [bt.grow(bt.datasets.load("pima"), budget=0), bt.grow(bt.Instance([[0]], ["x"]))])
def test_a_single_leaf_has_a_text(tree: bt.Tree) -> None:
    assert tree.to_text().splitlines()[1].startswith("→ ")
    assert tree.to_text(max_depth=0) == tree.to_text()


def test_folding_the_text_says_so() -> None:
    text = bt.grow(bt.datasets.load("house_votes")).to_text(max_depth=1)
    assert "→ …" in text
    assert len(text.splitlines()) < 7


def test_one_is_singular() -> None:
    leaf = bt.grow(bt.Instance([[0]], ["x"]))
    assert leaf.summary() == "1 case, 1 leaf; worst case 0, mean 0; 0 errors (0.0%)"


@pytest.mark.parametrize("leaves", [None, "count"])
def test_an_answer_that_is_no_class_is_named(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    arrows = {line.split("→ ")[1].split(",")[0] for line in tree.to_text().splitlines() if "→ " in line}
    assert arrows == {str(tree.answer_names[label]) for label in tree.nodes.label[tree.nodes.is_leaf]}
    assert arrows & {"refer", "wait"}


def test_answers_by_class_follow_on_request() -> None:
    tree = losing_tree(None)
    lines = tree.to_text(confusion=True).splitlines()
    assert lines[:-7] == tree.to_text().splitlines()
    assert lines[-7:-5] == ["answers by class:", "  answer  ill  well  worse"]


def test_of_many_classes_the_five_largest_are_listed() -> None:
    labels = [label for label in range(200) for _ in range(3 if label < 2 else 1)]
    instance = bt.Instance([[row % 2] for row in range(len(labels))], labels)
    first = bt.grow(instance, budget=0).to_text().splitlines()[1]
    assert first == "→ 0  [0 3, 1 3, 2 1, 3 1, 4 1 and 195 more]"
