"""Bounds of exhaustive search, and of counting: the least budget at which any tree makes so few errors.

search  each test stands at its least price on every outcome, so that the bound holds for the costliest path that a
        known case takes; shared fees are paid once per path
count   a tree has no more leaves than its tests can tell apart, and answers no more classes than it has leaves:
        leaves within a budget ≤ the largest product of outcomes over tests that cost no more together.
        To tell 200 faults apart by yes or no, some case is asked eight times. Fees are left out and each test counts at
        its cheapest outcome, so the bound holds whatever a path shows.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np

from budgetree.errors import TooLargeError
from budgetree.learn.exact.solver import NEVER_AGAIN, Solver
from budgetree.learn.greedy.portfolio import CACHE_BYTES
from budgetree.learn.settings import Request, check_threads
from budgetree.problem import Instance, Prices
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
    return Bound("search", Fraction(budget) / scale, {}, final=exact or budget == limit)


def _at_least_prices(instance: Instance) -> Instance:
    """Each test at its least price on every outcome, on the same grid: amounts as the price table has rounded them."""
    table = instance.schema.costs
    if not table.depends_on_outcome:
        return instance
    prices, fees = ([Fraction(units) / table.scale for units in a.tolist()] for a in (table.cheapest, table.fees))
    entries = zip(fees, instance.prices.shared.items(), strict=True)
    shared = {name: (fee, list(entry.tests)) for fee, (name, entry) in entries}
    return instance.priced(Prices(dict(zip(instance.test_names, prices, strict=True)), shared=shared))


def leaf_count_bound(instance: Instance, allowed: Fraction) -> Fraction:
    """What no tree with at most the allowed errors (by weight) costs less than, in the worst case."""
    # How many classes must have a leaf: the largest, until no more than the allowed weight is left.
    weights = sorted((int(units) for units in instance.class_order.counts), reverse=True)
    must = sum(weights) - allowed * instance.schema.weight_scale
    needed = max(sum(before < must for before in accumulate(weights[:-1], initial=0)), 1)
    table = instance.schema.costs
    cheapest = {1: 0}  # by how many leaves there may be: the least units that buy so many; more than needed is enough
    for test in range(instance.n_tests):
        shown = np.flatnonzero(np.bincount(instance.codes[:, test]))
        price = int(table.amounts[test, shown].min())
        for leaves, units in sorted(cheapest.items(), reverse=True):
            more = min(leaves * len(shown), needed)
            cheapest[more] = min(units + price, cheapest.get(more, units + price))
    # Where the tests are too few, no tree makes so few errors, and nothing is said of what it would cost.
    return Fraction(cheapest.get(needed, 0)) / table.scale
