"""The bound by the number of leaves never exceeds the cost of the cheapest tree, and codes reach it."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest
from reference import random_problem
from support import to_instance

import budgetree as bt
from budgetree.learn.exact.search import leaf_count_bound
from reference_exact import optimal_frontier


@pytest.mark.parametrize("seed", range(40))
def test_no_tree_with_so_few_errors_costs_less(seed: int) -> None:
    problem = random_problem(random.Random(seed))
    instance = to_instance(problem)
    for cost, errors in optimal_frontier(problem):
        assert leaf_count_bound(instance, errors) <= cost * instance.schema.costs.scale


@pytest.mark.parametrize(("n_faults", "questions"), [(1, 0), (2, 1), (128, 7), (129, 8), (200, 8), (256, 8)])
def test_faults_told_apart_by_yes_or_no(n_faults: int, questions: int) -> None:
    codes = [[fault >> bit & 1 for bit in range(9)] for fault in range(n_faults)]
    faults = bt.Instance(codes, list(range(n_faults)))
    assert leaf_count_bound(faults, Fraction(0)) == questions


def test_the_cheapest_tests_with_enough_outcomes_count() -> None:
    codes = list(itertools.product(range(2), range(3), range(4)))
    prices = bt.Prices({"two": 1, "three": {"0": 5, "1": 2.5, "2": 4}, "four": 3})
    cases = bt.Instance(codes, list(range(24)), prices=prices, test_names=["two", "three", "four"])
    bounds = {
        n: leaf_count_bound(cases, Fraction(24 - n)) / cases.schema.costs.scale
        for n in (1, 2, 3, 4, 5, 8, 9, 12, 13, 24)
    }
    expected = {1: 0, 2: 1, 3: 2.5, 4: 3, 5: 3.5, 8: 4, 9: 5.5, 12: 5.5, 13: 6.5, 24: 6.5}
    assert bounds == {n: Fraction(str(cost)) for n, cost in expected.items()}


def test_nothing_is_said_of_what_no_tree_can_do() -> None:
    assert leaf_count_bound(bt.Instance([[0], [1], [1]], [0, 1, 2]), Fraction(0)) == 0
