"""A tree has no more leaves than its tests can tell apart, and answers no more classes than it has leaves.

    leaves within a budget  ≤  the largest product of outcomes over tests that cost no more together

Whoever tells 200 faults apart by yes or no therefore asks some case eight times. Fees are left out and each test counts
at its cheapest outcome, so the bound holds whatever a path shows.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from budgetree.problem import Instance


def leaf_count_bound(instance: Instance, allowed: Fraction) -> Fraction:
    """What no tree with at most the allowed errors (by weight) costs less than, in the worst case."""
    needed = _classes_needed(instance, allowed)
    table = instance.schema.table
    cheapest = {1: 0}  # by how many leaves there may be: the least units that buy so many; more than needed is enough
    for test in range(instance.n_tests):
        shown = np.flatnonzero(np.bincount(instance.codes[:, test]))
        price = int(table.own[test, shown].min())
        for leaves, units in sorted(cheapest.items(), reverse=True):
            more = min(leaves * len(shown), needed)
            cheapest[more] = min(units + price, cheapest.get(more, units + price))
    # Where the tests are too few, no tree makes so few errors, and nothing is said of what it would cost.
    return Fraction(cheapest.get(needed, 0)) / table.scale


def _classes_needed(instance: Instance, allowed: Fraction) -> int:
    """How many classes must have a leaf: the largest, until no more than the allowed weight is left."""
    weights = sorted((int(units) for units in instance.class_order.counts), reverse=True)
    left, needed = Fraction(sum(weights)), 0
    most = allowed * instance.schema.weight_scale
    while left > most:
        left -= weights[needed]
        needed += 1
    return max(needed, 1)
