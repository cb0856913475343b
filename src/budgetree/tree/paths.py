"""Paths: which tests a case has done where it ends, and which of their answers nobody knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.nodes import LEAF, Nodes

ALL_KNOWN = -1


def tests_on_path(nodes: Nodes, end: int) -> tuple[int, ...]:
    """The tests that a case which ends at this node has done, in their order.

    In a tree for new cases whoever ends above a test has not done it: the answer was sure before. In any other, the
    test was done, and showed what no known case did there.
    """
    node = end if nodes.otherwise is None else int(nodes.parent[end])
    tests = []
    while node >= 0:
        tests.append(int(nodes.test[node]))
        node = int(nodes.parent[node])
    return tuple(test for test in dict.fromkeys(reversed(tests)) if test != LEAF)


def first_unknown(
    nodes: Nodes, n_outcomes: NDArray[np.int64], codes: NDArray[np.uint8], end: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Per row, the first test that it did and whose answer is on no list; ALL_KNOWN where all are."""
    first = np.full(len(codes), ALL_KNOWN, dtype=np.int64)
    rows, at = np.arange(len(codes)), end.astype(np.int64)
    if nodes.otherwise is not None:
        at = nodes.parent[at].astype(np.int64)
    rows, at = rows[at >= 0], at[at >= 0]
    while len(rows):  # up from where each row ends, so that the first test has the last word
        test = nodes.test[at].astype(np.int64)
        done = np.flatnonzero(test != LEAF)
        unknown = done[codes[rows[done], test[done]] >= n_outcomes[test[done]]]
        first[rows[unknown]] = test[unknown]
        if nodes.otherwise is None:  # what is on no list ends a path, so nothing above the end was
            break
        at = nodes.parent[at].astype(np.int64)
        rows, at = rows[at >= 0], at[at >= 0]
    return first
