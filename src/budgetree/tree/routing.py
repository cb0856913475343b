"""Routing: where each row of codes ends and what it has paid, all rows at once."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.nodes import LEAF, NO_BRANCH

MANY_ROWS = 50_000  # fewer are done before the compiled twin is loaded, which takes 0.1 s
ROWS_WORTH_NUMBA = 4_000_000  # that took the plain twin as long as importing numba takes


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A tree as the arrays that a walk through it reads."""

    test: NDArray[np.int32]
    first_branch: NDArray[np.int64]
    branches: NDArray[np.int32]
    n_outcomes: NDArray[np.int64]  # per test
    price: NDArray[np.int64]  # node × outcome: own price and fees due; the last column for an outcome not on the list


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Per row the node where it ends and the price units it paid."""

    node: NDArray[np.int32]
    paid: NDArray[np.int64]


class _Past:
    rows = 0  # walked plainly in this process so far


def walk(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """By the kernel where that pays, else plainly; the answer is the same."""
    pays = "numba" in sys.modules or _Past.rows + len(codes) > ROWS_WORTH_NUMBA
    if pays and len(codes) >= MANY_ROWS:
        return walk_compiled(chart, codes)
    _Past.rows += len(codes)
    return walk_plainly(chart, codes)


def walk_compiled(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """One row after the other, in one compiled loop."""
    from budgetree.tree.routing_kernel import walk_rows  # numba takes half a second to import

    ends = Ends(np.zeros(len(codes), dtype=np.int32), np.zeros(len(codes), dtype=np.int64))
    walk_rows(
        codes, chart.test, chart.first_branch, chart.branches, chart.n_outcomes, chart.price, ends.node, ends.paid
    )
    return ends


def walk_plainly(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """Move all rows down one level at a time."""
    at = np.zeros(len(codes), dtype=np.int32)
    paid = np.zeros(len(codes), dtype=np.int64)
    moving = np.arange(len(codes)) if chart.test[0] != LEAF else np.arange(0)
    while len(moving):
        here = at[moving]
        test = chart.test[here]
        outcome = codes[moving, test].astype(np.int64)
        known = outcome < chart.n_outcomes[test]
        outcome = np.where(known, outcome, -1)
        paid[moving] += chart.price[here, outcome]
        child = np.where(known, chart.branches[chart.first_branch[here] + np.maximum(outcome, 0)], NO_BRANCH)
        found = child != NO_BRANCH
        moving, child = moving[found], child[found]
        at[moving] = child
        moving = moving[chart.test[child] != LEAF]
    return Ends(at, paid)
