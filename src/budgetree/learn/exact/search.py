"""Exact search by the core (core/exact/): how an instance is laid out for it, questions and answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.errors import TooLargeError
from budgetree.learn.greedy.native import core_cases
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.tree import LEAF, NO_BRANCH, Nodes
from budgetree.tree.grown import grown_nodes

if TYPE_CHECKING:
    from budgetree._core import Answer, ParallelSearchResult
    from budgetree._core import Pass as Pass
else:
    Pass = core.Pass  # how many tests a search tries at each set: less than all proves nothing

ANY_TEST = -1  # no particular test: as a question any will do, as an answer the tree is a leaf
NEVER = core.NEVER  # a budget beyond all sums
ALL_TESTS = core.ALL_TESTS  # a breadth of a search that leaves nothing out
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
    counts_once = instance.schema.weight_scale == 1 and bool((instance.weight_units <= 1).all())
    return int(instance.schema.n_outcomes.max()) == 2 and counts_once and n_cases < MAX_COUNTED


def work_for_two(instance: Instance) -> float:
    """About how many nanoseconds the last two tests of the whole set take."""
    n_cases = len(instance.class_order.order)
    return float(n_cases * instance.n_tests**2 / (256 if counts_bits(instance) else 1))


class Layout:
    """What all searches of one instance share, read-only.

    Tests are numbered by their costliest price here, cheapest first; by_price[test] is the instance's own number.
    """

    def __init__(self, instance: Instance, budget: int, min_cases: int = 1) -> None:
        cases, losses, costs = instance.class_order.order, instance.schema.loss_table, instance.schema.costs
        self.by_price = np.argsort(costs.costliest, kind="stable").astype(np.int32)  # per test
        self.schema, self.costs = instance.schema, costs.reordered(self.by_price)
        self.n_outcomes = np.ascontiguousarray(instance.schema.n_outcomes[self.by_price])
        self.n_cases, self.n_tests, self.n_classes = len(cases), instance.n_tests, instance.n_classes
        self.width = int(self.n_outcomes.max())
        self.is_binary = counts_bits(instance)
        self.losses = None if losses.is_plain else np.ascontiguousarray(losses.units)  # class × answer
        self.min_cases = min_cases  # of every leaf
        self.max_depth = self._max_depth(budget)
        self._check_size()
        self.codes = np.ascontiguousarray(instance.codes[cases][:, self.by_price])  # case × test: the outcome
        self.labels = instance.labels[cases].astype(np.int32)  # ascending
        self.weights = instance.weight_units[cases]
        self.unavoidable = instance.irreducible.outvoted  # per case: what every tree loses, as equal ones differ
        self.leaf_loss, self.unavoidable_loss = instance.class_order.leaf_loss, instance.irreducible.units

    def _max_depth(self, budget: int) -> int:
        """No path has more tests: there are no more, no more fit, or no more cases are left to tell apart."""
        affordable = int((np.cumsum(np.sort(self.costs.cheapest).astype(float)) <= budget).sum())
        # A test that only unlocks another tells no cases apart.
        n_useful = self.n_tests if self.costs.conditions else self.n_cases
        return min(affordable, self.n_tests, n_useful) + 2

    def _check_size(self) -> None:
        n_tests, longest = self.n_tests, self.max_depth - 2
        needed = self.n_cases * (n_tests + BYTES_PER_CASE)
        needed += self.max_depth * (8 * n_tests + BYTES_PER_OUTCOME * self.width)
        needed += n_tests * self.width * (self.n_classes + 1) * 8
        found, most = None, None
        if self.max_depth > MAX_DEPTH:
            found, most = longest, MAX_DEPTH - 2
            message = f"within this budget a path may have {found} tests; exact search follows up to {most}. Give a "
            message += "smaller budget, leave out tests,"
        elif needed > SHARE_OF_MEMORY * _memory():
            found = needed
            message = f"exact search on {self.n_cases} cases × {n_tests} tests would take about {needed / 2**30:.1f} "
            message += "GB beside its cache, more than half of this machine's memory. Use a sample of the cases, fewer "
            message += "tests or a smaller budget;"
        if found is not None:
            message = f"instance: {message} or use greedy trees."
            raise TooLargeError(message, subject="instance", found=found, expected=most)


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


EVERYTHING = Pass()


class Search:
    """Searches one layout; what it learns stays in its caches, one per worker.

    Long searches are split among workers. Where work is limited there are always as many, so that the answer does not
    depend on the machine; else there is one for each thread.
    """

    def __init__(
        self,
        layout: Layout,
        cache_bytes: int,
        threads: int,
        *,
        limits_work: bool = False,
        may_count_pairs: bool = True,
    ) -> None:
        self._layout, self._threads = layout, threads
        n_workers = core.WORKERS if limits_work else threads
        weights = None if (layout.weights == 1).all() else layout.weights
        cases = core_cases(layout.codes, layout.labels, weights, layout.n_outcomes, layout.n_classes)
        costs = core.CostModel(**layout.costs.lowered)
        policy = core.LeafPolicy(layout.losses, layout.n_classes, layout.min_cases)
        self._search = core.Search(cases, costs, policy, layout.unavoidable, cache_bytes // n_workers, may_count_pairs)

    def search(
        self, budget: int, cutoff: int, clock: Clock, *, by: Pass = EVERYTHING, only: int = ANY_TEST
    ) -> Answer | None:
        """The whole set's answer, or None when the clock is over.

        Its `value` is the fewest errors if below the cutoff, else a lower bound of at least the cutoff; `changes` the
        least larger budget at which that may no longer hold; `need` the least budget that the tree found is known to
        fit; `test` its first test, in the layout's order, or ANY_TEST where it is a leaf.

        With `only` other trees than those that begin with this test are left out; what a narrow
        pass answers bounds nothing from below.
        """
        with clock.in_core() as core_clock:
            question = core.Question(budget, min(cutoff, NEVER), only)
            answer: Answer | None = self._search.ask(question, core_clock, by)
        return answer

    def search_long(
        self, budget: int, cutoff: int, clock: Clock, bound_seconds: float = 0.0, known_bound: int = 0
    ) -> tuple[ParallelSearchResult, Nodes | None]:
        """The same, split by the first test among threads, after so long for a lower bound beyond the known one.

        The answer is None if the clock was over first; with it comes the best tree found below the cutoff.

        Asked again with no larger cutoff it goes on where the clock had ended it.
        """
        with clock.in_core() as core_clock:
            how = (core_clock, self._threads, bound_seconds, known_bound)
            found, tree = self._search.search_in_parallel(core.Question(budget, min(cutoff, NEVER), ANY_TEST), *how)
        return found, None if tree is None else as_nodes(self._layout, tree)

    def tree(
        self,
        budget: int,
        clock: Clock,
        *,
        by: Pass = EVERYTHING,
        first_test: int = ANY_TEST,
        is_canonical: bool = False,
    ) -> Nodes | None:
        """The tree behind an answer to this pass, with its first test where that is known; None when the clock is over.

        The canonical one is the tree that the budget defines, whatever was searched before.
        """
        question = core.Question(budget, NEVER, first_test)
        question.is_canonical = is_canonical
        with clock.in_core() as core_clock:
            tree = self._search.tree(question, core_clock, by)
        return None if tree is None else as_nodes(self._layout, tree)


def as_nodes(layout: Layout, tree: Mapping[str, NDArray[Any]]) -> Nodes:
    """A tree whose tests are in the layout's order, with the instance's tests and a branch for every outcome.

    It has arrays, per node and breadth first: `test` (ANY_TEST for a leaf), `parent` (−1 for the root), `outcome`, that
    of the parent's test which leads here, and `counts` by class in weight units.
    """
    test, inner = tree["test"], tree["test"] != ANY_TEST
    width = np.where(inner, layout.n_outcomes[test], 0)
    branches = np.full(int(width.sum()), NO_BRANCH, dtype=np.int32)
    below = np.arange(1, len(test))
    branches[(np.cumsum(width) - width)[tree["parent"][below]] + tree["outcome"][below]] = below
    own = np.where(inner, layout.by_price[test], LEAF).astype(np.int32)
    return grown_nodes(layout.schema, own, tree["counts"], branches, np.zeros(len(test), dtype=bool))
