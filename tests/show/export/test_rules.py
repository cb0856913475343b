"""Rules: they divide the known cases, say their costs, and read well."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
import reference
from support import to_instance

import budgetree as bt
from budgetree.services.words import show_number
from built_trees import confident_tree, points_tree, random_tree
from exported import deep_tree
from losing import losing_tree


@pytest.mark.parametrize("seed", range(30))
def test_the_rules_divide_the_known_cases_and_tell_their_costs(seed: int) -> None:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    tree = bt.grow(instance, budget=random.Random(seed).choice([None, 3]))
    rules = tree.rules()
    assert sum(rule.cases for rule in rules) == pytest.approx(instance.weights.sum())
    assert sum(rule.errors for rule in rules) == pytest.approx(tree.errors)
    assert max(rule.cost for rule in rules) == tree.known_max_cost
    walk = tree.walk_codes(instance.codes)
    predicted, cost = tree.schema.answers[walk.answers], walk.cost
    for row in np.flatnonzero(instance.weights):  # an object of weight 0 is as good as absent
        shown = {
            name: instance.outcome_names[test][instance.codes[row, test]]
            for test, name in enumerate(instance.test_names)
        }
        fitting = [r for r in rules if all(shown[test] in outcomes for test, outcomes in r.conditions)]
        assert len(fitting) == 1
        assert fitting[0].label == predicted[row]
        assert fitting[0].cost >= cost[row] - 1e-9


def test_rules_read_well() -> None:
    tree = bt.optimal(bt.datasets.load("pima"), budget=1).tree
    assert tree.export("rules").splitlines() == [
        "if age is 21.0 to 37.7 or 57.7 to 81.0 then neg  [costs 1; right for 400 of 560]",
        "if age is 37.7 to 57.7 then pos  [costs 1; right for 107 of 193]",
    ]
    leaf = bt.grow(bt.datasets.load("pima"), budget=0)
    assert leaf.export("rules") == "always neg  [costs 0; right for 486 of 753]"


def test_texts_that_look_like_ranges_are_not_joined() -> None:
    known = pd.DataFrame({"a": ["1 to 2", "2 to 5", "x"], "y": [0, 0, 1]})
    rules = bt.grow(bt.Instance.from_frame(known, "y", duplicates="keep")).rules()
    assert rules[0].conditions == (("a", ("1 to 2", "2 to 5")),)


def test_a_deep_tree_has_a_rule_per_leaf() -> None:
    assert len(deep_tree(1500).rules()) == 1501


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_rules_say_what_the_answers_lose(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    rules = tree.rules()
    assert sum(rule.loss or 0 for rule in rules) == pytest.approx(tree.loss)
    assert sum(rule.errors for rule in rules) == tree.errors
    if leaves != "model":
        assert sum(rule.cases for rule in rules if not rule.is_class) == tree.referred
        assert {rule.label for rule in rules if not rule.is_class} == {"refer", "wait"}
        referring = next(rule for rule in rules if rule.label == "refer" and rule.cases > 1)
        ending = f"{show_number(referring.cases)} cases, loss {show_number(referring.loss or 0)}]"
        assert any(
            " then refer  [costs " in line and line.endswith(ending) for line in tree.export("rules").splitlines()
        )


@pytest.mark.parametrize("seed", range(60))
def test_rules_of_any_tree_divide_the_known_cases(seed: int) -> None:
    tree, cases = random_tree(seed)
    rules = tree.rules()
    assert sum(rule.cases for rule in rules) == cases.weights.sum()
    assert sum(rule.errors for rule in rules) == tree.errors
    if cases.schema.losses is not None:
        assert sum(rule.loss or 0 for rule in rules) == pytest.approx(tree.loss)
    tree.export("rules")


def test_rules_speak_of_points_and_of_sure_models() -> None:
    assert points_tree().export("rules").splitlines()[:3] == [
        "if points of colour + grade is 1 point or fewer or 7 points or more then ill  [costs 5; right for 16 of 28]",
        "if points of colour + grade is 2 to 6 points then by points of colour + grade: 2 points or fewer ill, "
        "3 to 4 points well, 5 points or more worse  [costs 7; right for 47 of 122]",
        "points of colour + grade:",
    ]
    first = confident_tree().rules()[0]
    assert (first.confidence, first.by) == (0.8, "the model of age")
    assert str(first) == "if the model is 80% sure then by the model of age  [costs 1; right for 8 of 30]"
