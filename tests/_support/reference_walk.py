"""A walk through a tree without the native core: all rows go down one level at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.tree import LEAF, NO_BRANCH
from budgetree.tree.routing import Ends, Map


def walk_plainly(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """Where each row ends, and what it has paid."""
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
