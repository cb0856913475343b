"""Routing: where each row of codes ends and what it has paid, all rows at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.core import core
from budgetree.tree.nodes import LEAF, NO_BRANCH


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


def walk(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """By the native core where there is one, else plainly; the answer is the same."""
    return walk_plainly(chart, codes) if core is None else walk_natively(chart, codes)


def walk_natively(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """One row after the other, all cores at once where there are many rows."""
    from budgetree._core import Clock, Route

    ends = Ends(np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int64))
    route = Route(chart.test, chart.first_branch, chart.branches, chart.n_outcomes, chart.price)
    route.walk(codes, ends.node, ends.paid, Clock())
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
