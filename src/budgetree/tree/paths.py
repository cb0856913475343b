"""Paths: which tests a case has done where it ends, and which of their answers nobody knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.nodes import LEAF, Nodes

ALL_KNOWN = -1


def tests_on_path(nodes: Nodes) -> list[tuple[int, ...]]:
    """Per node, the tests that a case which ends there has done, in their order.

    In a tree for new cases whoever ends above a test has not done it: the answer was sure before. In any other, the
    test was done, and showed what no known case did there.
    """
    done: list[tuple[int, ...]] = []
    for node, above in enumerate(nodes.parent.tolist()):  # parents come before their children
        before = done[above] if above >= 0 else ()
        test = int(nodes.test[node])
        done.append(before if test == LEAF or test in before else (*before, test))
    if nodes.otherwise is None:
        return done
    return [done[above] if above >= 0 else () for above in nodes.parent.tolist()]


def first_unknown(
    nodes: Nodes, n_outcomes: NDArray[np.int64], codes: NDArray[np.uint8], end: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Per row, the first test that it did and whose answer is on no list; ALL_KNOWN where all are."""
    first = np.full(len(codes), ALL_KNOWN, dtype=np.int64)
    done = tests_on_path(nodes)
    for node in np.unique(end).tolist():
        here = np.flatnonzero(end == node)
        for test in reversed(done[node]):
            first[here[codes[here, test] >= n_outcomes[test]]] = test
    return first
