"""A tree as nested dictionaries."""

from __future__ import annotations

import json

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


def test_outcomes_that_share_a_subtree_have_it_once() -> None:
    """Each case finds the answer of its leaf, and the whole is small however many levels tests have."""
    boston = bt.datasets.load("boston")
    tree = bt.predictive(boston, budget=3, leaves="tree")
    nested, codes = tree.to_dict(), tree.encode(bt.datasets.frame("boston"))
    assert len(json.dumps(nested)) < 1e6
    for row, answer in zip(codes, tree.predict_codes(codes), strict=True):
        here = nested
        while "children" in here or "then" in here:
            if "then" in here:
                here = here["then"]
                continue
            place = tree.test_names.index(here.get("test") or here["branch"])
            outcome = tree.schema.outcome_names[place][row[place]]
            here = here["children"][here.get("same", {}).get(outcome, outcome)]
        assert here["label"] == answer
