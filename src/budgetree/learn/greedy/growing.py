"""GrowingTree: nodes in the making, numbered breadth first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.greedy.rule import Choice
from budgetree.problem import Schema
from budgetree.services.clock import OutOfTimeError
from budgetree.tree import LEAF, NO_BRANCH, Nodes


class EndedEarlyError(OutOfTimeError):
    """A growth whose time was over; the tree so far is a tree, whose open nodes are leaves."""

    def __init__(self, tree: GrowingTree) -> None:
        super().__init__()
        self.tree = tree


class GrowingTree:
    """Every node is a leaf until it is split; nodes must be split in the order of their numbers."""

    def __init__(self, schema: Schema, root_counts: NDArray[np.int64]) -> None:
        self._schema = schema
        self.counts = [root_counts]
        self.paid, self.fees_paid = [0], [0]
        self._test, self._parent, self._fallback, self._first_branch = [LEAF], [-1], [False], [-1]
        self._branches: list[int] = []

    def __len__(self) -> int:
        return len(self.counts)

    def split(self, node: int, choice: Choice, shown: NDArray[np.int64]) -> dict[int, int]:
        """Do the test, whose outcomes show these class counts; the new node of each outcome that is present."""
        table, test = self._schema.table, choice.test
        self._test[node], self._fallback[node] = test, choice.fallback
        self._first_branch[node] = len(self._branches)
        present = np.flatnonzero(shown.any(axis=1))
        first, n_new = len(self), len(present)
        below = np.full(len(shown), NO_BRANCH)
        below[present] = np.arange(first, first + n_new)
        self._branches.extend(below.tolist())
        fees_paid = self.fees_paid[node]
        paid = self.paid[node] + int(table.fees_due(fees_paid)[test]) + table.own[test, present]
        self._test.extend([LEAF] * n_new)
        self._parent.extend([node] * n_new)
        self.counts.extend(shown[present])
        self.paid.extend(paid.tolist())
        self.fees_paid.extend([fees_paid | int(table.fee_mask[test])] * n_new)
        self._fallback.extend([False] * n_new)
        self._first_branch.extend([-1] * n_new)
        return dict(zip(present.tolist(), range(first, first + n_new), strict=True))

    def nodes(self) -> Nodes:
        """The tree as it is now."""
        return Nodes(
            test=np.array(self._test, dtype=np.int32),
            parent=np.array(self._parent, dtype=np.int32),
            counts=np.array(self.counts, dtype=np.int64),
            paid=np.array(self.paid, dtype=np.int64),
            first_branch=np.array(self._first_branch, dtype=np.int64),
            branches=np.array(self._branches, dtype=np.int32),
            fallback=np.array(self._fallback, dtype=bool),
        )
