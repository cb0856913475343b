"""Counting in NumPy: the plain twin of the core's counting, and what serves where there is no core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Instance

CELLS_AT_ONCE = 1 << 22  # bounds the memory of the index arrays


def count_in_numpy(instance: Instance, rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """The weight of every (test, outcome, class) among these rows."""
    n_tests, n_classes = instance.n_tests, instance.n_classes
    n_outcomes = int(instance.schema.n_outcomes.max())
    size = n_tests * n_outcomes * n_classes
    counts = np.zeros(size, dtype=np.int64)
    test_offset = np.arange(n_tests, dtype=np.int64) * (n_outcomes * n_classes)
    step = max(1, CELLS_AT_ONCE // n_tests)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        cell = instance.codes[part].astype(np.int64) * n_classes + instance.labels[part][:, None] + test_offset
        if instance.has_unit_weights:
            counts += np.bincount(cell.ravel(), minlength=size)
        else:
            np.add.at(counts, cell.ravel(), np.repeat(instance.weight_units[part], n_tests))
    return counts.reshape(n_tests, n_outcomes, n_classes)
