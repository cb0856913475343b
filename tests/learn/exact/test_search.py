"""Search: the fewest errors by exhaustion, answers that hold as far as they say, and one tree for one budget."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import Problem, random_problem
from support import to_instance

import budgetree as bt
from _support.reference_search import ReferenceSearch
from budgetree import _core
from budgetree.learn.exact.search import ALL_TESTS, NEVER, Layout, Pass, Search
from budgetree.services.clock import Clock
from budgetree.tree import Nodes, Origin
from budgetree.tree.builder import grown_tree
from reference_exact import fewest_errors_by_enumeration, optimal_frontier

FOREVER = Clock(None)


def search_of(layout: Layout, cache_bytes: int = 2**24) -> Search:
    return Search(layout, cache_bytes, threads=1)


def answer(search: Search, budget: int, cutoff: int = NEVER, **settings: Any) -> _core.Answer:
    found = search.search(budget, cutoff, FOREVER, **settings)
    assert found is not None
    return found


def canonical(search: Search, budget: int) -> Nodes:
    nodes = search.tree(budget, FOREVER, is_canonical=True)
    assert nodes is not None
    return nodes


def losses_of_leaves(nodes: Nodes) -> int:
    leaves = nodes.counts[nodes.is_leaf]
    return int(leaves.sum() - leaves.max(axis=1).sum())


def binary_problem(seed: int) -> Problem:
    problem = random_problem(random.Random(seed), max_outcomes=2, max_objects=14)
    return replace(problem, weights=tuple(Fraction(1) for _ in problem.weights))


def random_table(seed: int, *, outcomes: int, n_cases: int = 30, n_tests: int = 6) -> bt.Instance:
    """A table with fees and prices by outcome, and with weights where the seed is odd."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, outcomes, (n_cases, n_tests))
    labels = (codes[:, :3].sum(axis=1) + (rng.random(n_cases) < 0.3)) % 3
    tests = {str(t): {str(i): int(rng.integers(0, 6)) for i in range(outcomes)} for t in range(n_tests)}
    return bt.Instance(
        codes,
        labels,
        prices=bt.Prices(tests, shared={"fee": (2, ["0", "3"]), "other": (1, ["1", "3", "4"])}),
        weights=rng.integers(1, 5, n_cases) if seed % 2 else None,
        outcome_names=[[str(i) for i in range(outcomes)]] * n_tests,
    )


@pytest.mark.parametrize("make", [lambda seed: random_problem(random.Random(seed)), binary_problem])
@pytest.mark.parametrize("chunk", range(5))
def test_the_frontier_is_the_one_found_by_exhaustion(make: Any, chunk: int) -> None:
    for seed in range(chunk * 20, chunk * 20 + 20):
        problem = make(seed)
        instance = to_instance(problem)
        search = search_of(Layout(instance, 10**6))
        scale, weight_scale = instance.schema.costs.scale, instance.schema.weight_scale
        points: list[tuple[Fraction, Fraction]] = []
        budget = 0
        while budget < NEVER:
            found = answer(search, budget)
            assert found.changes > budget
            errors = Fraction(found.value) / weight_scale
            if not points or errors < points[-1][1]:
                points.append((budget / scale, errors))
                tree = grown_tree(instance.schema, canonical(search, budget), instance.n_objects, Origin())
                assert Fraction(str(tree.errors)) == errors
                assert Fraction(str(tree.max_cost)) == budget / scale
            budget = found.changes
        assert points == optimal_frontier(problem)


def test_one_budget_asked_alone_has_the_errors_of_every_tree_enumerated() -> None:
    for seed in range(60):
        problem = random_problem(random.Random(seed), max_tests=4)
        instance = to_instance(problem)
        budget = Fraction(random.Random(seed).randrange(0, 80), 10)
        found = answer(search_of(Layout(instance, 10**6)), instance.schema.costs.budget_units(budget))
        assert Fraction(found.value) / instance.schema.weight_scale == fewest_errors_by_enumeration(problem, budget)


@pytest.mark.parametrize("outcomes", [2, 3])
def test_an_answer_holds_below_the_budget_at_which_it_changes(outcomes: int) -> None:
    for seed in range(6):
        layout = Layout(random_table(seed, outcomes=outcomes), 14)
        assert layout.is_binary == (outcomes == 2 and seed % 2 == 0)
        reference = ReferenceSearch(layout)
        fewest = [reference.fewest(budget) for budget in range(15)]
        rng = random.Random(seed)
        search = search_of(layout)
        for _ in range(40):
            budget, cutoff = rng.randrange(15), rng.choice([NEVER, fewest[rng.randrange(15)] + rng.randrange(2)])
            found = answer(search, budget, cutoff)
            assert found.value == fewest[budget] if fewest[budget] < cutoff else cutoff <= found.value <= fewest[budget]
            for later in range(budget, min(found.changes, 15)):
                assert fewest[later] >= min(found.value, cutoff)
            if found.value < cutoff:
                assert found.need <= budget
                assert fewest[found.need] == found.value


def test_a_bound_that_is_met_early_says_nothing_of_the_tests_not_tried() -> None:
    """As the budget grows here, a set meets with an early test the bound that smaller cutoffs have proven of it."""
    layout = Layout(random_table(183, outcomes=3), 10)
    search = search_of(layout)
    assert [answer(search, budget).value for budget in range(11)][-1] == ReferenceSearch(layout).fewest(10) == 3


@pytest.mark.parametrize("outcomes", [2, 3])
def test_a_first_test_leaves_out_the_trees_that_begin_with_another(outcomes: int) -> None:
    for seed in range(6):
        layout = Layout(random_table(seed, outcomes=outcomes), 9)
        search = search_of(layout)
        reference = ReferenceSearch(layout)
        fewest = answer(search, 9)
        assert answer(search, 9, only=fewest.test).value == fewest.value == reference.fewest(9)
        for test in range(layout.n_tests):
            found, expected = answer(search, 9, only=test).value, reference.fewest_after(9, test)
            if expected is None or expected >= layout.leaf_loss:
                assert found >= layout.leaf_loss
                continue
            assert found == expected
            nodes = search.tree(9, FOREVER, first_test=test)
            assert nodes is not None
            assert nodes.test[0] == layout.by_price[test]
            assert losses_of_leaves(nodes) == found


@pytest.mark.parametrize("outcomes", [2, 3])
def test_a_narrow_search_finds_trees_and_proves_nothing(outcomes: int) -> None:
    worse = 0
    for seed in range(4):
        layout = Layout(random_table(seed, outcomes=outcomes), 12)
        reference = ReferenceSearch(layout)
        fewest = [reference.fewest(budget) for budget in range(13)]
        search = search_of(layout)
        for breadth in (1, 2):
            for budget in range(13):
                found = answer(search, budget, by=Pass(breadth)).value
                assert found >= fewest[budget]
                worse += found > fewest[budget]
                nodes = search.tree(budget, FOREVER, by=Pass(breadth))
                assert nodes is not None
                assert losses_of_leaves(nodes) <= found
        assert [answer(search, budget).value for budget in range(13)] == fewest
    assert worse > 5


@pytest.mark.parametrize("outcomes", [2, 3])
@pytest.mark.parametrize("cache_bytes", [0, 5_000, 2**24])
@pytest.mark.parametrize("min_cases", [1, 3])
def test_the_canonical_tree_is_the_one_defined_whatever_was_searched_before(
    outcomes: int, cache_bytes: int, min_cases: int
) -> None:
    for seed in range(4):
        layout = Layout(random_table(seed, outcomes=outcomes, n_tests=5), 12, min_cases)
        reference, search = ReferenceSearch(layout), search_of(layout, cache_bytes)
        rng = random.Random(seed)
        for _ in range(10):
            by = Pass(rng.choice([1, 3, ALL_TESTS]), is_wide_first=rng.random() < 0.5)
            search.search(rng.randrange(13), rng.randrange(1, 30), Clock(0.001), by=by)
            budget = rng.randrange(13)
            assert canonical(search, budget) == reference.canonical(budget)


def test_the_canonical_tree_with_losses_is_the_one_defined() -> None:
    for seed in range(6):
        instance = random_table(seed, outcomes=2 + seed % 2, n_tests=5).with_losses(bt.Losses({0: 3, 1: {2: 5}}))
        layout = Layout(instance, 12)
        reference, search = ReferenceSearch(layout), search_of(layout)
        for budget in range(0, 13, 2):
            assert answer(search, budget).value == reference.fewest(budget)
            assert canonical(search, budget) == reference.canonical(budget)


def test_large_weights_and_prices_are_exact() -> None:
    weights, prices = [2**40 + 1, 2**40, 2**40 - 1, 3], {"0": 2**35, "1": 2**35 + 1}
    instance = bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], weights=weights, prices=prices)
    search = search_of(Layout(instance, 2**37))
    assert [answer(search, budget).value for budget in (2**35, 2**36, 2**36 + 1)] == [2**40 + 3, 2**40 + 2, 0]


def test_a_path_of_many_tests_fits_on_the_stack() -> None:
    """Each test tells one case from the others, and only all of them together tell the classes apart."""
    n = 300
    instance = bt.Instance(np.eye(n, dtype=np.uint8), np.arange(n) % 2)
    search = search_of(Layout(instance, n))
    assert answer(search, n, by=Pass(1)).value == 0
