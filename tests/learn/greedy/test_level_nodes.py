"""Nodes of a level: the largest child is left over where that is less work, and its counts come out right."""

from __future__ import annotations

import numpy as np

from budgetree.distributed.partition import NOWHERE
from budgetree.learn.greedy.levels import Node, Work, fill_left_over, moves_to, to_count
from budgetree.problem import PathState

WORK = Work(1.0, 50, 100)
START = PathState((0,), 0, ())


def family(*weights: int, leaves: tuple[int, ...] = ()) -> list[Node]:
    total, table = sum(weights), np.array([[10, 20]])
    parent = Node(None, 0, np.array([total]), total, START, position=0, test=1, table=table)
    return [
        Node(parent, i, np.array([weight]), weight, START, is_open=i not in leaves) for i, weight in enumerate(weights)
    ]


def test_of_siblings_the_largest_is_left_over() -> None:
    nodes = family(6000, 3000, 1000, leaves=(2,))
    counted, left_over = to_count(nodes, WORK)
    assert ([node.outcome for node in counted], [node.outcome for node in left_over]) == ([1, 2], [0])
    nodes[1].table, nodes[2].table = np.array([[1, 2]]), np.array([[3, 4]])
    fill_left_over(nodes, left_over)
    assert nodes[0].table is not None
    assert nodes[0].table.tolist() == [[6, 14]]


def test_leaves_are_not_counted_where_that_is_more_work() -> None:
    nodes = family(2000, 5000, 3000, leaves=(1, 2))
    counted, left_over = to_count(nodes, WORK)
    assert ([node.outcome for node in counted], left_over) == ([0], [])
    counted, left_over = to_count(family(6000, 4000), None)  # parents' tables do not fit
    assert (len(counted), left_over) == (2, [])


def test_what_is_known_is_not_counted() -> None:
    nodes = family(6000, 4000)
    nodes[0].table = np.array([[5, 5]])
    counted, left_over = to_count(nodes, WORK)
    assert (counted, left_over) == ([], [nodes[1]])
    fill_left_over(nodes, left_over)
    assert nodes[1].table is not None
    assert nodes[1].table.tolist() == [[5, 15]]


def test_a_node_without_a_position_has_ended() -> None:
    nodes = family(6000, 3000, 1000)
    nodes[2].position = 0
    assert nodes[0].parent is not None
    moves = moves_to(nodes, [nodes[0].parent], 4)
    assert moves.test.tolist() == [1]
    assert moves.below.tolist() == [[NOWHERE, NOWHERE, 0, NOWHERE]]
