"""Partition: the core moves and counts as NumPy does, and nothing depends on how cases are cut."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import random_cases

from _support.reference_growth import count_slots_in_numpy, move_in_numpy
from budgetree.distributed.partition import NOWHERE, Moves, Partition, Step, add, count, joined, move
from sharding import cut

SHAPES = [(60, 4, 5), (900, 37, 3), (700, 5, 40), (4000, 50, 10), (1, 1, 2)]


def at_random(partition: Partition, n_positions: int, seed: int) -> tuple[Any, Step]:
    """Positions, and a step that moves from them and counts some of where they lead."""
    rng = np.random.default_rng(seed)
    positions = rng.integers(-1, n_positions, len(partition)).astype(np.int32)
    test = rng.integers(-1, partition.codes.shape[1], n_positions).astype(np.int32)
    below = rng.integers(-1, 2 * n_positions, (n_positions, int(partition.n_outcomes.max()))).astype(np.int32)
    slots = rng.permutation(np.r_[np.arange(n_positions), np.full(n_positions, NOWHERE)]).astype(np.int32)
    return positions, Step((Moves(test, below),), slots, n_positions)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_positions", [1, 3, 200])
def test_the_core_moves_and_counts_as_numpy_does(shape: tuple[int, int, int], weighted: bool, n_positions: int) -> None:
    (partition,) = cut(random_cases(shape, weighted), 1)
    positions, step = at_random(partition, n_positions, seed=n_positions)
    moved = move(partition, positions, step)
    counts = count(partition, moved, step)
    by_case = count(partition, moved, Step((), step.slots, step.n_slots, by_case=True))
    assert (moved == move_in_numpy(partition, positions, *step.moves)).all()
    assert (counts == count_slots_in_numpy(partition, moved, step)).all()
    assert (by_case == count_slots_in_numpy(partition, moved, replace(step, by_case=True))).all()


def test_a_case_follows_its_outcomes_and_is_counted_where_it_ends() -> None:
    codes = np.array([[0, 1], [1, 1], [1, 0], [1, 1]], dtype=np.uint8)
    partition = Partition(
        codes, np.array([0, 1, 1, 0], np.int32), np.array([1, 2, 3, 4]), np.array([2, 2], np.int32), 2
    )
    by_first = Moves(np.array([0], np.int32), np.array([[NOWHERE, 0]], np.int32))
    step = Step((by_first,), np.array([0], np.int32), 1)
    positions = move(partition, None, step)
    assert positions.tolist() == [NOWHERE, 0, 0, 0]
    assert count(partition, positions, step).tolist() == [[[0, 0], [4, 5], [0, 3], [4, 2]]]
    again = Step((Moves(np.array([NOWHERE], np.int32), np.zeros((1, 2), np.int32)),), np.array([0], np.int32), 1)
    assert move(partition, positions, again).tolist() == [NOWHERE] * 4


def test_an_empty_partition_has_nothing_to_count() -> None:
    partitions = cut(random_cases((5, 3, 2), weighted=False), 50)
    empty = next(partition for partition in partitions if not len(partition))
    step = Step((), np.zeros(1, np.int32), 1)
    assert count(empty, move(empty, None, step), step).sum() == 0
    assert len(joined(partitions)) == 5


def test_partitions_add_up_to_the_whole_and_remember_weights() -> None:
    for weighted in (False, True):
        whole, *_ = cut(random_cases((500, 6, 4), weighted), 1)
        parts = cut(random_cases((500, 6, 4), weighted), 7)
        step = Step((), np.zeros(1, np.int32), 1)
        total = add([count(part, move(part, None, step), step) for part in parts])
        assert (total == count(whole, move(whole, None, step), step)).all()
        one = joined(parts)
        assert (total == count(one, move(one, None, step), step)).all()


def test_codes_that_no_test_has_are_refused() -> None:
    partition = Partition(np.full((3, 1), 9, np.uint8), np.zeros(3, np.int32), None, np.array([2], np.int32), 1)
    step = Step((), np.zeros(1, np.int32), 1)
    with pytest.raises((ValueError, IndexError)):
        count(partition, move(partition, None, step), step)


def test_a_partition_says_its_size_and_can_be_sent() -> None:
    (partition,) = cut(random_cases((500, 6, 4), weighted=True), 1)
    assert partition.nbytes == partition.codes.nbytes + partition.labels.nbytes + len(partition) * 8
    assert (pickle.loads(pickle.dumps(partition)).codes == partition.codes).all()
