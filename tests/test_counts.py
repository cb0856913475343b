"""Counting: the compiled kernel against its plain twin, and both against a loop."""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt
from budgetree.counts import MemoryCounter, count_classes
from budgetree.counts.kernels import block_levels, count_node, new_lanes

SHAPES = [(1, 1, 2), (5, 3, 2), (40, 7, 10), (300, 33, 10), (700, 50, 2), (600, 64, 25), (257, 5, 61), (900, 2, 254)]


def random_instance(shape: tuple[int, int, int], weighted: bool) -> bt.Instance:
    n_objects, n_tests, n_outcomes = shape
    rng = np.random.default_rng(n_objects)
    codes = rng.integers(0, n_outcomes, (n_objects, n_tests))
    weights = rng.integers(0, 5, n_objects) + (np.arange(n_objects) == 0) if weighted else None
    return bt.Instance(codes, rng.integers(0, 4, n_objects), weights=weights, class_names="abcd")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_kernel_counts_like_its_twin(shape: tuple[int, int, int], weighted: bool) -> None:
    instance = random_instance(shape, weighted)
    n_outcomes = instance.schema.n_outcomes
    objects = instance.class_order
    weights = instance.weight_units.astype(float) if weighted else np.empty(0)
    tallies = np.full((4, max(2, n_outcomes.max()), instance.n_tests), np.nan)
    count_node(
        instance.codes, instance.labels, weights, objects.order, 0, len(objects.order), objects.counts,
        block_levels(n_outcomes), tallies, new_lanes(),
    )  # fmt: skip
    plain = count_classes(instance, objects.order)
    for c in np.flatnonzero(objects.counts):
        assert (plain[:, :, c] == tallies[c, : n_outcomes.max()].T).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_twin_counts_like_a_loop(weighted: bool) -> None:
    instance = random_instance((60, 4, 5), weighted)
    expected = np.zeros((4, 5, 4), dtype=int)
    for codes, label, weight in zip(instance.codes, instance.labels, instance.weight_units, strict=True):
        for test, outcome in enumerate(codes):
            expected[test, outcome, label] += weight
    counter = MemoryCounter(instance)
    assert (counter.count(counter.everything()) == expected).all()


def test_splitting_parts_the_group_by_outcome() -> None:
    instance = random_instance((60, 4, 5), weighted=False)
    counter = MemoryCounter(instance)
    parts = counter.split(counter.everything(), 2, [0, 3])
    assert [set(instance.codes[part, 2]) for part in parts] == [{0}, {3}]


def test_tables_larger_than_one_batch_are_counted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance((300, 33, 10), weighted=True)
    whole = count_classes(instance, instance.class_order.order)
    monkeypatch.setattr("budgetree.counts.plain.CELLS_AT_ONCE", 100)
    assert (count_classes(instance, instance.class_order.order) == whole).all()
