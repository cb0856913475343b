"""Nodes: a tree as arrays, numbered breadth first, with an outcome → branch map in each node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import CostModel, LossTable, Schema
from budgetree.tree.provenance import Known

LEAF = -1
NO_BRANCH = -1
SHORT_PATH = 64  # tests


@dataclass(frozen=True, eq=False)
class Nodes:
    """One entry per node; a child always has a larger number than its parent.

    branches[first_branch[v] + outcome] is the child for that outcome of v's test, or NO_BRANCH where no known
    case showed it. Several outcomes may lead to one child. An outcome without a branch, or on no list, ends the path;
    in trees for new cases it goes on to the node's `otherwise`.
    """

    test: NDArray[np.int32]  # LEAF for leaves
    parent: NDArray[np.int32]  # -1 for the root
    counts: NDArray[np.int64]  # node × class, in weight units
    paid: NDArray[np.int64]  # price units spent on arrival, at the costliest outcome that leads here
    first_branch: NDArray[np.int64]  # -1 for leaves
    branches: NDArray[np.int32]
    fallback: NDArray[np.bool_]  # Pairs chose here, because every other ratio was infinite
    otherwise: NDArray[np.int32] | None = None  # the child for an outcome never seen; None where it ends the path
    probabilities: NDArray[np.float64] | None = None  # node × class, where they are not the shares of the counts
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

    def answering(self, table: LossTable) -> Nodes:
        """The same nodes, which give the answers that lose least by this table."""
        wanted = None if table.is_plain else table
        return self if self.loss_table is wanted else replace(self, loss_table=wanted)

    def has_same_arrays(self, other: Nodes) -> bool:
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
        amounts = self.counts if self.otherwise is None else self.shares
        if self.loss_table is None:
            return np.asarray(amounts.argmax(axis=1), dtype=np.int64)
        return self.loss_table.best(amounts)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Node × class: how likely each class is there, as far as the node alone can say."""
        return class_shares(self.counts, self.parent) if self.probabilities is None else self.probabilities

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
            loss_table=self.loss_table,
        )


def class_shares(counts: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.float64]:
    """Node × class; a node that no known case comes to has its parent's."""
    shares = np.full(counts.shape, 1 / counts.shape[1])
    total = counts.sum(axis=1)
    for node, above in enumerate(parent.tolist()):  # parents come before their children
        if total[node]:
            shares[node] = counts[node] / total[node]
        elif above >= 0:
            shares[node] = shares[above]
    return shares


def known_by_counts(nodes: Nodes, schema: Schema) -> Known:
    """What came of the known cases, where the counts of the leaves say it."""
    counts, label, n_classes = nodes.counts[nodes.is_leaf], nodes.label[nodes.is_leaf], nodes.counts.shape[1]
    answered = np.zeros((len(schema.answer_names), n_classes), dtype=np.int64)
    np.add.at(answered, label, counts)
    weight, paid = counts.sum(axis=1).astype(object), nodes.paid[nodes.is_leaf].astype(object)
    return Known(
        errors=schema.cases(nodes.errors),
        mean_cost=Fraction(int((weight * paid).sum()), int(weight.sum())) / schema.costs.scale,
        max_cost=Fraction(int(nodes.paid.max())) / schema.costs.scale,
        loss=schema.loss(nodes.loss),
        referred=schema.cases(int(answered[n_classes:].sum())),
        answered=tuple(map(tuple, answered.tolist())),
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
        return np.asarray(self.price[:, -1])


def charges(test: NDArray[np.int32], parent: NDArray[np.int32], table: CostModel) -> Charges:
    """Which tests and fees each path has paid, and what is left to pay."""
    repeated, fees_paid = _paid_above(test, parent, table.flags)
    unpaid = np.where(test == LEAF, 0, table.flags[test] & ~fees_paid)
    due = np.where(test == LEAF, 0, np.take_along_axis(table.surcharge(fees_paid), test[:, None].clip(0), 1)[:, 0])
    own = np.column_stack([table.amounts, table.costliest])[test]
    is_free = repeated | (test == LEAF)
    return Charges(np.where(is_free[:, None], 0, own) + due[:, None], due, repeated, unpaid)


def _paid_above(
    test: NDArray[np.int32], parent: NDArray[np.int32], fee_mask: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Per node, whether its test was done above it, and the fees of all that was.

    All nodes walk up at once, which is fast where paths are short; of the long ones the rest is done path by path.
    """
    repeated = np.zeros(len(test), dtype=bool)
    fees_paid = np.zeros(len(test), dtype=np.int64)
    nodes = np.flatnonzero(parent >= 0)
    above = parent[nodes]
    for _ in range(SHORT_PATH):
        if not len(nodes):
            return repeated, fees_paid
        repeated[nodes] |= test[above] == test[nodes]
        fees_paid[nodes] |= fee_mask[test[above]]
        goes_on = parent[above] >= 0
        nodes, above = nodes[goes_on], parent[above[goes_on]]
    tests, masks = test.tolist(), fee_mask.tolist()
    fees, done = [0] * len(tests), [0] * len(masks)  # how often each test was done on the path so far
    for node, left in depth_first(parent):
        if tests[node] != LEAF:
            repeated[node] |= not left and done[tests[node]] > 0
            done[tests[node]] += -1 if left else 1
    for node, up in enumerate(parent.tolist()):  # parents come before their children
        fees[node] = 0 if up < 0 else fees[up] | masks[tests[up]]
    return repeated, np.array(fees, dtype=np.int64)


def depth_first(parent: NDArray[np.int32]) -> Iterator[tuple[int, bool]]:
    """Every node twice: when a walk comes to it, and (with True) when it leaves it; by a stack, however deep."""
    below: list[list[int]] = [[] for _ in range(len(parent))]
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            below[above].append(node)
    stack = [0]
    while stack:
        node = stack.pop()
        if node < 0:
            yield ~node, True
            continue
        yield node, False
        stack.append(~node)
        stack += reversed(below[node])


def paid_on_arrival(nodes: Nodes, due: Charges, n_outcomes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per node, what a path has paid when it comes there, at the costliest outcome that leads to it."""
    paid = np.zeros(len(nodes), dtype=np.int64)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        for outcome, child in enumerate(nodes.children(node, int(n_outcomes[nodes.test[node]]))):
            if child != NO_BRANCH:
                paid[child] = max(paid[child], paid[node] + due.price[node, outcome])
    return paid


def leaf_of(counts: NDArray[np.int64]) -> Nodes:
    """The nodes of a tree without any test, by the class counts of all cases."""
    return Nodes(
        test=np.array([LEAF], dtype=np.int32),
        parent=np.array([-1], dtype=np.int32),
        counts=counts[None, :].copy(),
        paid=np.zeros(1, dtype=np.int64),
        first_branch=np.array([-1], dtype=np.int64),
        branches=np.empty(0, dtype=np.int32),
        fallback=np.zeros(1, dtype=bool),
    )
