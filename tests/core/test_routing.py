"""Routing in the core, against the reference implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from _support.reference_walk import walk_plainly
from budgetree import _core
from budgetree.tree.routing import Ends, Map, walk_natively


def random_map(rng: np.random.Generator, n_tests: int, n_nodes: int) -> Map:
    """A tree whose children come after their parents; some branches, and some nodes, are not on any path."""
    n_outcomes = rng.integers(1, 6, n_tests)
    test, branches, first = np.full(n_nodes, -1, dtype=np.int32), [], np.zeros(n_nodes, dtype=np.int64)
    unplaced = list(range(1, n_nodes))
    for node in range(n_nodes):
        unplaced = [child for child in unplaced if child > node]
        if not unplaced or rng.random() < 0.2:
            continue
        test[node] = rng.integers(n_tests)
        first[node] = len(branches)
        for _ in range(n_outcomes[test[node]]):
            child = unplaced.pop(0) if unplaced and rng.random() < 0.7 else -1
            branches.append(child)
    price = rng.integers(0, 100, (n_nodes, int(n_outcomes.max()) + 1))
    return Map(test, first, np.array(branches, dtype=np.int32), n_outcomes, price)


def same(one: Ends, other: Ends) -> bool:
    return np.array_equal(one.node, other.node) and np.array_equal(one.paid, other.paid)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 60), st.integers(0, 300))
def test_every_row_ends_where_the_twin_ends(seed: int, n_tests: int, n_nodes: int, n_rows: int) -> None:
    rng = np.random.default_rng(seed)
    chart = random_map(rng, n_tests, n_nodes)
    codes = rng.choice([0, 1, 2, 3, 4, 5, 6, 255], (n_rows, n_tests)).astype(np.uint8)
    assert same(walk_natively(chart, codes), walk_plainly(chart, codes))


@pytest.mark.parametrize("threads", [1, 2, 7, None])
def test_many_rows_by_any_number_of_threads(threads: int | None) -> None:
    rng = np.random.default_rng(1)
    chart = random_map(rng, 5, 400)
    codes = rng.integers(0, 6, (300_001, 5), dtype=np.uint8)
    ends = Ends(np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int64))
    route = _core.Route(chart.test, chart.first_branch, chart.branches, chart.n_outcomes, chart.price)
    route.walk(codes, ends.node, ends.paid, _core.Clock(), threads)
    assert same(ends, walk_plainly(chart, codes))


def test_rows_that_are_not_in_c_order() -> None:
    rng = np.random.default_rng(2)
    chart = random_map(rng, 4, 50)
    codes = rng.integers(0, 6, (4, 500), dtype=np.uint8).T
    assert same(walk_natively(chart, codes), walk_plainly(chart, codes))


SMALL = Map(
    test=np.array([0, -1, -1], dtype=np.int32),
    first_branch=np.array([0, 0, 0]),
    branches=np.array([1, 2], dtype=np.int32),
    n_outcomes=np.array([2]),
    price=np.ones((3, 3), dtype=np.int64),
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": np.array([], dtype=np.int32)}, "price: expected one row per node"),
        ({"test": np.array([1, -1, -1], dtype=np.int32)}, "test: expected numbers below that of n_outcomes"),
        ({"first_branch": np.array([0, 0])}, "first_branch: expected one entry per node"),
        ({"first_branch": np.array([1, 0, 0])}, "first_branch: expected branches for every outcome"),
        ({"first_branch": np.array([-1, 0, 0])}, "first_branch: expected branches for every outcome"),
        ({"branches": np.array([1, 3], dtype=np.int32)}, "branches: expected nodes further down"),
        ({"branches": np.array([0, 2], dtype=np.int32)}, "branches: expected nodes further down"),
        ({"price": np.ones((3, 2), dtype=np.int64)}, "price: expected a column per outcome and one more"),
        ({"price": np.ones((2, 3), dtype=np.int64)}, "price: expected one row per node"),
    ],
)
def test_arrays_that_a_walk_could_leave_are_refused(change: dict[str, Any], message: str) -> None:
    codes = np.zeros((1, 1), dtype=np.uint8)
    assert walk_natively(SMALL, codes).node.tolist() == [1]
    with pytest.raises(ValueError, match=message):
        walk_natively(replace(SMALL, **change), codes)


def test_codes_and_answers_that_do_not_fit_are_refused() -> None:
    route = _core.Route(SMALL.test, SMALL.first_branch, SMALL.branches, SMALL.n_outcomes, SMALL.price)
    node, paid, clock = np.empty(2, dtype=np.int32), np.empty(2, dtype=np.int64), _core.Clock()
    with pytest.raises(ValueError, match="codes: expected one column per test"):
        route.walk(np.zeros((2, 3), dtype=np.uint8), node, paid, clock)
    with pytest.raises(ValueError, match="node, paid: expected one entry per row of codes"):
        route.walk(np.zeros((3, 1), dtype=np.uint8), node, paid, clock)
    with pytest.raises(ValueError, match="threads: expected at least 1"):
        route.walk(np.zeros((2, 1), dtype=np.uint8), node, paid, clock, 0)
    with pytest.raises(TypeError):  # a copy would be filled instead
        route.walk(np.zeros((2, 1), dtype=np.uint8), node.astype(np.int64), paid, clock)
