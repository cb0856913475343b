"""Optimal trees under rules, as users get them: the least loss of brute force, and no case ever breaks a rule."""

from __future__ import annotations

from random import Random

import pytest

import budgetree as bt
from budgetree.errors import SettingError
from reference_rules import combinations_of_rules, draw_problem, least_losses
from ruled import instance_of, judge_tree

pytestmark = pytest.mark.filterwarnings("ignore:prices. no path can buy")
COMBINATIONS = list(combinations_of_rules())


@pytest.mark.parametrize("n_resources", [1, 2, 4])
def test_optimal_trees_under_rules_are_those_of_brute_force(n_resources: int) -> None:
    for kinds in COMBINATIONS:
        random = Random(f"optimal {kinds} {n_resources}")
        problem = draw_problem(random, kinds, n_resources)
        instance, budget = instance_of(problem), random.randint(2, 14)
        least = least_losses(problem, budget)[budget]
        if least is None:
            with pytest.raises(SettingError):
                bt.optimal(instance, budget=budget)
            continue
        found = bt.optimal(instance, budget=budget)
        assert found.proven, kinds
        assert judge_tree(problem, found.tree, budget) == found.tree.exact_loss == least, kinds


@pytest.mark.parametrize("n_resources", [1, 2])
def test_frontiers_under_rules_have_a_point_wherever_brute_force_drops(n_resources: int) -> None:
    for kinds in COMBINATIONS[::3]:
        problem = draw_problem(Random(f"frontier {kinds} {n_resources}"), kinds, n_resources)
        expected = least_losses(problem, 20)
        if expected[-1] is None:
            continue
        points = bt.frontier(instance_of(problem), objective="known", folds=0, max_budget=20)
        drops = [b for b, loss in enumerate(expected) if loss is not None and (b == 0 or loss != expected[b - 1])]
        assert [point.max_cost for point in points] == drops, kinds
        for point in points:
            assert judge_tree(problem, point.tree, point.max_cost) == expected[point.max_cost], kinds
