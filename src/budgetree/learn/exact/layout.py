"""How an instance is laid out for exact search: the cases that count, sorted by class, and the tests by price."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import TooLargeError
from budgetree.problem import CostModel, Instance

ALL_TESTS = 2**15  # a breadth of a search that leaves nothing out, and more tests than it can have
MAX_COUNTED = 2**16  # cases that 16 bits can count
MAX_DEPTH = 1000  # the search calls itself once per test: a longer path would not fit on the stack
SHARE_OF_MEMORY = 0.5
BYTES_PER_CASE = 256  # of what a search keeps for each case beside its outcomes
BYTES_PER_OUTCOME = 88  # and for each outcome of the test in hand, at every depth


def _memory() -> int:
    """The machine's, in bytes; where it does not say, what most have."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30


def counts_bits(instance: Instance) -> bool:
    """Whether all tests have two outcomes and every case counts once, so that pairs of tests are counted by bits."""
    n_cases = len(instance.class_order.order)
    return int(instance.schema.n_outcomes.max()) == 2 and instance.has_unit_weights and n_cases < MAX_COUNTED


def work_for_two(instance: Instance) -> float:
    """About how many nanoseconds the last two tests of the whole set take."""
    n_cases = len(instance.class_order.order)
    return float(n_cases * instance.n_tests**2 / (256 if counts_bits(instance) else 1))


class Layout:
    """What all searches of one instance share, read-only.

    Tests are numbered by their costliest price here, cheapest first; by_price[test] is the instance's own number.
    """

    codes: NDArray[np.uint8]  # case × test: the outcome
    labels: NDArray[np.int32]  # per case: the class; in ascending order
    weights: NDArray[np.int64]  # per case: how many units it counts
    unavoidable: NDArray[np.int64]  # per case: what every tree loses on it, as identical cases are of other classes
    losses: NDArray[np.int64] | None  # class × answer; None: an error is an error
    by_price: NDArray[np.int32]  # per test
    n_outcomes: NDArray[np.int64]  # per test
    costs: CostModel  # of the tests in this order

    def __init__(self, instance: Instance, budget: int, min_cases: int = 1) -> None:
        cases = instance.class_order.order
        self.by_price = np.argsort(instance.schema.costs.costliest, kind="stable").astype(np.int32)
        self.costs = instance.schema.costs.reordered(self.by_price)
        self.n_outcomes = np.ascontiguousarray(instance.schema.n_outcomes[self.by_price])
        self.n_cases, self.n_tests, self.n_classes = len(cases), instance.n_tests, instance.n_classes
        self.width = int(self.n_outcomes.max())
        self.is_binary = counts_bits(instance)
        losses = instance.schema.loss_table
        self.losses = None if losses.is_plain else np.ascontiguousarray(losses.units)
        self.min_cases = min_cases  # of every leaf
        self.max_depth = self._max_depth(budget)
        self._check_size()
        self.codes = np.ascontiguousarray(instance.codes[cases][:, self.by_price])
        self.labels = instance.labels[cases].astype(np.int32)
        self.weights = instance.weight_units[cases]
        self.unavoidable = instance.irreducible.outvoted
        self.leaf_loss, self.unavoidable_loss = instance.class_order.leaf_loss, instance.irreducible.units

    def _max_depth(self, budget: int) -> int:
        """No path has more tests: there are no more, no more fit, or no more cases are left to tell apart."""
        affordable = int((np.cumsum(np.sort(self.costs.cheapest).astype(float)) <= budget).sum())
        # A test that only unlocks another tells no cases apart.
        n_useful = self.n_tests if self.costs.needs.any() else self.n_cases
        return min(affordable, self.n_tests, n_useful) + 2

    def _check_size(self) -> None:
        if self.n_tests >= ALL_TESTS:
            raise TooLargeError(
                f"instance: it has {self.n_tests} tests; exact search takes up to {ALL_TESTS - 1}. "
                "Leave out tests, or be content with greedy trees.",
                subject="instance",
                found=self.n_tests,
                expected=ALL_TESTS - 1,
            )
        if self.max_depth > MAX_DEPTH:
            raise TooLargeError(
                f"instance: within this budget a path may have {self.max_depth - 2} tests; exact search follows up to "
                f"{MAX_DEPTH - 2}. Give a smaller budget, leave out tests, or be content with greedy trees.",
                subject="instance",
                found=self.max_depth - 2,
                expected=MAX_DEPTH - 2,
            )
        needed = self.n_cases * (self.n_tests + BYTES_PER_CASE)
        needed += self.max_depth * (8 * self.n_tests + BYTES_PER_OUTCOME * self.width)
        needed += self.n_tests * self.width * (self.n_classes + 1) * 8
        if needed > SHARE_OF_MEMORY * _memory():
            raise TooLargeError(
                f"instance: exact search on {self.n_cases} cases × {self.n_tests} tests would take about "
                f"{needed / 2**30:.1f} GB beside its cache, more than half of this machine's memory. Use a sample of "
                "the cases, fewer tests or a smaller budget; or be content with greedy trees.",
                subject="instance",
                found=needed,
            )


def leaf_count_bound(instance: Instance, allowed: Fraction) -> int:
    """What no tree with at most the allowed errors (by weight) costs less than in the worst case, in price units.

    A tree has no more leaves than its tests can tell apart, and answers no more classes than it has leaves: leaves
    within a budget ≤ the largest product of outcomes over tests that cost no more together. To tell 200 faults apart by
    yes or no, some case is asked eight times. What tests share is left out and each test counts at its cheapest
    outcome, so the bound holds whatever a path shows.
    """
    # How many classes must have a leaf: the largest, until no more than the allowed weight is left.
    weights = sorted((int(units) for units in instance.class_order.counts), reverse=True)
    must = sum(weights) - allowed * instance.schema.weight_scale
    needed = max(sum(before < must for before in accumulate(weights[:-1], initial=0)), 1)
    table = instance.schema.costs
    cheapest = {1: 0}  # by how many leaves there may be: the least units that buy so many; more than needed is enough
    for test in range(instance.n_tests):
        shown = np.flatnonzero(np.bincount(instance.codes[:, test]))
        price = int(table.amounts[0, test, shown].min())
        for leaves, units in sorted(cheapest.items(), reverse=True):
            more = min(leaves * len(shown), needed)
            cheapest[more] = min(units + price, cheapest.get(more, units + price))
    # Where the tests are too few, no tree makes so few errors, and nothing is said of what it would cost.
    return cheapest.get(needed, 0)
