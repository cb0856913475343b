"""The outline: outcomes with the same subtree share a branch, neighbouring levels are one name."""

from __future__ import annotations

import budgetree as bt


def test_leaves_that_predict_the_same_share_a_line() -> None:
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=[["x", "y", "z"]])
    assert "├─ x | y: → a, spent 1  [a 2]" in bt.grow(instance).to_text()


def test_neighbouring_ranges_are_joined() -> None:
    names = [["1 to 2", "2 to 5", "5 to 9", "missing"]]
    instance = bt.Instance([[0], [1], [2], [3]], ["a", "a", "b", "a"], outcome_names=names)
    assert "├─ 1 to 5 | missing: → a, spent 1  [a 3]" in bt.grow(instance).to_text()


def test_categories_that_look_like_ranges_stay_apart() -> None:
    names = [["home to work", "work to gym", "gym to home"]]
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=names)
    assert "home to work | work to gym" in bt.grow(instance).to_text()


def test_the_groups_are_the_branches_as_plain_data() -> None:
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=[["x", "y", "z"]])
    assert bt.grow(instance).outline.groups() == [
        {
            "nodes": [0],
            "branches": [
                {"outcomes": [0, 1], "names": ["x", "y"], "below": 1},
                {"outcomes": [2], "names": ["z"], "below": 2},
            ],
        },
        {"nodes": [1, 2]},
        {"nodes": [3]},
    ]


def test_a_walk_enters_and_leaves_every_group_once() -> None:
    tree = bt.grow(bt.datasets.load("soybean"))
    visits = list(tree.outline.walk())
    inner = [group["nodes"][0] for group in tree.outline.groups() if "branches" in group]
    assert sorted(visit.group[0] for visit in visits if visit.kind == "leave") == sorted(inner)
    assert sum(visit.kind == "enter" for visit in visits) == len(tree.outline.groups())
    assert sum(visit.kind == "branch" for visit in visits) == len(tree.outline.groups()) - 1
