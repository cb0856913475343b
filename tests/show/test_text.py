"""A tree as text: tests and prices, outcomes, running cost, counts; folded where asked."""

from __future__ import annotations

import pytest

import budgetree as bt
from budgetree.services.words import counted, show_number
from budgetree.show.text import MAX_PAIRS, chart_notes, confusion_lines, confusion_table, loss_words
from budgetree.tree import Confusion
from built_trees import points_tree
from losing import losing_tree
from new_cases import new_tree


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


@pytest.mark.parametrize("leaves", [None, "tree"])
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


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_loss_is_said_with_the_errors_and_referrals_that_make_it(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    words = f"loss {show_number(tree.loss)} ({counted(tree.errors, 'error')}, {tree.referred} referred)"
    assert loss_words(tree, has_losses=True) == words
    assert tree.summary().endswith(f"; {words}")
    assert loss_words(losing_tree(None), has_losses=True) == "loss 26.5 (2 errors, 63 referred)"


def test_without_losses_only_errors_are_said() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    assert loss_words(tree, has_losses=False) == f"{tree.errors} errors"


def test_referrals_are_said_where_there_are_any() -> None:
    tree = bt.grow(bt.Instance([[0], [0], [1]], ["a", "b", "b"], losses=bt.Losses({"a": 3})))
    assert loss_words(tree, has_losses=True) == "loss 1 (1 error)"


SMALL = Confusion(("well", "ill", "refer"), ("well", "ill"), ((340, 3), (7, 180), (10, 29.5)))


def test_answers_are_rows_and_classes_columns() -> None:
    assert confusion_table(SMALL).head == ("answer", "well", "ill")
    assert confusion_table(SMALL).rows[2] == ("refer", "10", "29.5")
    assert confusion_lines(SMALL) == [
        "answers by class:",
        "  answer  well   ill",
        "  well     340     3",
        "  ill        7   180",
        "  refer     10  29.5",
    ]


def test_of_many_classes_the_most_common_other_answers_are_listed() -> None:
    names = tuple(f"c{i}" for i in range(20))
    counts = tuple(tuple(i + 1 if j == (i + 1) % 20 else 50 * (i == j) for j in range(20)) for i in range(20))
    lines = confusion_lines(Confusion(names, names, counts))
    assert lines[:2] == ["the most common other answers:", "  c0 → c19: 20"]
    assert len(lines) == MAX_PAIRS + 2
    assert lines[-1] == "  and 8 more pairs with fewer cases"


def test_of_many_classes_that_are_all_right_nothing_is_listed() -> None:
    names = tuple(range(9))
    counts = tuple(tuple(int(i == j) for j in range(9)) for i in range(9))
    assert confusion_lines(Confusion(names, names, counts)) == []


def test_a_name_stays_on_its_line() -> None:
    odd = Confusion(("a\nb", "c"), ("a\nb", "c"), ((1, 0), (0, 1)))
    assert confusion_lines(odd)[1:3] == [r"  answer  a\nb  c", r"  a\nb       1  0"]


def test_paper_says_which_chances_are_not_added_up_by_hand() -> None:
    assert "not by hand: use budgetree ask, or the report page." in chart_notes(new_tree("model"))[-1]
    assert "by hand" not in " ".join(chart_notes(points_tree()))


def test_paper_says_what_a_miss_and_a_false_alarm_count() -> None:
    costs = {"a": {"b": 5}, "b": {"a": 2}}
    tree = bt.grow(bt.Instance([[0], [1], [1]], ["a", "b", "b"], losses=costs))
    assert chart_notes(tree)[0].endswith(" · a missed a counts 5, a false alarm 2")
