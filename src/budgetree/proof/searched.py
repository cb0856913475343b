"""The bound of exhaustive search: the least budget at which any tree makes so few errors.

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


def search_bound(
    instance: Instance, errors: Fraction, highest: Fraction, seconds: float | None, report: ProgressReport
) -> Bound | None:
    """The best proven in the time; `highest` is the cost of a tree with so few errors."""
    flat = _at_least_prices(instance)
    scale = flat.schema.table.scale
    allowed, limit = int(errors * instance.schema.weight_scale), int(highest * scale)
    try:
        solver = Solver(Request(flat, limit, (), CACHE_BYTES, check_threads(None)), Clock(seconds), report)
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
    words = "exhaustive search: no tree that costs less makes so few errors"
    return Bound("search", value, {}, words, final=exact or budget == limit)


def _at_least_prices(instance: Instance) -> Instance:
    if not instance.schema.table.has_outcome_prices:
        return instance
    table, least = instance.schema.table, instance.schema.table.cheapest
    tests = {name: Fraction(int(price)) / table.scale for name, price in zip(instance.test_names, least, strict=True)}
    shared = {name: (fee.fee, list(fee.tests)) for name, fee in instance.prices.shared.items()}
    return instance.priced(Prices(tests, shared=shared))
