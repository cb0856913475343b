"""What a frontier proves about one of its trees, against brute force."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from reference import random_problem
from support import to_instance

import budgetree as bt
from budgetree.learn.exact.solver import Solver
from budgetree.learn.proofs import tree_for_budget, tree_for_error
from reference_exact import optimal_frontier


@pytest.mark.parametrize("method", ["exact", "greedy"])
@pytest.mark.parametrize("seed", range(12))
def test_no_claim_exceeds_the_truth(method: str, seed: int) -> None:
    problem = random_problem(random.Random(seed))
    instance = to_instance(problem)
    points = list(optimal_frontier(problem))
    frontier = bt.frontier(instance, method=method, folds=0)  # type: ignore[arg-type]
    for point in frontier:
        proven = point.tree.proven
        assert proven is not None
        errors = Fraction(str(point.errors))
        assert proven.least_errors <= min(wrong for need, wrong in points if need <= Fraction(str(point.max_cost)))
        assert proven.least_cost <= min(need for need, wrong in points if wrong <= errors)
        assert point.tree.statement.is_proven == point.proven
        share = Fraction(str(point.error_rate))
        cheapest = tree_for_error(frontier, share)
        assert cheapest.proven is not None
        least = min(need for need, wrong in points if wrong <= share * sum(problem.weights) + Fraction(1, 10**9))
        assert cheapest.proven.least_cost <= least
        if method == "exact":
            assert cheapest.exact_max_cost == cheapest.proven.least_cost == least
            assert cheapest.statement.is_proven


def test_no_errors_are_no_proof_that_nothing_is_cheaper() -> None:
    tree = tree_for_error(bt.frontier(bt.datasets.load("house_votes"), method="greedy", folds=0), 0)
    assert tree.errors == 0
    assert str(tree.statement) == "not proven: No lower bound on the cost of a tree without errors is known."
    exact = tree_for_error(bt.frontier(bt.datasets.load("house_votes"), folds=0), 0)
    least = f"No tree without errors costs less than {exact.max_cost} in the worst case."
    assert str(exact.statement) == f"proven: {least}"


def test_a_complete_search_settles_the_budget_that_was_asked_for() -> None:
    votes = bt.datasets.load("house_votes")
    tree = tree_for_budget(bt.frontier(votes, max_budget=4.5, folds=0), 4.5)
    assert tree.max_cost == 4
    assert str(tree.statement).startswith("proven: No tree within a budget of 4.5 makes fewer errors.")
    assert str(tree_for_budget(bt.frontier(votes, folds=0), None).statement).startswith("proven: No tree at any budget")


def test_a_search_that_ended_early_settles_no_more_than_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = Solver.decide

    def stopped_at_three(self: Solver, budget: int, fewer_than: int) -> object:
        if budget >= 3:
            raise KeyboardInterrupt
        return decide(self, budget, fewer_than)

    monkeypatch.setattr(Solver, "decide", stopped_at_three)
    votes = bt.datasets.load("house_votes")
    tree = tree_for_budget(bt.frontier(votes, max_budget=5, folds=0), 5)
    assert not tree.statement.is_proven
    assert "The search ended early" in str(tree.statement)
    cheapest = tree_for_error(bt.frontier(votes, max_budget=5, folds=0), 0.05)
    assert cheapest.proven is not None
    assert cheapest.proven.least_cost <= cheapest.exact_max_cost
