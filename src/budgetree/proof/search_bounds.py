"""The bound of exhaustive search: the least budget at which any tree makes so few errors.

Each test stands at its least price on every outcome, so that the bound holds for the costliest path that a known case
takes; what tests share is paid once per path.
"""

from __future__ import annotations

from fractions import Fraction

from budgetree.errors import TooLargeError
from budgetree.learn.exact.solver import NEVER_AGAIN, Solver
from budgetree.learn.settings import FitRequest, check_threads
from budgetree.problem import Instance
from budgetree.problem.prices import at_cheapest
from budgetree.proof.entries import Bound
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport


def search_bound(
    instance: Instance, loss: Fraction, highest: Fraction, clock: Clock, report: ProgressReport
) -> Bound | None:
    """The best proven in the time; `highest` is the cost of a tree that loses no more."""
    left = clock.seconds_left
    if left is not None and left <= clock.plan.setup_seconds_per_cell * instance.codes.size:
        return None
    flat = _at_least_prices(instance)
    scale = flat.schema.costs.scale
    allowed, limit = int(loss / instance.schema.loss(1)), int(highest * scale)
    try:
        solver = Solver(flat, FitRequest(budget=limit, threads=check_threads(None)), clock, report)
    except TooLargeError:
        return None
    budget, exact = 0, False
    while budget < limit and not exact:
        result = solver.decide(budget, allowed + 1)
        if not result.proven:
            break
        exact = result.lower_bound <= allowed
        budget = budget if exact else min(result.changes, limit, NEVER_AGAIN)
    return Bound("search", Fraction(budget) / scale, {}, final=exact or budget == limit)


def _at_least_prices(instance: Instance) -> Instance:
    """Each test at its least price on every outcome, on the same grid: amounts as the cost model has rounded them."""
    costs = instance.schema.costs
    return instance.priced(at_cheapest(costs)) if costs.depends_on_outcome else instance
