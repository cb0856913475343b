"""Counting in NumPy: like a loop, in batches of any size."""

from __future__ import annotations

import numpy as np
import pytest
from support import random_cases

from budgetree.counts import count_classes
from budgetree.counts.plain import count_in_numpy


@pytest.mark.parametrize("weighted", [False, True])
def test_numpy_counts_like_a_loop(weighted: bool) -> None:
    instance = random_cases((60, 4, 5), weighted)
    expected = np.zeros((4, 5, 4), dtype=int)
    for codes, label, weight in zip(instance.codes, instance.labels, instance.weight_units, strict=True):
        for test, outcome in enumerate(codes):
            expected[test, outcome, label] += weight
    assert (count_in_numpy(instance, instance.class_order.order) == expected).all()
    assert (count_classes(instance, instance.class_order.order) == expected).all()


def test_tables_larger_than_one_batch_are_counted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_cases((300, 33, 10), weighted=True)
    whole = count_in_numpy(instance, instance.class_order.order)
    monkeypatch.setattr("budgetree.counts.plain.CELLS_AT_ONCE", 100)
    assert (count_in_numpy(instance, instance.class_order.order) == whole).all()
