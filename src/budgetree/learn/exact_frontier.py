"""The exact frontier: one budget after another, each proven, and the best found where the time ends."""

from __future__ import annotations

from dataclasses import dataclass

from budgetree.learn.exact.solver import Solver, Verdict
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
    known_below, complete = 0, False  # from the last proven point up to there, nothing better is to be had
    try:
        verdict = solver.decide(0, solver.layout.leaf_errors + 1)
        while verdict.proven:
            proven.append(_proven_point(solver, verdict))
            if verdict.lower_bound == solver.unavoidable:
                complete = True
                break
            if not solver.layout.has_one_price:  # with one price every budget is asked once anyway
                solver.start_from_greedy()
            known_below, better = _next_drop(solver, verdict, limit)
            if better is None:
                complete = known_below > limit
                break
            verdict = solver.decide(better, solver.best(better).errors + 1)
    except KeyboardInterrupt:
        complete = False
    # Within what is proven nothing else counts; beyond it a tree counts that makes fewer errors.
    beyond = [] if complete else [found for found in solver.found if found.need >= known_below]
    return ExactFrontier(
        proven, [found for found in beyond if not proven or found.errors < proven[-1].errors], complete
    )


def _proven_point(solver: Solver, verdict: Verdict) -> Found:
    tree = solver.canonical(verdict)
    return solver.best(verdict.budget) if tree is None else found_tree(tree, "exact search")


def _next_drop(solver: Solver, here: Verdict, limit: int) -> tuple[int, int | None]:
    """Below which budget no tree makes fewer errors than here, and the budget if one there does; None if none is known.

    The question is asked just below the cheapest tree known to be better. If the search refutes it, all budgets up to
    there are settled at once; if not, it has found a cheaper tree, and the question is asked below that one.
    """
    errors, known_below = here.lower_bound, min(here.changes, limit + 1)
    while True:
        better = solver.next_better(errors)
        if better is not None and better.need <= known_below:
            return known_below, better.need
        # With one price nothing is gained by asking for more than one test more.
        end = limit if better is None else min(better.need - 1, limit)
        budget = known_below if solver.layout.has_one_price or better is None else end
        if budget > limit:
            return known_below, None
        verdict = solver.decide(budget, errors)
        if not verdict.proven:
            return known_below, None
        if verdict.lower_bound >= errors:
            known_below = min(max(verdict.changes, budget + 1), limit + 1)


def sweep(solver: Solver, budget: int, limit: int) -> None:
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
