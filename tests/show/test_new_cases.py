"""Trees for new cases as people read them: purchases, free branches, grouped levels, models."""

from __future__ import annotations

import numpy as np
import pytest

from budgetree.data.encoders import FineLevels
from budgetree.show.text import share_words
from budgetree.tree import Model
from new_cases import new_frame, new_tree

KINDS = [("model", 0.8), ("model", 1.0), ("tree", None)]


@pytest.mark.parametrize(("leaves", "confidence"), KINDS)
def test_purchases_read_as_one(leaves: str, confidence: float | None) -> None:
    tree = new_tree(leaves, confidence)
    lines = tree.to_text().splitlines()
    assert ("80% sure: → by the model" in tree.to_text()) == (confidence == 0.8)
    bought = [number for number, line in enumerate(lines) if "buy " in line]
    assert bool(bought) == (leaves == "model")  # a plain tree branches at once on what it buys
    for number in bought:
        assert "─ " in lines[number + 1]
        assert " buy " not in lines[number + 1] or "less sure: " in lines[number + 1]
    if bought:
        assert "dose" in tree.to_text()
        assert "dose" in tree.export("dot")
        assert "dose" in tree.to_svg()


def test_a_model_leaf_names_its_tests_and_how_often_it_gives_each_answer() -> None:
    tree = new_tree("model", 1.0)
    walk = tree.walk(new_frame(5))
    for leaf in set(walk.leaf.tolist()):
        model = tree.nodes.scored(leaf)
        assert isinstance(model, Model)
        names = " + ".join(tree.test_names[test] for test in model.tests)
        given = np.bincount(walk.answers[walk.leaf == leaf], minlength=3)
        said = [
            f"{share_words(given[label] / given.sum())} {tree.class_names[label]}"
            for label in np.argsort(-given, kind="stable")
            if given[label]
        ]
        assert f"by the model of {names}: {', '.join(said)}" in tree.to_text()
        assert f"by the model of {names}" in tree.export("rules")


def test_rules_name_no_purchase_and_count_everyone_once() -> None:
    for leaves, confidence in KINDS:
        tree = new_tree(leaves, confidence)
        rules = tree.rules()
        assert sum(rule.cases for rule in rules) == tree.n_objects
        assert not any(" is then" in str(rule) for rule in rules)
        assert any(rule.confidence == 0.8 for rule in rules) == (confidence == 0.8)
    plain = new_tree("tree", None)
    assert sum(rule.errors for rule in plain.rules()) == plain.errors


def test_neighbouring_levels_are_one_range() -> None:
    tree = new_tree("tree", None)
    branches = [branch for visit in tree.outline.walk() if (branch := visit.branch) is not None]
    assert all(len(branch.names) <= 4 for branch in branches)
    assert any(name.startswith("below ") for branch in branches for name in branch.names)


@pytest.mark.parametrize(
    ("outcomes", "names"),
    [
        ([0], ["below 4.2"]),
        ([0, 1], ["below 5"]),
        ([1, 2], ["4.2 or more"]),
        ([0, 2, 3], ["below 4.2", "5 or more", "missing"]),
        ([0, 1, 2], ["any"]),
        ([3], ["missing"]),
    ],
)
def test_a_range_of_fine_levels_has_a_name(outcomes: list[int], names: list[str]) -> None:
    assert FineLevels("dose", (4.2, 5.0), (1.0, 4.5, 6.0), 1.0, 7.0, True).range_names(outcomes) == names
