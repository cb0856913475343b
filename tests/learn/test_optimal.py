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
from budgetree.learn.exact import layout as layout_module
from budgetree.learn.exact import solver as solver_module
from budgetree.learn.exact.layout import Layout
from budgetree.learn.exact.solver import Solver
from budgetree.learn.settings import Request
from budgetree.services.clock import Clock
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
            predicted = found.tree.predict(instance.codes) != instance.schema.classes[instance.labels]
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


@pytest.mark.parametrize("outcomes", [2, 3])
def test_stopped_at_random_moments_bound_and_tree_hold_the_optimum_between_them(
    outcomes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = random_table(1, n_objects=500, n_tests=24, outcomes=outcomes)
    budget = 5
    optimum = bt.optimal(instance, budget=budget).errors
    rng = random.Random(0)
    stops = 0
    for _ in range(40):
        monkeypatch.setattr(solver_module, "MOMENT", rng.random() * 0.02)
        monkeypatch.setattr(solver_module, "LONG", rng.random() * 0.02)
        found = bt.optimal(instance, budget=budget, time_limit=rng.random() * 0.08)
        assert found.lower_bound <= optimum <= found.errors
        assert found.errors == found.tree.errors
        assert found.tree.max_cost <= budget
        assert found.proven == (found.errors == found.lower_bound)
        stops += not found.complete
    assert stops > 5


def test_a_full_cache_costs_time_only() -> None:
    instance = random_table(3, prices=random_prices(3, 14))
    expected = bt.optimal(instance, budget=9)
    for cache_bytes in (0, 2**14, 2**20):
        assert bt.optimal(instance, budget=9, cache_bytes=cache_bytes).tree == expected.tree


@pytest.mark.parametrize("outcomes", [2, 3])
def test_the_tree_is_the_same_with_threads_without_and_after_whatever_search(
    outcomes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3):
        instance = random_table(seed, n_objects=150, n_tests=12, outcomes=outcomes)
        whole = bt.optimal(instance, budget=4)
        assert whole.complete
        for moment, threads in ((0.0, 1), (0.0, 2), (0.0, 4), (0.003, 2), (0.0, None)):
            monkeypatch.setattr(solver_module, "MOMENT", moment)
            monkeypatch.setattr(solver_module, "LONG", moment)
            again = bt.optimal(instance, budget=4, threads=threads)
            assert again.complete
            assert again.tree == whole.tree
        monkeypatch.undo()


def test_more_time_is_never_worse() -> None:
    dna = bt.datasets.load("dna")
    errors = [bt.optimal(dna, budget=6, time_limit=seconds).errors for seconds in (0, 0.3, 1.5)]
    assert errors == sorted(errors, reverse=True)
    assert errors[1] <= bt.frontier(dna, method="greedy").best(budget=6).errors


def test_ctrl_c_returns_the_best_so_far() -> None:
    dna = bt.datasets.load("dna")
    bt.optimal(dna, budget=2)
    timer = threading.Timer(1.5, _thread.interrupt_main)
    timer.start()
    found = bt.optimal(dna, budget=6)
    timer.cancel()
    assert not found.complete
    assert 0 <= found.lower_bound <= found.errors <= 170
    assert f"at least {found.lower_bound}" in repr(found)


def test_no_limit_finds_the_least_budget_for_the_fewest_errors() -> None:
    found = bt.optimal(bt.datasets.load("pima"), budget=None)
    assert (found.errors, found.max_cost, found.complete, found.budget) == (0, 27.78, True, None)
    assert repr(found).startswith("Solution(0 errors within any budget, proven")
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


def test_progress_tells_best_bound_and_gap(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.services.progress.SHOW_AFTER", -1.0)
    monkeypatch.setattr(solver_module, "MOMENT", 0.0)
    bt.optimal(bt.datasets.load("dna"), budget=4, time_limit=1, progress=True)
    shown = capfd.readouterr().err
    assert "exact search" in shown
    assert "at least 0, gap" in shown


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": -1}, "a budget must be a number"),
        ({"budget": "much"}, "a budget must be a number"),
        ({"budget": 1, "time_limit": -1}, "time_limit is -1"),
        ({"budget": 1, "cache_bytes": "1GB"}, "cache_bytes is '1GB'"),
        ({"budget": 1, "threads": 0}, "threads is 0; expected None or a whole number"),
    ],
)
def test_bad_requests_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.optimal(bt.datasets.load("figure1"), **settings)


def test_only_an_instance_will_do() -> None:
    with pytest.raises(ValueError, match="expected an Instance, but got list"):
        bt.optimal([[0, 1]], budget=1)  # type: ignore[arg-type]


def test_a_table_beyond_the_memory_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_module, "SHARE_OF_MEMORY", 1e-9)
    with pytest.raises(ValueError, match=r"would take about .* GB .* Use a sample of the cases"):
        bt.optimal(bt.datasets.load("dna"), budget=3)


def test_ctrl_c_while_the_tree_is_read_off_is_no_mistake_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = bt.datasets.load("house_votes")
    solver = Solver(Request(instance, 3, (), 2**22), Clock(None))
    monkeypatch.setattr(solver._search, "tree", lambda *arguments, **settings: None)
    result = solver.decide(3, solver.layout.leaf_errors + 1)
    assert not result.proven
    assert solver.clock.is_over
