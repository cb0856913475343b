"""Exact search for one budget, or for one after another, each proven; and the best found where the time ends."""

from __future__ import annotations

from dataclasses import dataclass

from budgetree.learn.exact.solver import BudgetResult, Solver
from budgetree.learn.points import Candidate, candidate_of
from budgetree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """The best trees of one budget or of all, cheapest first, and what is known of others."""

    candidates: list[Candidate]
    bounds: list[int]  # per candidate: no tree within its budget loses less
    n_proven: int  # so many, from the first on, are the best, and no other is between them
    complete: bool
    least_loss: int  # of any tree within the limit


def solve(solver: Solver) -> SearchResult:
    """The canonical tree of the least loss within the solver's limit, at the least cost; or the best so far."""
    try:
        tree = _solve(solver)
    except KeyboardInterrupt:
        tree = None
    if tree is not None:
        best, complete = candidate_of(tree, "exact search"), True
        bound = best.loss
    else:
        best, bound = solver.trees.best(solver.limit), solver.lower_bound(solver.limit)
        complete = best.loss == bound and best.required_budget == solver.least_budget
    return SearchResult([best], [bound], int(complete), complete, bound)


def _solve(solver: Solver) -> Tree | None:
    """The tree; None if the time is over first."""
    limit, trees = solver.limit, solver.trees
    result = solver.decide(limit, solver.layout.leaf_loss + 1)
    if not result.proven:
        return None
    least = result.lower_bound
    # Where a smaller budget loses as little, that is it: is there such a tree below the cheapest known one?
    need = trees.best(limit).required_budget
    while need > solver.least_budget:
        below = solver.decide(need - 1, least + 1)
        if not below.proven:
            return None
        if below.lower_bound > least:
            break
        need = trees.best(limit).required_budget
    if need != result.budget:
        result = solver.decide(need, least + 1)
    return solver.canonical(result) if result.proven else None


def search_frontier(solver: Solver) -> SearchResult:
    """Every budget up to the solver's limit at which the fewest errors drop."""
    proven: list[Candidate] = []
    settled_below, complete = solver.least_budget, False  # below that budget everything is proven
    try:
        result = solver.decide(solver.least_budget, solver.layout.leaf_loss + 1)
        solver.start_from_greedy()  # whenever the time ends, greedy trees alone shall not be better
        while not complete:
            settled = _settle(solver, result)
            if settled is None:
                break
            proven.append(settled.point)
            settled_below = settled.below
            complete = settled_below > solver.limit
            if settled.next is None:
                break
            result = settled.next
    except KeyboardInterrupt:
        complete = False
    # Within what is proven nothing else counts; beyond it a tree counts that makes fewer errors.
    beyond = [] if complete else [found for found in solver.trees if found.required_budget >= settled_below]
    beyond = [found for found in beyond if not proven or found.loss < proven[-1].loss]
    bounds = [found.loss for found in proven] + [solver.lower_bound(found.required_budget) for found in beyond]
    least = proven[-1].loss if complete else solver.lower_bound(solver.limit)
    return SearchResult([*proven, *beyond], bounds, len(proven), complete, least)


@dataclass(frozen=True, slots=True, eq=False)
class _Settled:
    """A point of the frontier: no tree is better below a budget, at which there is one (or the limit is passed)."""

    point: Candidate
    below: int
    next: BudgetResult | None  # of the budget at which there is a better one, as far as known; None if time is over


def _settle(solver: Solver, result: BudgetResult) -> _Settled | None:
    """The best tree at a budget and the least larger budget with a better one; None if the time is over first.

    The result is of this budget; where it is not proven, it is asked for.

    Whether a tree is better is asked just below the cheapest one that is known to be. If the search refutes it, all
    budgets up to there are settled at once; if not, it has found a cheaper one, and is asked below that.

        errors │ ■──────────────┐            ■ the best tree at this budget
               │                │
               │                □◄─2─┐       □ better trees, by what they need
               │                     □◄─1
               └─┴──────────────┴────┴──── budget

    1  Asked just below the one that is known: the search finds a cheaper tree that is better than ■.
    2  Asked just below that: no tree is better than ■, which is proven for all budgets up to there.

    Where tests have one price only, and where no better tree is known, the search climbs instead: it asks at the least
    budget at which its last answer might be another.
    """
    end_of_all = solver.limit + 1
    budget, exact = result.budget, result if result.proven else None
    refuted_below = budget if exact is None else max(exact.changes, budget + 1)
    while True:
        best = solver.trees.best(budget)
        better = solver.trees.next_better(best.loss)
        end = end_of_all if better is None else min(better.required_budget, end_of_all)
        if refuted_below >= end or best.loss == solver.unavoidable:
            break
        climbs = better is None or solver.layout.costs.one_price is not None
        ask_at = max(refuted_below if climbs else end - 1, budget)
        result = solver.decide(ask_at, best.loss + 1 if ask_at == budget else best.loss)
        if not result.proven:
            if exact is None or exact.lower_bound != best.loss:
                return None
            return _Settled(_point(solver, exact), refuted_below, None)
        if result.lower_bound >= best.loss:
            refuted_below = max(refuted_below, result.changes, ask_at + 1)
        if ask_at == budget:
            exact = result
    if exact is None or exact.lower_bound != best.loss:
        exact = solver.decide(budget, best.loss + 1)
    if best.loss == solver.unavoidable:
        end = end_of_all
    is_exact = result.budget == end and result.lower_bound == solver.trees.best(end).loss
    return _Settled(_point(solver, exact), end, result if is_exact else BudgetResult(end, 0, False, end))


def _point(solver: Solver, exact: BudgetResult) -> Candidate:
    """The canonical tree of a budget, or another as good where the time does not suffice for it."""
    tree = solver.canonical(exact) if exact.proven else None
    return solver.trees.best(exact.budget) if tree is None else candidate_of(tree, "exact search")
