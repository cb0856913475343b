"""Nodes: a tree as arrays, numbered breadth first, with an outcome → branch map in each node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import PriceTable
from budgetree.problem.price_table import fees_due

LEAF = -1
NO_BRANCH = -1


@dataclass(frozen=True, eq=False)
class Nodes:
    """One entry per node; a child always has a larger number than its parent.

    branches[first_branch[v] + outcome] is the child for that outcome of v's test, or NO_BRANCH where no known
    case showed it. Several outcomes may lead to one child.
    """

    test: NDArray[np.int32]  # LEAF for leaves
    parent: NDArray[np.int32]  # -1 for the root
    counts: NDArray[np.int64]  # node × class, in weight units
    paid: NDArray[np.int64]  # price units spent on arrival, at the costliest outcome that leads here
    first_branch: NDArray[np.int64]  # -1 for leaves
    branches: NDArray[np.int32]
    fallback: NDArray[np.bool_]  # Pairs chose here, because every other ratio was infinite

    def __post_init__(self) -> None:
        for array in (self.test, self.parent, self.counts, self.paid, self.first_branch, self.branches, self.fallback):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.test)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        leaf: NDArray[np.bool_] = self.test == LEAF
        return leaf

    @cached_property
    def label(self) -> NDArray[np.int64]:
        """The most common class of each node; ties go to the first class."""
        return np.asarray(self.counts.argmax(axis=1), dtype=np.int64)

    @cached_property
    def wrong(self) -> NDArray[np.int64]:
        """Per node, the weight units that it gets wrong as a leaf."""
        return np.asarray(self.counts.sum(axis=1) - self.counts.max(axis=1), dtype=np.int64)

    @cached_property
    def errors(self) -> int:
        """The weight units that the leaves get wrong."""
        return int(self.wrong[self.is_leaf].sum())

    @cached_property
    def levels(self) -> tuple[tuple[int, int], ...]:
        """The range of node numbers at each depth."""
        ranges, first, last = [], 0, 1
        while last > first:
            ranges.append((first, last))
            first, last = last, int(np.searchsorted(self.parent, last, side="left"))
        return tuple(ranges)

    def children(self, node: int, n_outcomes: int) -> NDArray[np.int32]:
        """Per outcome of the node's test, the child or NO_BRANCH."""
        start = int(self.first_branch[node])
        return self.branches[start : start + n_outcomes]

    def pruned(self, stop: NDArray[np.bool_], n_outcomes: NDArray[np.int64]) -> Nodes:
        """The nodes that remain when those in `stop` become leaves."""
        kept = np.zeros(len(self), dtype=bool)
        kept[0] = True
        goes_on = ~(stop | self.is_leaf)
        for first, last in self.levels[1:]:
            above = self.parent[first:last]
            kept[first:last] = kept[above] & goes_on[above]
        renumbered = np.cumsum(kept) - 1
        test = np.where(goes_on, self.test, LEAF)[kept]
        parent = np.where(self.parent[kept] >= 0, renumbered[self.parent[kept]], -1)
        width = np.where(test == LEAF, 0, n_outcomes[test])
        first_branch = np.where(test == LEAF, -1, np.cumsum(width) - width)
        # The branches of the nodes that go on, gathered one run per node.
        run_start = np.repeat(self.first_branch[kept] - (np.cumsum(width) - width), width)
        old = self.branches[run_start + np.arange(width.sum())]
        return Nodes(
            test=test.astype(np.int32),
            parent=parent.astype(np.int32),
            counts=self.counts[kept],
            paid=self.paid[kept],
            first_branch=first_branch.astype(np.int64),
            branches=np.where(old >= 0, renumbered[old], NO_BRANCH).astype(np.int32),
            fallback=(self.fallback & goes_on)[kept],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """What doing each node's test costs there: fees due, and whether the test itself was already paid above.

    price[v, outcome] is all that v's test costs with that outcome; its last column is for an outcome that is on no
    list, which costs what the costliest does.
    """

    price: NDArray[np.int64]  # node × outcome
    fees_due: NDArray[np.int64]
    repeated: NDArray[np.bool_]
    unpaid: NDArray[np.int64]  # which fees are due, as bits

    @property
    def costliest(self) -> NDArray[np.int64]:
        """Per node, what its test costs at most; 0 for leaves."""
        most: NDArray[np.int64] = self.price[:, -1]
        return most


def charges(test: NDArray[np.int32], parent: NDArray[np.int32], table: PriceTable) -> Charges:
    """Walk down from the root, remembering which tests and fees each path has paid."""
    size = len(test)
    repeated = np.zeros(size, dtype=bool)
    unpaid = np.zeros(size, dtype=np.int64)
    tests_done = [0] * size  # bit sets
    fees_paid = [0] * size
    for node in range(size):
        above = int(parent[node])
        if above >= 0:
            tests_done[node] = tests_done[above] | (1 << int(test[above]))
            fees_paid[node] = fees_paid[above] | int(table.fee_mask[test[above]])
        if test[node] != LEAF:
            repeated[node] = bool(tests_done[node] >> int(test[node]) & 1)
            unpaid[node] = int(table.fee_mask[test[node]]) & ~fees_paid[node]
    due = fees_due(unpaid, table.fees)
    own = np.column_stack([table.own, table.costliest])[test]
    is_free = repeated | (test == LEAF)
    return Charges(np.where(is_free[:, None], 0, own) + due[:, None], due, repeated, unpaid)


def paid_on_arrival(nodes: Nodes, due: Charges, n_outcomes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per node, what a path has paid when it comes there, at the costliest outcome that leads to it."""
    paid = np.zeros(len(nodes), dtype=np.int64)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        test = nodes.test[node]
        for outcome, child in enumerate(nodes.children(node, int(n_outcomes[test]))):
            if child != NO_BRANCH:
                paid[child] = max(paid[child], paid[node] + due.price[node, outcome])
    return paid
