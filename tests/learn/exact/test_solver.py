"""Solver: whatever ends a search, bound ≤ optimum ≤ tree, and no tree known is forgotten."""

from __future__ import annotations

import random
import re
import time
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.exact.frontier import solve
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES
from budgetree.learn.settings import FitRequest, check_threads
from budgetree.services.clock import Clock, WorkPlan


def random_table(seed: int, n_objects: int = 300, n_tests: int = 14, **settings: Any) -> bt.Instance:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, settings.pop("outcomes", 2), (n_objects, n_tests))
    labels = (codes[:, :4].sum(axis=1) + (rng.random(n_objects) < 0.3)) % 3
    return bt.Instance(codes, labels, **settings)


@pytest.mark.parametrize("outcomes", [2, 3])
def test_stopped_at_random_moments_bound_and_tree_have_the_optimum_between_them(outcomes: int) -> None:
    instance = random_table(1, n_objects=500, n_tests=24, outcomes=outcomes)
    budget = 5
    start = time.monotonic()
    optimum = bt.optimal(instance, budget=budget).errors
    needed = time.monotonic() - start  # the moments are shares of it, on any machine
    rng = random.Random(0)
    stops = 0
    for _ in range(24):
        plan = WorkPlan(moment=rng.random() * needed / 4, long=rng.random() * needed / 4)
        request = FitRequest(budget=budget, impurities=DEFAULT_IMPURITIES, threads=check_threads(None))
        found = solve(Solver(instance, request, Clock(rng.random() * needed / 2, plan=plan)))
        (best,) = found.candidates
        assert found.least_loss == found.bounds[0] <= optimum <= best.loss
        assert best.loss == best.make().errors
        assert best.make().max_cost <= budget
        stops += not found.complete
    assert stops > 0


@pytest.mark.parametrize("outcomes", [2, 3])
def test_the_tree_is_the_same_with_threads_without_and_after_whatever_search(outcomes: int) -> None:
    for seed in range(3):
        instance = random_table(seed, n_objects=150, n_tests=12, outcomes=outcomes)
        whole = bt.optimal(instance, budget=4)
        assert whole.complete
        for moment, threads in ((0.0, 1), (0.0, 2), (0.0, 4), (0.003, 2), (0.0, None)):
            request = FitRequest(budget=4, impurities=DEFAULT_IMPURITIES, threads=check_threads(threads))
            again = solve(Solver(instance, request, Clock(None, plan=WorkPlan(moment=moment, long=moment))))
            assert again.complete
            assert again.candidates[0].make() == whole.tree


def test_it_starts_from_the_greedy_trees_and_forgets_none() -> None:
    instance = bt.datasets.load("dna")
    greedy = bt.frontier(instance, method="greedy", max_budget=6, folds=0)
    solver = Solver(instance, FitRequest(budget=6, impurities=DEFAULT_IMPURITIES), Clock(None))
    assert [found.source for found in solver.trees] == ["single leaf"]
    solver.start_from_greedy()
    assert [(found.required_budget, found.loss) for found in solver.trees] == [(p.max_cost, p.errors) for p in greedy]
    result = solver.decide(2, solver.layout.leaf_loss + 1)
    assert result.proven
    assert solver.lower_bound(1) >= solver.lower_bound(2) == result.lower_bound == solver.trees.best(2).loss
    assert all(solver.trees.best(point.max_cost).loss <= point.errors for point in greedy)
    solver.clock.interrupt()
    assert not solver.decide(6, solver.layout.leaf_loss + 1).proven


def test_progress_tells_best_bound_and_gap() -> None:
    words: list[str] = []
    solver = Solver(
        bt.datasets.load("dna"), FitRequest(budget=6), Clock(0.4), lambda done, total, text="": words.append(text)
    )
    assert not solver.decide(6, solver.layout.leaf_loss + 1).proven
    assert words
    for text in words:
        found = re.fullmatch(r"budget 6: best (\d+), at least (\d+), gap (\d+)", text)
        assert found is not None
        best, least, gap = map(int, found.groups())
        assert best - least == gap >= 0


def test_ctrl_c_while_the_tree_is_read_off_is_no_mistake_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = bt.datasets.load("house_votes")
    solver = Solver(instance, FitRequest(budget=3, cache_bytes=2**22), Clock(None))
    monkeypatch.setattr(solver._search, "tree", lambda *arguments, **settings: None)
    result = solver.decide(3, solver.layout.leaf_loss + 1)
    assert not result.proven
    assert solver.clock.is_over
