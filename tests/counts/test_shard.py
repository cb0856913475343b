"""Shard: the core moves and counts as NumPy does, and nothing depends on how cases are cut into shards."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from support import random_cases

from budgetree.counts import Moves, Shard, Step
from budgetree.counts.shard import NOWHERE, add, count, joined, move
from sharding import cut

SHAPES = [(60, 4, 5), (900, 37, 3), (700, 5, 40), (4000, 50, 10), (1, 1, 2)]


def at_random(shard: Shard, n_places: int, seed: int) -> tuple[Any, Step]:
    """Places, and a step that moves from them and counts some of where they lead."""
    rng = np.random.default_rng(seed)
    places = rng.integers(-1, n_places, len(shard)).astype(np.int32)
    test = rng.integers(-1, shard.codes.shape[1], n_places).astype(np.int32)
    below = rng.integers(-1, 2 * n_places, (n_places, int(shard.n_outcomes.max()))).astype(np.int32)
    slots = rng.permutation(np.r_[np.arange(n_places), np.full(n_places, NOWHERE)]).astype(np.int32)
    return places, Step((Moves(test, below),), slots, n_places)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_places", [1, 3, 200])
def test_the_core_moves_and_counts_as_numpy_does(
    shape: tuple[int, int, int], weighted: bool, n_places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shard,) = cut(random_cases(shape, weighted), 1)
    places, step = at_random(shard, n_places, seed=n_places)
    moved = move(shard, places, step)
    counts = count(shard, moved, step)
    by_case = count(shard, moved, Step((), step.slots, step.n_slots, by_case=True))
    monkeypatch.setattr("budgetree.counts.shard.core", None)
    assert (moved == move(shard, places, step)).all()
    assert (counts == count(shard, moved, step)).all()
    assert (by_case == count(shard, moved, Step((), step.slots, step.n_slots, by_case=True))).all()


def test_a_case_follows_its_outcomes_and_is_counted_where_it_ends() -> None:
    codes = np.array([[0, 1], [1, 1], [1, 0], [1, 1]], dtype=np.uint8)
    shard = Shard(codes, np.array([0, 1, 1, 0], np.int32), np.array([1, 2, 3, 4]), np.array([2, 2], np.int32), 2)
    by_first = Moves(np.array([0], np.int32), np.array([[NOWHERE, 0]], np.int32))
    step = Step((by_first,), np.array([0], np.int32), 1)
    places = move(shard, None, step)
    assert places.tolist() == [NOWHERE, 0, 0, 0]
    assert count(shard, places, step).tolist() == [[[0, 0], [4, 5], [0, 3], [4, 2]]]
    again = Step((Moves(np.array([NOWHERE], np.int32), np.zeros((1, 2), np.int32)),), np.array([0], np.int32), 1)
    assert move(shard, places, again).tolist() == [NOWHERE] * 4


def test_an_empty_shard_has_nothing_to_count() -> None:
    shards = cut(random_cases((5, 3, 2), weighted=False), 50)
    empty = next(shard for shard in shards if not len(shard))
    step = Step((), np.zeros(1, np.int32), 1)
    assert count(empty, move(empty, None, step), step).sum() == 0
    assert len(joined(shards)) == 5


def test_shards_add_up_to_the_whole_and_remember_weights() -> None:
    for weighted in (False, True):
        whole, *_ = cut(random_cases((500, 6, 4), weighted), 1)
        parts = cut(random_cases((500, 6, 4), weighted), 7)
        step = Step((), np.zeros(1, np.int32), 1)
        total = add([count(part, move(part, None, step), step) for part in parts])
        assert (total == count(whole, move(whole, None, step), step)).all()
        one = joined(parts)
        assert (total == count(one, move(one, None, step), step)).all()


def test_codes_that_no_test_has_are_refused() -> None:
    shard = Shard(np.full((3, 1), 9, np.uint8), np.zeros(3, np.int32), None, np.array([2], np.int32), 1)
    step = Step((), np.zeros(1, np.int32), 1)
    with pytest.raises((ValueError, IndexError)):
        count(shard, move(shard, None, step), step)


def test_a_shard_says_its_size_and_can_be_sent() -> None:
    (shard,) = cut(random_cases((500, 6, 4), weighted=True), 1)
    assert shard.nbytes == shard.codes.nbytes + shard.labels.nbytes + len(shard) * 8
    assert (pickle.loads(pickle.dumps(shard)).codes == shard.codes).all()
