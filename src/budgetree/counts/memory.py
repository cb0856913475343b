"""Counting the cases of an instance in this process: by the core where it is there, else in NumPy."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.counts.plain import count_in_numpy
from budgetree.problem import Instance

_cases: WeakKeyDictionary[Instance, Any] = WeakKeyDictionary()


def core_cases(instance: Instance) -> Any:
    """The instance's cases as the core sees them; made once, and nothing is copied."""
    assert core is not None
    cases = _cases.get(instance)
    if cases is None:
        has_weights = not bool((instance.weight_units == 1).all())
        cases = core.Cases(
            np.ascontiguousarray(instance.codes),
            np.ascontiguousarray(instance.labels, dtype=np.int32),
            np.ascontiguousarray(instance.weight_units, dtype=np.int64) if has_weights else None,
            instance.schema.n_outcomes.astype(np.int32),
            instance.n_classes,
            codes_are_checked=True,  # by the instance, whose codes nobody can change
        )
        _cases[instance] = cases
    return cases


def count_classes(instance: Instance, rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """The weight of every (test, outcome, class) among these rows."""
    if core is None:
        return count_in_numpy(instance, rows)
    numbers = np.ascontiguousarray(rows, dtype=np.int32)
    counts: NDArray[np.int64] = core.count_classes(core_cases(instance), numbers, core.Clock())
    return counts
