"""Packed rows and counting, against NumPy on the codes as they came."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import budgetree as bt
from _support.reference_growth import count_in_numpy
from budgetree._core import Clock, PackedTable, parts
from budgetree.learn.greedy.native import native_instance

# cases, tests, outcomes, classes: four bits and bytes, comparing, cell by cell, one and many blocks, few and many rows
SHAPES = [
    (1, 1, 1, 1), (3, 2, 2, 2), (40, 16, 3, 2), (300, 17, 2, 3), (700, 33, 10, 2), (520, 50, 16, 4), (400, 31, 17, 3),
    (300, 64, 25, 2), (257, 5, 61, 3), (900, 2, 254, 2), (600, 40, 255, 3), (1500, 3, 5, 500), (30, 3000, 4, 3),
]  # fmt: skip


def random_instance(shape: tuple[int, int, int, int], weights: str, seed: int = 0) -> bt.Instance:
    n_cases, n_tests, n_outcomes, n_classes = shape
    rng = np.random.default_rng(seed)
    widths = rng.integers(1, n_outcomes + 1, n_tests)
    widths[rng.integers(n_tests)] = n_outcomes
    codes = rng.integers(0, widths, (n_cases, n_tests))
    given = {
        "none": None,
        "zeros": rng.integers(0, 2, n_cases) + (np.arange(n_cases) == 0),
        "any": rng.integers(0, 7, n_cases) + (np.arange(n_cases) == 0),
    }[weights]
    return bt.Instance(
        codes,
        rng.integers(0, n_classes, n_cases),
        weights=given,
        class_names=range(n_classes),
        outcome_names=[range(width) for width in widths],
    )


def by_class(instance: bt.Instance) -> NDArray[np.int32]:
    return instance.class_order.order


@pytest.mark.parametrize("weights", ["none", "zeros", "any"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_hold_the_codes_sorted_by_class(shape: tuple[int, int, int, int], weights: str) -> None:
    instance = random_instance(shape, weights)
    table = PackedTable(native_instance(instance).cases, Clock())
    codes, units = parts.unpack(table)
    order = by_class(instance)
    assert table.n_rows == len(order)
    assert (codes == instance.codes[order]).all()
    assert (units == instance.weight_units[order]).all()


@pytest.mark.parametrize("weights", ["none", "zeros", "any"])
@pytest.mark.parametrize("shape", SHAPES)
def test_counts_are_numpys(shape: tuple[int, int, int, int], weights: str) -> None:
    instance = random_instance(shape, weights)
    table = PackedTable(native_instance(instance).cases, Clock())
    order = by_class(instance)
    assert (parts.count_all(table) == count_in_numpy(instance, order)).all()
    rng = np.random.default_rng(1)
    for share in (0.01, 0.3, 0.9):
        numbers = np.flatnonzero(rng.random(len(order)) < share).astype(np.int32)
        assert (parts.count(table, numbers) == count_in_numpy(instance, order[numbers])).all()


@settings(max_examples=40)
@given(
    shape=st.tuples(st.integers(1, 600), st.integers(1, 70), st.integers(1, 40), st.integers(1, 6)),
    weights=st.sampled_from(["none", "zeros", "any"]),
    seed=st.integers(0, 1000),
)
def test_any_table_is_counted_right(shape: tuple[int, int, int, int], weights: str, seed: int) -> None:
    instance = random_instance(shape, weights, seed)
    table = PackedTable(native_instance(instance).cases, Clock())
    assert (parts.count_all(table) == count_in_numpy(instance, by_class(instance))).all()


def test_a_class_of_one_outcome_fills_every_counter() -> None:
    # 15, 16, 255 and 256 equal rows: where half bytes and bytes are full.
    for n_cases in (1, 2, 14, 15, 16, 30, 254, 255, 256, 510, 511, 3000):
        instance = bt.Instance(np.full((n_cases, 40), 9), np.zeros(n_cases, int))
        table = PackedTable(native_instance(instance).cases, Clock())
        assert (parts.count_all(table) == count_in_numpy(instance, by_class(instance))).all()
