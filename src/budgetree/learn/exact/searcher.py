"""A searcher: one thread's working arrays and cache, and the kernel's answers as records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.exact.announce import first_call
from budgetree.learn.exact.answer import ALL_TESTS, ANY_TEST, Answer
from budgetree.learn.exact.cache import N_FIELDS, WAYS, copy_entries
from budgetree.learn.exact.last_two import MOST_WORK, STOP, STOPPED, WORK
from budgetree.learn.exact.layout import Layout
from budgetree.learn.exact.pair_lanes import BLOCK, LANES
from budgetree.learn.exact.parts import FIRST, KEY, KEY2, LEAST, N_STATS, SIZE, TOTAL
from budgetree.learn.exact.parts import LEAF as LEAF_ERRORS
from budgetree.learn.exact.ranking import describe_chain
from budgetree.learn.exact.run import ANSWER, CANONICAL_TREE, TREE, run
from budgetree.learn.exact.splits import NEVER
from budgetree.tree import LEAF, NO_BRANCH, Nodes

FIRST_ROWS = 2**12  # of a cache; it grows as it fills
MOST_BUCKETS = 2**32
NO_LIMIT = int(NEVER)
SEED = 20150509
MASK_SLOTS = 32  # sets of masks, each for a budget and the fees paid


class Searcher:
    """Searches one layout in one thread; what it learns stays in its cache."""

    def __init__(self, layout: Layout, cache_bytes: int) -> None:
        self.layout = layout
        self._counted_as = np.int32 if int(layout.weights.sum()) < 2**31 else np.int64
        n, t, deep = layout.n_objects, layout.n_tests, layout.max_depth + 1
        active = np.empty((deep, t), dtype=np.int32)
        active[0] = np.arange(t)
        chains = np.zeros((deep, 4), dtype=np.int64)
        describe_chain.py_func(active[0], t, layout.costliest, layout.cheapest, chains[0])
        self._ranks = np.full((deep, t), ANY_TEST, dtype=np.int32)
        self._order = np.arange(n, dtype=np.int32)
        self._flags = np.array([0, 0, NEVER], dtype=np.int64)
        self._filled = np.zeros(1, dtype=np.int64)
        self._most_rows = WAYS << max(min(cache_bytes // (8 * N_FIELDS * WAYS), MOST_BUCKETS).bit_length() - 1, 0)
        self._entries = np.zeros((min(FIRST_ROWS, self._most_rows), N_FIELDS), dtype=np.int64)
        tables = (
            self._order,
            active,
            np.full(deep, t, dtype=np.int64),
            chains,
            self._ranks,
            np.zeros((deep, layout.width, N_STATS), dtype=np.int64),
            layout.cheapest,
        )
        cells = t * layout.width * (layout.n_classes + 1)
        scratch = (
            np.empty(n, dtype=np.int32),
            np.zeros((layout.width, layout.n_classes), dtype=self._counted_as),
            np.zeros((layout.width, N_STATS), dtype=np.int64),
            np.empty(t, dtype=np.int32),
            np.empty(cells, dtype=self._counted_as),
            np.empty(t, dtype=self._counted_as),
            np.empty(t, dtype=np.float64),
            np.full(layout.n_classes, -1, dtype=np.int32),
            np.empty(n, dtype=np.int32),
        )
        # Of the two ways to count the last two tests only the one in use is compiled.
        pairwise = None if layout.is_binary else _pairwise(layout)
        bits = _bits(layout, deep) if layout.is_binary else None
        data = (layout.codes, layout.labels, layout.weights.astype(self._counted_as), layout.n_classes, layout.width)
        money = (layout.own, layout.costliest, layout.n_outcomes, layout.fee_mask, layout.fees)
        numbers = np.random.default_rng(SEED).integers(-(2**63), 2**63, size=(2, n))
        keys = (layout.unavoidable, numbers[0], numbers[1])
        self._room = (data, keys, money, tables, scratch)
        self._root = np.zeros(N_STATS, dtype=np.int64)
        self._root[SIZE], self._root[TOTAL], self._root[LEAF_ERRORS] = n, layout.weights.sum(), layout.leaf_errors
        self._root[LEAST], self._root[KEY], self._root[KEY2] = (part.sum() for part in keys)
        self._two_ways = (pairwise, bits)
        self._nodes: tuple[NDArray[Any], ...] = (
            np.empty((2 * n, N_STATS), dtype=np.int64),
            *(np.empty(2 * n, dtype=np.int32) for _ in range(3)),
            *(np.empty(2 * n, dtype=np.int64) for _ in range(2)),
        )

    def stop(self) -> None:
        """Ends the search that is running, from another thread; it answers None."""
        self._flags[STOP] = 1

    def go(self) -> None:
        """Lets searches run after a stop."""
        self._flags[STOP] = 0

    def search(
        self,
        budget: int,
        cutoff: int,
        *,
        breadth: int = ALL_TESTS,
        only: int = ANY_TEST,
        most_work: int = NO_LIMIT,
    ) -> Answer | None:
        """The whole set's answer, or None if stopped or after about most_work nanoseconds.

        With `only` other trees than those that begin with this test are left out; a breadth below ALL_TESTS tries
        only as many tests at each set, and its answer bounds nothing from below.
        """
        self._flags[WORK], self._flags[MOST_WORK] = 0, most_work
        self._ranks[1, 0] = ANY_TEST
        found = self._run(self._flags, breadth, budget, cutoff, only, ANSWER)
        return None if found[0] == STOPPED else Answer(*found)

    def ranking(self) -> list[int]:
        """The tests as the last search ranked them for the whole set; none where it counted all pairs instead."""
        ranked: list[int] = self._ranks[1].tolist()
        return ranked[: ranked.index(ANY_TEST)] if ANY_TEST in ranked else ranked

    def tree(
        self, budget: int, *, breadth: int = ALL_TESTS, first_test: int = ANY_TEST, canonical: bool = False
    ) -> Nodes | None:
        """The tree behind the search's answer; canonical: the same whatever was searched before.

        A canonical tree may take as long as a search, and is None if stopped; another comes from the cache.
        """
        if canonical:
            self._flags[WORK], self._flags[MOST_WORK] = 0, NEVER
            count = self._run(self._flags, breadth, budget, NO_LIMIT, first_test, CANONICAL_TREE)[0]
        else:
            unstoppable = np.array([0, 0, NEVER], dtype=np.int64)
            count = self._run(unstoppable, breadth, budget, NO_LIMIT, first_test, TREE)[0]
        if count == STOPPED:
            return None
        stats, test, parent, outcome, paid, _ = (array[:count] for array in self._nodes)
        return self._as_nodes(stats, test, parent, outcome, paid)

    def _run(self, flags: NDArray[np.int64], breadth: int, budget: int, cutoff: int, only: int, wanted: int) -> Any:
        self._make_room()
        with first_call((self.layout.is_binary, self._counted_as)):
            room = (*self._room, self._entries, self._filled, flags)
            return run(room, *self._two_ways, breadth, self._root, budget, cutoff, only, wanted, self._nodes)

    def _make_room(self) -> None:
        while self._filled[0] > len(self._entries) // 4 and len(self._entries) < self._most_rows:
            larger = np.zeros((min(4 * len(self._entries), self._most_rows), N_FIELDS), dtype=np.int64)
            copy_entries(self._entries, larger, self._filled)
            self._entries = larger

    def _as_nodes(self, stats: Any, test: Any, parent: Any, outcome: Any, paid: Any) -> Nodes:
        layout = self.layout
        inner = test != LEAF
        width = np.where(inner, layout.n_outcomes[test], 0)
        first_branch = np.where(inner, np.cumsum(width) - width, -1)
        branches = np.full(int(width.sum()), NO_BRANCH, dtype=np.int32)
        below = np.arange(1, len(test))
        branches[first_branch[parent[below]] + outcome[below]] = below
        # The objects of a leaf lie side by side; every other node holds what its children do.
        leaves = np.flatnonzero(~inner)
        leaves = leaves[np.argsort(stats[leaves, FIRST])]
        leaf_of = np.repeat(leaves, stats[leaves, SIZE])
        counts = np.zeros((len(test), layout.n_classes), dtype=np.int64)
        np.add.at(counts, (leaf_of, layout.labels[self._order]), layout.weights[self._order])
        for node in range(len(test) - 1, 0, -1):
            counts[parent[node]] += counts[node]
        return Nodes(
            test=np.where(inner, layout.by_price[test], LEAF).astype(np.int32),
            parent=parent.copy(),
            counts=counts,
            paid=paid.copy(),
            first_branch=first_branch.astype(np.int64),
            branches=branches,
            fallback=np.zeros(len(test), dtype=bool),
        )


def _pairwise(layout: Layout) -> tuple[NDArray[np.int32], ...]:
    """The arrays of last_two.py, in its order."""
    return (
        np.empty(layout.n_objects, dtype=np.int32),
        np.empty(layout.n_tests, dtype=np.int32),
    )


def _bits(layout: Layout, levels: int) -> tuple[NDArray[Any], ...]:
    """The arrays of pairs.py, in its order."""
    n, t, k = layout.n_objects, layout.n_tests, layout.n_classes
    lanes = -(-(t + 1) // LANES) * LANES  # the tests, one that is always one, and what fills the last vector
    n_slots = 0 if layout.has_one_price else MASK_SLOTS
    rows = np.zeros((n, lanes), dtype=np.uint8)
    rows[:, :t] = layout.codes
    rows[:, -1] = 1  # the test that shows a one on every object
    masks = np.zeros((n_slots + 1, 4, t if n_slots else 1, lanes), dtype=np.uint16)
    masks[-1, -1, -1] = 0xFFFF  # the row that allows everything
    return (
        rows,
        np.zeros((n // BLOCK + k + 1, lanes), dtype=np.uint8),
        np.zeros(k + 1, dtype=np.int64),
        np.zeros((levels + 2, k), dtype=np.uint16),
        np.zeros((levels, k, t, lanes), dtype=np.uint16),
        np.zeros((levels + 2, k, lanes), dtype=np.uint16),
        np.zeros((k, lanes), dtype=np.uint16),
        np.zeros((2, 2, lanes), dtype=np.uint16),
        masks,
        np.full((n_slots, 3), -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(lanes, dtype=np.uint16),
        np.zeros((levels, t), dtype=np.int32),
        np.zeros((levels, t, 2, 2), dtype=np.int64),
        np.zeros((levels, t), dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.ascontiguousarray(layout.codes.T),
        np.zeros((levels, n), dtype=np.int32),
    )
