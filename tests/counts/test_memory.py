"""Counting: whoever counts, counts like a loop."""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt
from budgetree.counts import MemoryCounter, count_classes
from budgetree.counts.plain import count_in_numpy

SHAPES = [(1, 1, 2), (5, 3, 2), (40, 7, 10), (300, 33, 10), (700, 50, 2), (600, 64, 25), (257, 5, 61), (900, 2, 254)]


def random_instance(shape: tuple[int, int, int], weighted: bool) -> bt.Instance:
    n_cases, n_tests, n_outcomes = shape
    rng = np.random.default_rng(n_cases)
    codes = rng.integers(0, n_outcomes, (n_cases, n_tests))
    weights = rng.integers(0, 5, n_cases) + (np.arange(n_cases) == 0) if weighted else None
    return bt.Instance(codes, rng.integers(0, 4, n_cases), weights=weights, class_names="abcd")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_core_counts_like_numpy(shape: tuple[int, int, int], weighted: bool) -> None:
    instance = random_instance(shape, weighted)
    for rows in (instance.class_order.order, instance.class_order.order[::3]):
        assert (count_classes(instance, rows) == count_in_numpy(instance, rows)).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_numpy_counts_like_a_loop(weighted: bool) -> None:
    instance = random_instance((60, 4, 5), weighted)
    expected = np.zeros((4, 5, 4), dtype=int)
    for codes, label, weight in zip(instance.codes, instance.labels, instance.weight_units, strict=True):
        for test, outcome in enumerate(codes):
            expected[test, outcome, label] += weight
    counter = MemoryCounter(instance)
    assert (counter.count(counter.everything()) == expected).all()
    assert (count_in_numpy(instance, counter.everything()) == expected).all()


def test_splitting_separates_the_group_by_outcome() -> None:
    instance = random_instance((60, 4, 5), weighted=False)
    counter = MemoryCounter(instance)
    parts = counter.split(counter.everything(), 2, [0, 3])
    assert [set(instance.codes[part, 2]) for part in parts] == [{0}, {3}]


def test_tables_larger_than_one_batch_are_counted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance((300, 33, 10), weighted=True)
    whole = count_in_numpy(instance, instance.class_order.order)
    monkeypatch.setattr("budgetree.counts.plain.CELLS_AT_ONCE", 100)
    assert (count_in_numpy(instance, instance.class_order.order) == whole).all()


def test_an_instance_can_be_pickled_after_it_was_counted() -> None:
    import pickle

    instance = random_instance((40, 7, 10), weighted=True)
    counted = count_classes(instance, instance.class_order.order)
    again = pickle.loads(pickle.dumps(instance))
    assert (count_classes(again, again.class_order.order) == counted).all()
