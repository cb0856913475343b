"""Pool: the memory that trees grown one after another share, so that each set of objects is counted once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.kernel_choice import N_FACTS
from budgetree.learn.kernel_pool import EMPTY, FIRST, LAST, N_ROWS, N_SETS, N_SLOTS, NOT_COUNTED, SLOT
from budgetree.problem import Instance

SPARE_SLOTS = 256  # beside one per object: on the paper's sets a whole portfolio counts fewer sets than objects
SETS_PER_SLOT = 8  # most sets are pure leaves, which are never counted
SPLITS_PER_SLOT = 4
MOST_PASSES = 200  # row numbers beyond so many times all objects are never needed
ROWS_SHARE = 4  # at most this part of the memory holds row numbers

Shape = tuple[int, int, int]  # classes, outcomes, tests


class Pool:
    """The kernel's arrays for shared sets, laid out at once: memory that is never written is never used.

    cache_bytes None is a pool that holds nothing: room for one node's tallies, for growth without sharing.
    """

    def __init__(self, instance: Instance, shape: Shape, cache_bytes: int | None) -> None:
        n_classes, width, n_tests = shape
        cells = width * n_tests
        self._order = instance.class_order.order
        self.is_shared = cache_bytes is not None
        n_slots, n_sets, n_splits, n_rows = 1, 0, 0, 0
        if cache_bytes is not None:
            slot_bytes = 8 * ((n_classes + 2) * cells + N_FACTS * n_tests + 8 * SETS_PER_SLOT)
            n_rows = max(len(self._order), min(cache_bytes // ROWS_SHARE // 4, MOST_PASSES * len(self._order)))
            affordable = (cache_bytes - cache_bytes // ROWS_SHARE) // slot_bytes
            n_slots = 1 + max(1, min(len(self._order) + SPARE_SLOTS, affordable))
            n_sets, n_splits = SETS_PER_SLOT * n_slots + width, SPLITS_PER_SLOT * n_slots
        self.rows = np.empty(n_rows, np.int32)
        self._sets = np.empty((n_sets, 3), np.int64)
        self._sums = np.empty((n_sets, 2), np.uint64)
        self._set_table = np.empty(_table_size(n_sets), np.int32)
        self._split_table = np.empty(_table_size(n_splits), np.int32)
        self._random = np.empty((instance.n_objects if self.is_shared else 0, 2), np.uint64)
        self._sizes = np.zeros(4, np.int64)
        # What kernel.grow_nodes calls `pool` and `slots`.
        self.arrays: tuple[NDArray[Any], ...] = (
            self.rows,
            self._sets,
            self._sums,
            self._set_table,
            np.empty(n_splits, np.int64),
            self._split_table,
            np.empty((n_splits, width), np.int32),
            self._random,
            self._sizes,
        )
        self.slots: tuple[NDArray[Any], ...] = (
            np.empty((n_slots, *shape)),
            np.empty((n_slots, 2, cells)),
            np.empty((n_slots, N_FACTS, n_tests)),
            np.array([n_sets, n_slots, n_splits, n_rows]),
        )
        if self.is_shared:
            # Any numbers will do, and the same ones keep runs alike.
            self._random[:] = np.random.default_rng(0).integers(0, 2**64, self._random.shape, dtype=np.uint64)
            self.clear()

    def clear(self) -> None:
        """Forget everything but the set of all objects."""
        self._set_table.fill(EMPTY)
        self._split_table.fill(EMPTY)
        self.rows[: len(self._order)] = self._order
        self._sums[0] = self._random[self._order].sum(axis=0, dtype=np.uint64)
        self._sets[0, [FIRST, LAST, SLOT]] = 0, len(self._order), NOT_COUNTED
        self._set_table[int(self._sums[0, 0]) & (len(self._set_table) - 1)] = 0
        self._sizes[:] = 0
        self._sizes[[N_SETS, N_SLOTS, N_ROWS]] = 1, 1, len(self._order)

    @property
    def is_fresh(self) -> bool:
        """True when no set but the whole is known."""
        return bool(self._sizes[N_SETS] == 1)


def _table_size(entries: int) -> int:
    """A power of two, so that hashing is masking, and at least twice the entries, so that it stays quick."""
    return 1 << (2 * entries + 1).bit_length()
