"""The exact frontier: every point proven, by brute force; and what is proven is kept where the time ends."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from reference import random_problem
from support import to_instance

import budgetree as bt
from budgetree.learn.exact.frontier import search_frontier
from budgetree.learn.exact.solver import BudgetResult, Solver
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES
from budgetree.learn.routes import search_known
from budgetree.learn.settings import FitRequest
from budgetree.services.clock import Clock, WorkPlan
from reference_exact import optimal_frontier

DNA = [(0, 1349), (1, 1081), (2, 646), (3, 395)]  # the first points of dna's frontier, found by a prototype


def points(frontier: bt.Frontier) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(str(point.max_cost)), Fraction(str(point.errors))) for point in frontier]


@pytest.mark.parametrize("chunk", range(20))
def test_the_whole_frontier_is_that_of_brute_force(chunk: int) -> None:
    for seed in range(1000 + chunk * 30, 1000 + chunk * 30 + 30):
        problem = random_problem(random.Random(seed))
        found = bt.frontier(to_instance(problem), method="exact", folds=0)
        assert points(found) == optimal_frontier(problem)
        assert found.complete
        for point in found:
            assert point.proven
            assert point.errors == point.lower_bound == point.tree.errors
            assert point.tree.max_cost == point.max_cost


@pytest.mark.parametrize("chunk", range(6))
def test_so_is_the_frontier_of_long_searches(chunk: int) -> None:
    request = FitRequest(method="exact", every_budget=True, impurities=DEFAULT_IMPURITIES, threads=2)
    long_way = WorkPlan(moment=0, long=0, quick_seconds=0, broader_seconds=0)  # for every question
    for seed in range(chunk * 15, chunk * 15 + 15):
        problem = random_problem(random.Random(seed), max_outcomes=2 if seed % 2 else 4)
        found = search_known(request, to_instance(problem), Clock(None, plan=long_way), False)
        assert points(found) == optimal_frontier(problem)


def test_few_questions_settle_every_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    decide = Solver.decide

    def recorded(solver: Solver, budget: int, cutoff: int) -> BudgetResult:
        asked.append(budget)
        return decide(solver, budget, cutoff)

    monkeypatch.setattr(Solver, "decide", recorded)
    found = bt.frontier(bt.datasets.load("pima"), method="exact", folds=0)
    assert found.complete
    assert len(found) == 12
    assert len(asked) < 40  # of 4,230 budgets in cents


def test_far_below_greedy_where_that_was_foreseen() -> None:
    """Found by a prototype before this code was written; boston's seventh error hung on a tie of labels."""
    assert bt.frontier(bt.datasets.load("pima", prices=1), folds=0, objective="known").best(budget=3).errors == 94
    assert bt.frontier(bt.datasets.load("boston", prices=1), folds=0, objective="known").best(budget=4).errors <= 7
    assert (
        bt.frontier(bt.datasets.load("house_votes", prices=1), folds=0, objective="known")
        .cheapest(max_error=0)
        .max_cost
        == 5
    )


def test_what_is_proven_is_kept_when_the_search_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    request = FitRequest(budget=6, every_budget=True, impurities=DEFAULT_IMPURITIES)
    solver = Solver(bt.datasets.load("dna"), request, Clock(None))
    solver.start_from_greedy()
    greedy = [(found.required_budget, found.loss) for found in solver.trees]
    decide = solver.decide

    def decide_small_budgets(budget: int, cutoff: int) -> BudgetResult:
        if budget >= 3:
            solver.clock.interrupt()
        return decide(budget, cutoff)

    monkeypatch.setattr(solver, "decide", decide_small_budgets)
    result = search_frontier(solver)
    assert not result.complete
    assert [(found.required_budget, found.loss) for found in result.candidates[: result.n_proven]] == DNA[:3]
    found = result.candidates
    assert found == sorted(found, key=lambda tree: (tree.required_budget, -tree.loss))
    for need, errors in greedy:
        assert min(tree.loss for tree in found if tree.required_budget <= need) <= errors


def test_a_time_limit_ends_it_with_what_there_is() -> None:
    found = bt.frontier(bt.datasets.load("dna"), method="exact", time_limit=0.3, folds=0)
    assert not found.complete
    searched = found.points[: found.n_searched]
    assert all(point.proven for point in searched)
    assert [(point.max_cost, point.errors) for point in searched][: len(DNA)] == DNA[: len(searched)]
    assert found.method == f"exact search, {sum(point.proven for point in found)} of {len(found)} points proven"
    assert "(ended early)" in found.to_text()
    for point in found:
        assert point.lower_bound <= point.errors == point.tree.errors
        assert point.tree.max_cost <= point.max_cost


def test_no_time_at_all_is_one_greedy_tree_and_its_cuts() -> None:
    pima = bt.datasets.load("pima")
    found = bt.frontier(pima, method="exact", time_limit=0, folds=0)
    assert (found[0].max_cost, found[0].errors) == (0, 267)
    assert {point.source for point in found} == {"single leaf", "Powers(2)"}
    assert found[-1].errors == bt.grow(pima).errors
    assert not found.complete
