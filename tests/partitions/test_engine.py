"""LocalEngine: counts of all partitions together, with any number of threads; old positions may be asked again."""

from __future__ import annotations

import numpy as np
from support import random_cases

from budgetree.distributed.cases import LocalEngine
from budgetree.distributed.partition import Moves, Step
from budgetree.learn.greedy.native import count_classes
from sharding import cut


def test_threads_and_partitions_change_nothing() -> None:
    instance = random_cases((300, 5, 4), weighted=True)
    everything = count_classes(instance, instance.class_order.order)
    step = Step((), np.zeros(1, np.int32), 1)
    for n_parts in (1, 2, 7, 50):
        for threads in (1, 3):
            engine = LocalEngine(cut(instance, n_parts), threads)
            counts, _ = engine.advance(engine.start(), step)
            assert (counts.reshape(everything.shape) == everything).all()


def test_positions_of_an_earlier_level_can_be_asked_again() -> None:
    instance = random_cases((300, 5, 4), weighted=False)
    engine = LocalEngine(cut(instance, 3), 2)
    by_second = Moves(np.array([1], np.int32), np.array([[0, 1, 2, -1]], np.int32))
    _, start = engine.advance(engine.start(), Step((), np.zeros(1, np.int32), 1))
    step = Step((by_second,), np.array([0, -1, 1], np.int32), 2)
    once, _ = engine.advance(start, step)
    again, _ = engine.advance(start, step)
    assert (once == again).all()
    expected = [count_classes(instance, np.flatnonzero(instance.codes[:, 1] == code)) for code in (0, 2)]
    assert (once.reshape(np.shape(expected)) == expected).all()
