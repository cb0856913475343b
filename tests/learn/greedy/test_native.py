"""Counting by the core: like a loop in NumPy."""

from __future__ import annotations

import pickle

import pytest
from support import random_cases

from _support.reference_growth import count_in_numpy
from budgetree.learn.greedy.native import count_classes

SHAPES = [(1, 1, 2), (5, 3, 2), (40, 7, 10), (300, 33, 10), (700, 50, 2), (600, 64, 25), (257, 5, 61), (900, 2, 254)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_core_counts_like_numpy(shape: tuple[int, int, int], weighted: bool) -> None:
    instance = random_cases(shape, weighted)
    for rows in (instance.class_order.order, instance.class_order.order[::3]):
        assert (count_classes(instance, rows) == count_in_numpy(instance, rows)).all()


def test_an_instance_can_be_pickled_after_it_was_counted() -> None:
    instance = random_cases((40, 7, 10), weighted=True)
    counted = count_classes(instance, instance.class_order.order)
    again = pickle.loads(pickle.dumps(instance))
    assert (count_classes(again, again.class_order.order) == counted).all()
