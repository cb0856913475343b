"""A tree that an exact search has found, from the layout's order of tests to the instance's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.exact.layout import Layout
from budgetree.tree import LEAF, NO_BRANCH, Nodes


@dataclass(frozen=True, slots=True, eq=False)
class FoundNodes:
    """Per node, numbered breadth first: its test in the layout's order, and where it hangs."""

    test: NDArray[Any]  # ANY_TEST for a leaf
    parent: NDArray[Any]  # −1 for the root
    outcome: NDArray[Any]  # of the parent's test
    paid: NDArray[Any]
    counts: NDArray[Any]  # node × class, in weight units


def as_nodes(found: FoundNodes, layout: Layout) -> Nodes:
    """The same tree with the instance's tests and a branch for every outcome."""
    inner = found.test != LEAF
    width = np.where(inner, layout.n_outcomes[found.test], 0)
    first_branch = np.where(inner, np.cumsum(width) - width, -1)
    branches = np.full(int(width.sum()), NO_BRANCH, dtype=np.int32)
    below = np.arange(1, len(found.test))
    branches[first_branch[found.parent[below]] + found.outcome[below]] = below
    return Nodes(
        test=np.where(inner, layout.by_price[found.test], LEAF).astype(np.int32),
        parent=found.parent.astype(np.int32),
        counts=found.counts.astype(np.int64),
        paid=found.paid.astype(np.int64),
        first_branch=first_branch.astype(np.int64),
        branches=branches,
        fallback=np.zeros(len(found.test), dtype=bool),
    )
