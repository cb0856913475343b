"""A tree as nested dictionaries."""

from __future__ import annotations

import budgetree as bt


def test_each_node_has_its_counts_its_class_and_its_branches() -> None:
    prices = {"a": 1, "b": 5}
    instance = bt.Instance([[0, 0], [0, 1], [2, 2]], ["x", "y", "y"], prices=prices, test_names=["a", "b"])
    below = {"0": {"counts": [1, 0], "label": "x"}, "1": {"counts": [0, 1], "label": "y"}}
    first = {"test": "b", "counts": [1, 1], "label": "x", "children": below}
    nested = bt.grow(instance, bt.HingedPairs(0)).to_dict()
    assert nested == {
        "test": "a",
        "counts": [1, 2],
        "label": "y",
        "children": {"0": first, "2": {"counts": [0, 1], "label": "y"}},
    }


def test_weights_that_are_not_whole_are_counted_as_they_came() -> None:
    tree = bt.grow(bt.Instance([[0], [1], [1]], ["x", "y", "y"], weights=[0.5, 0.25, 0.75]))
    assert tree.to_dict()["counts"] == [0.5, 1]
