"""Spots: the largest child is left over where that is less work, and its counts come out right."""

from __future__ import annotations

import numpy as np

from budgetree.counts.shard import NOWHERE
from budgetree.learn.greedy.spots import Spot, Work, fill_left_over, moves_to, to_count


def family(*shares: float, leaves: tuple[int, ...] = ()) -> list[Spot]:
    parent = Spot(0, None, 0, None, sum(shares), place=0, test=1, table=np.array([[10, 20]]))
    return [Spot(i + 1, parent, i, None, share, is_open=i not in leaves) for i, share in enumerate(shares)]


def test_of_siblings_the_largest_is_left_over() -> None:
    spots = family(0.6, 0.3, 0.1, leaves=(2,))
    counted, left_over = to_count(spots, Work(10_000, 50, 100))
    assert ([spot.node for spot in counted], [spot.node for spot in left_over]) == ([2, 3], [1])
    spots[1].table, spots[2].table = np.array([[1, 2]]), np.array([[3, 4]])
    fill_left_over(spots, left_over)
    assert spots[0].table is not None
    assert spots[0].table.tolist() == [[6, 14]]


def test_leaves_are_not_counted_where_that_is_more_work() -> None:
    spots = family(0.2, 0.5, 0.3, leaves=(1, 2))
    counted, left_over = to_count(spots, Work(10_000, 50, 100))
    assert ([spot.node for spot in counted], left_over) == ([1], [])
    counted, left_over = to_count(family(0.6, 0.4), None)  # no room for parents' tables
    assert (len(counted), left_over) == (2, [])


def test_what_is_known_is_not_counted() -> None:
    spots = family(0.6, 0.4)
    spots[0].table = np.array([[5, 5]])
    counted, left_over = to_count(spots, Work(10_000, 50, 100))
    assert (counted, left_over) == ([], [spots[1]])
    fill_left_over(spots, left_over)
    assert spots[1].table is not None
    assert spots[1].table.tolist() == [[5, 15]]


def test_whoever_has_no_place_has_ended() -> None:
    spots = family(0.6, 0.3, 0.1)
    spots[2].place = 0
    assert spots[0].parent is not None
    moves = moves_to(spots, [spots[0].parent], 4)
    assert moves.test.tolist() == [1]
    assert moves.below.tolist() == [[NOWHERE, NOWHERE, 0, NOWHERE]]
