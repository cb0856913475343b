"""GrowingTree: nodes in the making, numbered breadth first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.greedy.rule import Choice
from budgetree.problem import Schema
from budgetree.tree import LEAF, NO_BRANCH, Nodes


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
        table = self._schema.table
        due = table.fees_due(self.fees_paid[node])
        self._test[node], self._fallback[node] = choice.test, choice.fallback
        self._first_branch[node] = len(self._branches)
        present = np.flatnonzero(shown.sum(axis=1)).tolist()
        below = np.full(len(shown), NO_BRANCH)
        below[present] = range(len(self), len(self) + len(present))
        self._branches.extend(below.tolist())
        for outcome in present:
            self._test.append(LEAF)
            self._parent.append(node)
            self.counts.append(shown[outcome])
            self.paid.append(self.paid[node] + int(due[choice.test] + table.own[choice.test, outcome]))
            self.fees_paid.append(self.fees_paid[node] | int(table.fee_mask[choice.test]))
            self._fallback.append(False)
            self._first_branch.append(-1)
        return dict(zip(present, below[present].tolist(), strict=True))

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
