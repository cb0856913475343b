"""The bound of exhaustive search: the least budget at which any tree makes so few errors, or loses so little.

Each test stands at its least price on every outcome, so that the bound holds for the costliest path that a known case
takes; shared fees are paid once per path.
"""

from __future__ import annotations

from fractions import Fraction

from budgetree.errors import TooLargeError
from budgetree.learn.exact.solver import NEVER_AGAIN, Solver
from budgetree.learn.greedy.portfolio import CACHE_BYTES
from budgetree.learn.settings import Request, check_threads
from budgetree.problem import Instance, Prices
from budgetree.proof.bounds import Bound
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport

SETUP_SECONDS_PER_CELL = 3e-8  # what laying out a table takes; with less time left a search proves nothing


def search_bound(
    instance: Instance, loss: Fraction, highest: Fraction, clock: Clock, report: ProgressReport
) -> Bound | None:
    """The best proven in the time; `highest` is the cost of a tree that loses no more."""
    left = clock.seconds_left
    if left is not None and left <= SETUP_SECONDS_PER_CELL * instance.codes.size:
        return None
    flat = _at_least_prices(instance)
    scale = flat.schema.table.scale
    allowed, limit = int(loss / instance.schema.loss(1)), int(highest * scale)
    try:
        solver = Solver(Request(flat, limit, (), CACHE_BYTES, check_threads(None)), clock, report)
    except TooLargeError:
        return None
    budget, exact = 0, False
    while budget < limit and not exact:
        result = solver.decide(budget, allowed + 1)
        if not result.proven:
            break
        exact = result.lower_bound <= allowed
        budget = budget if exact else min(result.changes, limit, NEVER_AGAIN)
    value = Fraction(budget) / scale
    return Bound("search", value, {}, final=exact or budget == limit)


def _at_least_prices(instance: Instance) -> Instance:
    """Each test at its least price on every outcome, on the same grid: amounts as the price table has rounded them."""
    table = instance.schema.table
    if not table.has_outcome_prices:
        return instance
    tests = {
        name: Fraction(int(price)) / table.scale
        for name, price in zip(instance.test_names, table.cheapest, strict=True)
    }
    fees = [Fraction(int(fee)) / table.scale for fee in table.fees]
    shared = {
        name: (fee, list(entry.tests)) for fee, (name, entry) in zip(fees, instance.prices.shared.items(), strict=True)
    }
    return instance.priced(Prices(tests, shared=shared))
