"""Grown: what a learner that splits by one test at a time has grown, as arrays; TreeBuilder makes a tree of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import CostModel, LossTable

LEAF = -1
NO_BRANCH = -1


@dataclass(frozen=True, eq=False)
class Grown:
    """One entry per node, numbered breadth first: a test is bought there, and each of its outcomes has a child.

    branches[first_branch[v] + outcome] is the child for that outcome of v's test, or NO_BRANCH where no known
    case showed it.
    """

    test: NDArray[np.int32]  # LEAF for leaves
    parent: NDArray[np.int32]  # -1 for the root
    counts: NDArray[np.int64]  # node × class, in weight units
    paid: NDArray[np.int64]  # price units spent on arrival, at the costliest outcome that leads here
    first_branch: NDArray[np.int64]  # -1 for leaves
    branches: NDArray[np.int32]
    fallback: NDArray[np.bool_]  # Pairs chose here, because every other ratio was infinite
    loss_table: LossTable | None = None  # what answers cost; None: an error costs 1. A Tree sees to it

    def __post_init__(self) -> None:
        for array in self._arrays:
            array.setflags(write=False)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        arrays = (getattr(self, name) for name in self.__dataclass_fields__)
        return [array for array in arrays if isinstance(array, np.ndarray)]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def answering(self, table: LossTable) -> Grown:
        """The same nodes, which give the answers that lose least by this table."""
        wanted = None if table.is_plain else table
        return self if self.loss_table is wanted else replace(self, loss_table=wanted)

    def has_same_arrays(self, other: Grown) -> bool:
        """Whether everything but what answers cost is the same."""
        names = set(self.__dataclass_fields__) - {"loss_table"}
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __len__(self) -> int:
        return len(self.test)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        return np.asarray(self.test == LEAF)

    @cached_property
    def label(self) -> NDArray[np.int64]:
        """The answer of each node, by its position: what loses least, and so the most common or likeliest class.

        Of equally good ones it is the class that comes first, and then an answer that is no class.
        """
        if self.loss_table is None:
            return np.asarray(self.counts.argmax(axis=1), dtype=np.int64)
        return self.loss_table.best(self.counts)

    @cached_property
    def wrong(self) -> NDArray[np.int64]:
        """Per node, the weight units that it gives another class as a leaf; an answer that is no class is no error."""
        is_class = self.label < self.counts.shape[1]
        right = np.take_along_axis(self.counts, np.where(is_class, self.label, 0)[:, None], axis=1)[:, 0]
        return np.where(is_class, self.counts.sum(axis=1) - right, 0)

    @cached_property
    def errors(self) -> int:
        """The weight units that the leaves get wrong."""
        return int(self.wrong[self.is_leaf].sum())

    @cached_property
    def lost(self) -> NDArray[np.int64]:
        """Per node, the loss units that it has as a leaf; without losses, what it gets wrong."""
        if self.loss_table is None:
            return self.wrong
        losses = self.loss_table.of_counts(self.counts)
        return np.asarray(np.take_along_axis(losses, self.label[:, None], axis=1)[:, 0], dtype=np.int64)

    @cached_property
    def loss(self) -> int:
        """The loss units of the leaves."""
        return int(self.lost[self.is_leaf].sum())

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

    def flags(self, costs: CostModel) -> NDArray[np.int64]:
        """Per node, the flags that its path has set on arrival."""
        inner, flags, outcome = np.flatnonzero(~self.is_leaf), *np.zeros((2, len(self)), dtype=np.int64)
        owner = np.repeat(inner, costs.n_outcomes[self.test[inner]])
        leads = self.branches != NO_BRANCH
        outcome[self.branches[leads]] = (np.arange(len(owner)) - self.first_branch[owner])[leads]
        for first, last in self.levels[1:]:
            above = self.parent[first:last]
            flags[first:last] = flags[above] | costs.sets[self.test[above], outcome[first:last]]
        return flags

    def most_after(self, costs: CostModel) -> NDArray[np.int64]:
        """Per node, what a case has paid after its test, at worst."""
        most, inner = self.paid.copy(), np.flatnonzero(~self.is_leaf)
        most[inner] += costs.charges(self.flags(costs)[inner], self.test[inner])[:, -1]
        return most

    @property
    def redundant(self) -> NDArray[np.bool_]:
        """The inner nodes whose leaves all give the same answer: no answer depends on their tests."""
        lowest = np.where(self.is_leaf, self.label, np.iinfo(np.int64).max)
        highest = np.where(self.is_leaf, self.label, -1)
        for first, last in reversed(self.levels[1:]):
            np.minimum.at(lowest, self.parent[first:last], lowest[first:last])
            np.maximum.at(highest, self.parent[first:last], highest[first:last])
        return np.asarray((lowest == highest) & ~self.is_leaf)

    def pruned(self, stop: NDArray[np.bool_], n_outcomes: NDArray[np.int64]) -> Grown:
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
        return Grown(
            test=test.astype(np.int32),
            parent=parent.astype(np.int32),
            counts=self.counts[kept],
            paid=self.paid[kept],
            first_branch=first_branch.astype(np.int64),
            branches=np.where(old >= 0, renumbered[old], NO_BRANCH).astype(np.int32),
            fallback=(self.fallback & goes_on)[kept],
            loss_table=self.loss_table,
        )


def leaf_of(counts: NDArray[np.int64]) -> Grown:
    """The nodes of a tree without any test, by the class counts of all cases."""
    return Grown(
        test=np.array([LEAF], dtype=np.int32),
        parent=np.array([-1], dtype=np.int32),
        counts=counts[None, :].copy(),
        paid=np.zeros(1, dtype=np.int64),
        first_branch=np.array([-1], dtype=np.int64),
        branches=np.empty(0, dtype=np.int32),
        fallback=np.zeros(1, dtype=bool),
    )
