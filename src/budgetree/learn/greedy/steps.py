"""Steps: what each budget buys of grown trees, in whole units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import PriceTable
from budgetree.tree import Nodes, charges

END, AT_ROOT, AT_LEAVES, MAX_COST = 0, 1, 2, 3  # the columns of a summary, as in core/growth/steps.hpp


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Which budget adds which test to a cut of a tree and what that saves, for several trees in a row.

    The inner nodes of tree i are at need and gain from summaries[i - 1, END] to summaries[i, END].
    """

    need: NDArray[np.int64]  # per inner node, the least budget whose cut does its test
    gain: NDArray[np.int64]  # the loss that doing it saves
    summaries: NDArray[np.int64]  # per tree: END, loss as a single leaf, loss of the whole, its costliest path

    def __len__(self) -> int:
        return len(self.summaries)

    @property
    def errors(self) -> NDArray[np.int64]:
        return self.summaries[:, AT_LEAVES]

    @property
    def max_cost(self) -> NDArray[np.int64]:
        return self.summaries[:, MAX_COST]

    def divided(self, divisor: int) -> Steps:
        """The same with gains and errors in larger units, of which they are whole numbers."""
        summaries = self.summaries.copy()
        summaries[:, [AT_ROOT, AT_LEAVES]] //= divisor
        return Steps(self.need, self.gain // divisor, summaries)

    @property
    def owner(self) -> NDArray[np.int64]:
        """Per inner node, which tree it is of."""
        return np.repeat(np.arange(len(self)), np.diff(self.summaries[:, END], prepend=0))


def join_steps(parts: Sequence[Steps]) -> Steps:
    """Several rows of trees as one."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Steps(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 4), np.int64))
    summaries = np.concatenate([part.summaries for part in parts])
    sizes = np.concatenate([np.diff(part.summaries[:, END], prepend=0) for part in parts])
    summaries[:, END] = np.cumsum(sizes)
    return Steps(np.concatenate([p.need for p in parts]), np.concatenate([p.gain for p in parts]), summaries)


def steps_of_nodes(nodes: Nodes, table: PriceTable) -> Steps:
    """The plain twin of the core's Steps."""
    need = nodes.paid + charges(nodes.test, nodes.parent, table).costliest
    for first, last in nodes.levels[1:]:
        need[first:last] = np.maximum(need[first:last], need[nodes.parent[first:last]])
    lost = nodes.lost
    gain = lost.copy()
    np.subtract.at(gain, nodes.parent[1:], lost[1:])
    inner = ~nodes.is_leaf
    summary = [inner.sum(), lost[0], nodes.loss, nodes.paid.max()]
    return Steps(need[inner], gain[inner], np.array([summary], dtype=np.int64))
