"""optimal: no tree is better, by brute force; and whatever ends the search, bound ≤ optimum ≤ tree."""

from __future__ import annotations

import _thread
import random
import threading
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import Problem, random_problem
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.exact.search import Layout
from budgetree.learn.exact.solver import BudgetResult, Solver
from reference_exact import fewest_errors_by_enumeration, optimal_frontier


def binary_problem(seed: int) -> Problem:
    """Tests of two outcomes on objects that count once each: what the pair counts are for."""
    problem = random_problem(random.Random(seed), max_outcomes=2, max_objects=16, max_tests=6)
    return replace(problem, weights=tuple(Fraction(1) for _ in problem.weights))


def random_table(seed: int, n_objects: int = 300, n_tests: int = 14, **settings: Any) -> bt.Instance:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, settings.pop("outcomes", 2), (n_objects, n_tests))
    labels = (codes[:, :4].sum(axis=1) + (rng.random(n_objects) < 0.3)) % 3
    return bt.Instance(codes, labels, **settings)


def random_prices(seed: int, n_tests: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {str(test): int(price) for test, price in enumerate(rng.integers(1, 6, n_tests))}


@pytest.mark.parametrize("chunk", range(10))
def test_at_every_budget_no_tree_is_better(chunk: int) -> None:
    for seed in range(chunk * 20, chunk * 20 + 20):
        problem = random_problem(random.Random(seed))
        instance = to_instance(problem)
        points = optimal_frontier(problem)
        rng = random.Random(seed)
        for need, fewest in points:
            slack = min([later - need for later, _ in points if later > need], default=Fraction(1))
            budget = need + slack * Fraction(rng.randrange(9), 10)  # up to the next point nothing more is to be had
            found = bt.optimal(instance, budget=budget)
            assert found.proven
            assert found.complete
            assert Fraction(str(found.errors)) == Fraction(str(found.lower_bound)) == fewest
            assert Fraction(str(found.max_cost)) == need, "a smaller budget reaches the same errors"
            assert found.tree.errors == found.errors
            predicted = found.tree.predict_codes(instance.codes) != instance.schema.classes[instance.labels]
            assert (predicted * instance.weights).sum() == pytest.approx(float(fewest))


@pytest.mark.parametrize("chunk", range(5))
def test_binary_tests_are_counted_in_pairs_with_the_same_answers(chunk: int) -> None:
    for seed in range(chunk * 40, chunk * 40 + 40):
        problem = binary_problem(seed)
        instance = to_instance(problem)
        if len(instance.schema.outcome_names[0]) == 2:
            assert Layout(instance, 5).is_binary
        budget = Fraction(random.Random(seed).randrange(0, 80), 10)
        assert bt.optimal(instance, budget=budget).errors == fewest_errors_by_enumeration(problem, budget)


def test_a_full_cache_costs_time_only() -> None:
    instance = random_table(3, prices=random_prices(3, 14))
    expected = bt.optimal(instance, budget=9)
    for cache_bytes in (0, 2**14, 2**20):
        assert bt.optimal(instance, budget=9, cache_bytes=cache_bytes).tree == expected.tree


def test_ctrl_c_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    dna, decide = bt.datasets.load("dna"), Solver.decide
    timers = []

    def decide_until_ctrl_c(solver: Solver, budget: int, cutoff: int) -> BudgetResult:
        timers.append(threading.Timer(0.3, _thread.interrupt_main))
        timers[-1].start()  # here and not before: Ctrl-C ends a call that has nothing to return yet
        return decide(solver, budget, cutoff)

    monkeypatch.setattr(Solver, "decide", decide_until_ctrl_c)
    found = bt.optimal(dna, budget=6)
    assert len(timers) == 1
    assert not found.complete
    assert 0 <= found.lower_bound <= found.errors == found.tree.errors <= dna.class_order.leaf_loss
    assert (f"at least {found.lower_bound}" if found.lower_bound else "not proven") in repr(found)


def test_no_limit_finds_the_least_budget_for_the_fewest_errors() -> None:
    found = bt.optimal(bt.datasets.load("pima"), budget=None)
    assert (found.errors, found.max_cost, found.complete, found.request.within) == (0, 27.78, True, None)
    assert repr(found).startswith("Result(0 errors within any budget, proven")
    stuck = bt.optimal(bt.Instance([[0], [0], [0], [1]], ["a", "a", "b", "b"]), budget=None)
    assert (stuck.errors, stuck.max_cost, stuck.proven) == (1, 1, True)


def test_a_budget_of_nothing_uses_free_tests() -> None:
    instance = bt.Instance([[0, 0], [1, 0], [0, 1]], [0, 1, 2], prices={"0": 0, "1": 5})
    assert bt.optimal(instance, budget=0).errors == 1
    assert bt.optimal(instance, budget=5).errors == 0
    assert bt.optimal(instance, budget=4.99).max_cost == 0


def test_one_object_or_one_class_is_a_leaf() -> None:
    for instance in (bt.Instance([[0, 1]], ["a"]), bt.Instance([[0], [1]], ["a", "a"])):
        found = bt.optimal(instance, budget=10)
        assert (found.errors, found.max_cost, found.tree.n_leaves, found.proven) == (0, 0, 1, True)


def test_large_weights_and_prices_are_exact() -> None:
    weights, prices = [2**40 + 1, 2**40, 2**40 - 1, 3], {"0": 2**35, "1": 2**35 + 1}
    instance = bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], weights=weights, prices=prices)
    assert bt.optimal(instance, budget=2**35).errors == 2**40 + 3
    assert bt.optimal(instance, budget=2**36).errors == 2**40 + 2
    assert bt.optimal(instance, budget=2**36 + 1).errors == 0


@pytest.mark.parametrize(
    ("name", "value"), [("budget", -1), ("budget", "much"), ("time_limit", -1), ("cache_bytes", "1GB"), ("threads", 0)]
)
def test_bad_requests_are_refused(name: str, value: Any) -> None:
    with refused(SettingError, subject=name, found=value):
        bt.optimal(bt.datasets.load("figure1"), **{"budget": 1, name: value})


def test_only_an_instance_will_do() -> None:
    with refused(SettingError, subject="instance", found=list):
        bt.optimal([[0, 1]], budget=1)  # type: ignore[arg-type]
