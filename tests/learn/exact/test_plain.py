"""PlainSearch: the fewest errors by exhaustion, answers that hold as far as they say, and one tree for one budget."""

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
from budgetree.learn.exact.answer import ALL_TESTS, NEVER, Answer, Pass, TreeWanted
from budgetree.learn.exact.layout import Layout
from budgetree.learn.exact.plain import PlainSearch
from budgetree.services.clock import Clock
from reference_exact import fewest_errors_by_enumeration, optimal_frontier

FOREVER = Clock(None)


class Countdown(Clock):
    """A clock that is over after it was asked so many times."""

    def __init__(self, questions: int) -> None:
        super().__init__(None)
        self.questions = questions

    @property
    def is_over(self) -> bool:
        self.questions -= 1
        return self.questions < 0


def answer(search: PlainSearch, budget: int, cutoff: int = NEVER, **settings: Any) -> Answer:
    found = search.search(budget, cutoff, FOREVER, **settings)
    assert found is not None
    return found


def canonical(instance: bt.Instance, search: PlainSearch, budget: int) -> bt.Tree:
    nodes = search.tree(TreeWanted(budget, is_canonical=True), FOREVER)
    assert nodes is not None
    return bt.Tree(instance.schema, nodes, instance.n_objects)


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
        search = PlainSearch(Layout(instance, 10**6))
        scale, weight_scale = instance.schema.table.scale, instance.schema.weight_scale
        points: list[tuple[Fraction, Fraction]] = []
        budget = 0
        while budget < NEVER:
            found = answer(search, budget)
            assert found.changes > budget
            errors = Fraction(found.value) / weight_scale
            if not points or errors < points[-1][1]:
                points.append((budget / scale, errors))
                tree = canonical(instance, search, budget)
                assert Fraction(str(tree.errors)) == errors
                assert Fraction(str(tree.max_cost)) == budget / scale
            budget = found.changes
        assert points == optimal_frontier(problem)


def test_one_budget_asked_alone_has_the_errors_of_every_tree_enumerated() -> None:
    for seed in range(60):
        problem = random_problem(random.Random(seed), max_tests=4)
        instance = to_instance(problem)
        budget = Fraction(random.Random(seed).randrange(0, 80), 10)
        found = answer(PlainSearch(Layout(instance, 10**6)), instance.schema.table.budget_units(budget))
        assert Fraction(found.value) / instance.schema.weight_scale == fewest_errors_by_enumeration(problem, budget)


@pytest.mark.parametrize("outcomes", [2, 3])
def test_an_answer_holds_below_the_budget_at_which_it_changes(outcomes: int) -> None:
    for seed in range(6):
        layout = Layout(random_table(seed, outcomes=outcomes), 14)
        assert layout.is_binary == (outcomes == 2 and seed % 2 == 0)
        fewest = [answer(PlainSearch(layout), budget).value for budget in range(15)]
        rng = random.Random(seed)
        search = PlainSearch(layout)
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
    search = PlainSearch(layout)
    assert [answer(search, budget).value for budget in range(11)][-1] == answer(PlainSearch(layout), 10).value == 3


@pytest.mark.parametrize("outcomes", [2, 3])
def test_a_first_test_leaves_out_the_trees_that_begin_with_another(outcomes: int) -> None:
    for seed in range(6):
        layout = Layout(random_table(seed, outcomes=outcomes), 9)
        search = PlainSearch(layout)
        fewest = answer(search, 9)
        by_test = [answer(search, 9, only=test) for test in range(layout.n_tests)]
        assert min(found.value for found in by_test) == fewest.value
        assert by_test[fewest.test].value == fewest.value
        for test, found in enumerate(by_test):
            nodes = search.tree(TreeWanted(9, first_test=test), FOREVER) if found.value < layout.leaf_loss else None
            if nodes is not None:
                assert nodes.test[0] == layout.by_price[test]
                assert nodes.counts[nodes.is_leaf].sum() - nodes.counts[nodes.is_leaf].max(axis=1).sum() == found.value


@pytest.mark.parametrize("outcomes", [2, 3])
def test_a_stopped_search_leaves_nothing_false_behind(outcomes: int) -> None:
    stops = 0
    for seed in range(4):
        layout = Layout(random_table(seed, outcomes=outcomes), 12)
        fewest = [answer(PlainSearch(layout), budget).value for budget in range(13)]
        search = PlainSearch(layout)
        rng = random.Random(seed)
        for _ in range(30):
            stops += search.search(rng.randrange(13), NEVER, Countdown(rng.randrange(30))) is None
            search.tree(TreeWanted(rng.randrange(13), is_canonical=rng.random() < 0.5), Countdown(rng.randrange(10)))
        assert [answer(search, budget).value for budget in range(13)] == fewest
    assert stops > 20


@pytest.mark.parametrize("outcomes", [2, 3])
def test_a_narrow_search_finds_trees_and_proves_nothing(outcomes: int) -> None:
    worse = 0
    for seed in range(4):
        layout = Layout(random_table(seed, outcomes=outcomes), 12)
        fewest = [answer(PlainSearch(layout), budget).value for budget in range(13)]
        search = PlainSearch(layout)
        for breadth in (1, 2):
            for budget in range(13):
                found = answer(search, budget, by=Pass(breadth)).value
                assert found >= fewest[budget]
                worse += found > fewest[budget]
                nodes = search.tree(TreeWanted(budget, Pass(breadth)), FOREVER)
                assert nodes is not None
                assert nodes.counts[nodes.is_leaf].sum() - nodes.counts[nodes.is_leaf].max(axis=1).sum() <= found
        assert [answer(search, budget).value for budget in range(13)] == fewest
    assert worse > 5


@pytest.mark.parametrize("outcomes", [2, 3])
@pytest.mark.parametrize("cache_bytes", [0, 5_000, 2**24])
def test_the_canonical_tree_does_not_depend_on_what_was_searched_before(outcomes: int, cache_bytes: int) -> None:
    for seed in range(2):
        instance = random_table(seed, outcomes=outcomes, n_tests=5)
        layout = Layout(instance, 12)
        expected = [canonical(instance, PlainSearch(layout), budget) for budget in range(13)]
        search = PlainSearch(layout, cache_bytes)
        rng = random.Random(seed)
        for _ in range(15):
            search.search(
                rng.randrange(13),
                rng.randrange(1, 30),
                Countdown(50),
                by=Pass(rng.choice([1, 3, ALL_TESTS]), is_wide_first=rng.random() < 0.5),
            )
            budget = rng.randrange(13)
            assert canonical(instance, search, budget) == expected[budget]


@pytest.mark.parametrize("outcomes", [2, 3])
def test_the_canonical_test_is_the_cheapest_that_reaches_the_fewest_errors(outcomes: int) -> None:
    for seed in range(4):
        instance = random_table(seed, outcomes=outcomes)
        layout = Layout(instance, 9)
        cheapest_three = layout.costliest.min() + np.sort(layout.cheapest)[:2].sum()
        for budget in range(10):
            fewest = answer(PlainSearch(layout), budget).value
            if fewest == layout.leaf_loss:
                continue
            order = list(range(layout.n_tests)) if budget < cheapest_three else _by_price_and_score(layout)
            first = next(test for test in order if answer(PlainSearch(layout), budget, only=test).value == fewest)
            tree = canonical(instance, PlainSearch(layout), budget)
            assert tree.nodes.test[0] == layout.by_price[first]


def _by_price_and_score(layout: Layout) -> list[int]:
    """As plain.py says it, for the whole set: a free test, or the tests by price and then by score."""
    scores, prices = [], []
    for test in range(layout.n_tests):
        parts = [layout.codes[:, test] == outcome for outcome in range(layout.width)]
        votes = [[int(layout.weights[part & (layout.labels == c)].sum()) for c in range(3)] for part in parts]
        if layout.is_binary:
            one, zero = (sum(n * n for n in votes[outcome]) / sum(votes[outcome]) for outcome in (1, 0))
            scores.append(-one - zero)
        else:
            scores.append(float(sum(sum(n) ** 2 - sum(m * m for m in n) for n in votes)))
        fees = [int(fee) for bit, fee in enumerate(layout.fees) if layout.fee_mask[test] >> bit & 1]
        prices.append(int(layout.costliest[test]) + sum(fees))
    free = [test for test, price in enumerate(prices) if price == 0]
    return free[:1] or sorted(range(layout.n_tests), key=lambda test: (prices[test], scores[test]))


def test_large_weights_and_prices_are_exact() -> None:
    weights, prices = [2**40 + 1, 2**40, 2**40 - 1, 3], {"0": 2**35, "1": 2**35 + 1}
    instance = bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], weights=weights, prices=prices)
    search = PlainSearch(Layout(instance, 2**37))
    assert [answer(search, budget).value for budget in (2**35, 2**36, 2**36 + 1)] == [2**40 + 3, 2**40 + 2, 0]


def test_a_path_of_many_tests_fits_on_the_stack() -> None:
    """Each test tells one case from the others, and only all of them together tell the classes apart."""
    n = 300
    instance = bt.Instance(np.eye(n, dtype=np.uint8), np.arange(n) % 2)
    search = PlainSearch(Layout(instance, n))
    assert answer(search, n, by=Pass(1)).value == 0
