"""How an instance is laid out for exact search: tests by price, the objects that count, and a key for each."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.exact.pair_lanes import LANES
from budgetree.learn.exact.parts import KEY, KEY2, LEAF, LEAST, N_STATS, SIZE, TOTAL
from budgetree.learn.exact.search import ALL_TESTS
from budgetree.problem import Instance
from budgetree.problem.duplicates import identical_groups

SEED = 20150509
MOST_COUNTED = 2**16  # objects that 16 bits can count
PAIR_BYTES = 2**30  # beyond it binary tests are counted like any other
SHARE_OF_MEMORY = 0.5
MASK_SLOTS = 32  # sets of masks that a searcher keeps, each for a budget and the fees paid
MOST_DEPTH = 1000  # the search calls itself once per test: a path that is longer would not fit on the stack


def _memory() -> int:
    """The machine's, in bytes; where it does not say, what most have."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30


class TooLargeError(ValueError):
    """The instance is beyond what exact search can hold."""


class Layout:
    """What every searcher of one instance shares and nobody changes."""

    def __init__(self, instance: Instance, budget: int) -> None:
        self.instance = instance
        table = instance.schema.table
        self.by_price = np.argsort(table.dearest, kind="stable").astype(np.int32)
        rows = instance.class_order.order
        self.n_objects, self.n_tests = len(rows), instance.n_tests
        self.n_classes = instance.n_classes
        self.width = int(instance.schema.n_outcomes.max())
        own = np.ascontiguousarray(table.own[self.by_price])
        shown = np.ascontiguousarray(instance.schema.n_outcomes[self.by_price])
        self.money = (own, table.dearest[self.by_price], shown, table.fee_mask[self.by_price], table.fees)
        self.cheapest = table.cheapest[self.by_price]
        self.has_one_price = len(table.fees) == 0 and bool((own == own[0, 0]).all())
        self.most_depth = self._most_depth(budget)
        self.is_binary = (
            self.width == 2
            and instance.has_unit_weights
            and self.n_objects < MOST_COUNTED
            and self._pair_bytes() <= PAIR_BYTES
        )
        self._check_size()
        self.codes = np.ascontiguousarray(instance.codes[rows][:, self.by_price])
        self.labels = instance.labels[rows].astype(np.int32)
        weights = instance.weight_units[rows]
        self.counted_as = np.int32 if int(weights.sum()) < 2**31 else np.int64
        self.weights = weights.astype(self.counted_as)
        numbers = np.random.default_rng(SEED).integers(-(2**63), 2**63, size=(2, self.n_objects))
        self.keys = (self._unavoidable(weights), numbers[0], numbers[1])
        self.data = (self.codes, self.labels, self.weights, self.n_classes, self.width)
        self.root = self._root()

    @property
    def lanes(self) -> int:
        """The columns of a block of bits: the tests, one that is always one, and what fills the last vector."""
        return -(-(self.n_tests + 1) // LANES) * LANES

    @property
    def leaf_errors(self) -> int:
        return int(self.root[LEAF])

    @property
    def unavoidable_errors(self) -> int:
        return int(self.root[LEAST])

    @property
    def work_for_two(self) -> float:
        """About how many nanoseconds the last two tests of the whole set take."""
        return self.n_objects * self.n_tests**2 / (256 if self.is_binary else 1)

    def _pair_bytes(self) -> int:
        """What a searcher takes for pair counts and masks."""
        square = 2 * self.n_tests * self.lanes
        masks = 0 if self.has_one_price else 4 * (MASK_SLOTS + 1) * square
        return self.most_depth * (self.n_classes * square + 4 * self.n_objects) + masks

    def _most_depth(self, budget: int) -> int:
        """No path has more tests: there are no more, no more fit, or no more objects are left to tell apart."""
        affordable = int((np.cumsum(np.sort(self.cheapest).astype(float)) <= budget).sum())
        return min(affordable, self.n_tests, self.n_objects) + 2

    def _check_size(self) -> None:
        if self.n_tests >= ALL_TESTS:
            raise TooLargeError(
                f"instance: it has {self.n_tests} tests; exact search takes up to {ALL_TESTS - 1}. "
                "Leave out tests, or be content with greedy trees."
            )
        if self.most_depth > MOST_DEPTH:
            raise TooLargeError(
                f"instance: within this budget a path may have {self.most_depth - 2} tests; exact search follows up to "
                f"{MOST_DEPTH - 2}. Give a smaller budget, leave out tests, or be content with greedy trees."
            )
        per_object = self.n_tests + 2 * 8 * N_STATS + 80
        per_depth = 2 * 4 * self.n_tests + 8 * N_STATS * self.width
        needed = self.n_objects * per_object + self.most_depth * per_depth
        needed += self.n_tests * self.width * (self.n_classes + 1) * 8
        if needed > SHARE_OF_MEMORY * _memory():
            raise TooLargeError(
                f"instance: exact search on {self.n_objects} objects × {self.n_tests} tests would take about "
                f"{needed / 2**30:.1f} GB beside its cache, more than half of this machine's memory. Use a sample of "
                "the objects, fewer tests or a smaller budget; or be content with greedy trees."
            )

    def _unavoidable(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per object, its weight if identical objects outvote it: every tree gets it wrong."""
        group = identical_groups(self.codes)[1]
        votes = np.zeros((int(group.max()) + 1, self.n_classes), dtype=np.int64)
        np.add.at(votes, (group, self.labels), weights)
        outvoted: NDArray[np.int64] = np.where(votes.argmax(axis=1)[group] == self.labels, 0, weights)
        return outvoted

    def _root(self) -> NDArray[np.int64]:
        counts = self.instance.class_order.counts
        root = np.zeros(N_STATS, dtype=np.int64)
        root[SIZE] = self.n_objects
        root[TOTAL] = counts.sum()
        root[LEAF] = counts.sum() - counts.max()
        root[LEAST], root[KEY], root[KEY2] = (numbers.sum() for numbers in self.keys)
        return root
