"""The exact frontier: one budget after another, each proven, and the best found where the time ends."""

from __future__ import annotations

from dataclasses import dataclass

from budgetree.learn.exact.solver import NEVER_AGAIN, Solver
from budgetree.learn.found import Found, found_tree

SWEEP_SHARE = 0.3  # of the time, for the budgets beyond the first that takes long
SWEEP_SECONDS = 10.0  # for them where there is no limit
SECONDS_PER_BUDGET = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ExactFrontier:
    """The points proven, cheapest first, and what was found beyond them."""

    proven: list[Found]
    beyond: list[Found]
    complete: bool


def search_frontier(solver: Solver, limit: int) -> ExactFrontier:
    """Every budget up to the limit at which the fewest errors drop."""
    proven: list[Found] = []
    budget, complete = 0, False
    solver.when_long = lambda at: _sweep(solver, at, limit)
    try:
        while not complete:
            verdict = solver.decide(budget, solver.layout.leaf_errors + 1)
            if not verdict.proven:
                break
            if not proven or verdict.lower_bound < proven[-1].errors:
                tree = solver.canonical(verdict)
                best = solver.best(budget) if tree is None else found_tree(tree, "exact search")
                proven.append(best)
            complete = verdict.lower_bound == solver.unavoidable or verdict.changes > min(limit, NEVER_AGAIN)
            budget = verdict.changes
    except KeyboardInterrupt:
        complete = False
    # Within what is proven nothing else counts; beyond it a tree counts that makes fewer errors.
    beyond = [] if complete else [found for found in solver.found if found.need >= budget]
    return ExactFrontier(
        proven, [found for found in beyond if not proven or found.errors < proven[-1].errors], complete
    )


def _sweep(solver: Solver, budget: int, limit: int) -> None:
    """Looks for good trees at the larger budgets, before the proof of this one takes all the time."""
    left = solver.clock.seconds_left
    share = SWEEP_SECONDS if left is None else SWEEP_SHARE * left
    clock = solver.clock.share(share)
    for candidate in _candidates(solver, budget, limit):
        if clock.is_over:
            return
        solver.look(candidate, min(SECONDS_PER_BUDGET, share))
        if solver.best(candidate).errors == solver.unavoidable:
            return


def _candidates(solver: Solver, budget: int, limit: int) -> list[int]:
    """Larger budgets where something may be had: where the trees known so far have their points, or each price."""
    needs = {found.need for found in solver.found}
    if solver.layout.has_one_price:
        price = int(solver.layout.costliest[0])
        needs |= set(range(budget, max(needs) + 1, price)) if price else set()
    return sorted(need for need in needs if budget < need <= limit)
