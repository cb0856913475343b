"""Grown: what a learner that splits by one test at a time has grown, as arrays; TreeBuilder makes a tree of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import CostModel, LossTable, Schema
from budgetree.tree.nodes import NO_RULE, NO_TEST, Kind, Nodes, ReadOnlyArrays
from budgetree.tree.walk import walk_codes

LEAF = -1
NO_BRANCH = -1


@dataclass(frozen=True, eq=False)
class Grown(ReadOnlyArrays):
    """One entry per node, numbered breadth first: a test is bought there, and each of its outcomes has a child.

    branches[first_branch[v] + outcome] is the child for that outcome of v's test, or NO_BRANCH where no known
    case showed it. What leaves answer is decided by losses, which growth need not know.
    """

    test: NDArray[np.int32]  # LEAF for leaves
    parent: NDArray[np.int32]  # -1 for the root
    counts: NDArray[np.int64]  # node × class, in weight units
    paid: NDArray[np.int64]  # price units spent on arrival, at the costliest outcome that leads here
    first_branch: NDArray[np.int64]  # -1 for leaves
    branches: NDArray[np.int32]
    fallback: NDArray[np.bool_]  # Pairs chose here, because every other ratio was infinite

    def __len__(self) -> int:
        return len(self.test)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        return np.asarray(self.test == LEAF)

    def lost(self, losses: LossTable) -> NDArray[np.int64]:
        """Per node, the loss units that it has as a leaf."""
        return np.asarray(losses.of_counts(self.counts).min(axis=1), dtype=np.int64)

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

    def trimmed(self, schema: Schema) -> Grown:
        """The same, where a node is a leaf if all leaves below it give the same answer: none depends on its test."""
        label = schema.loss_table.best(self.counts)
        lowest, highest = np.where(self.is_leaf, label, np.iinfo(np.int64).max), np.where(self.is_leaf, label, -1)
        for first, last in reversed(self.levels[1:]):
            np.minimum.at(lowest, self.parent[first:last], lowest[first:last])
            np.maximum.at(highest, self.parent[first:last], highest[first:last])
        redundant = (lowest == highest) & ~self.is_leaf
        return self.pruned(redundant, schema.n_outcomes) if redundant.any() else self

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


def nodes_of_grown(schema: Schema, grown: Grown) -> Nodes:
    """A grown tree as nodes, all at once: a buy, a branch by its result and a leaf for what no known case showed.

    grown   0: age ──► 1, 2                     nodes   0 buy age ─ 1 by age ─┬─ 2 …  (grown 1)
                                                                              ├─ 3 …  (grown 2)
                                                                              └─ 4 leaf, unseen
    """
    costs, n_outcomes, inner = schema.costs, schema.n_outcomes, ~grown.is_leaf
    start, branch, unseen = _numbers(grown)
    buy, tests, size = start[inner], grown.test[inner].astype(np.int64), len(grown) + 2 * int(inner.sum())
    kind = np.full(size, Kind.LEAF, dtype=np.uint8)
    kind[buy], kind[branch] = Kind.BUY, Kind.BY_RESULT
    test = np.full(size, NO_TEST, dtype=np.int32)
    test[buy] = test[branch] = tests
    width = n_outcomes[tests] + 1  # results of each purchase
    first_result = np.cumsum(width) - width
    n_children = np.zeros(size, dtype=np.int64)
    n_children[buy], n_children[branch] = 1, width
    first = np.cumsum(n_children) - n_children
    # Per result of each purchase, the child: that of its outcome, or the leaf for what no known case showed.
    owner = np.repeat(np.arange(len(buy)), width)
    outcome = np.arange(len(owner)) - first_result[owner]
    is_listed = outcome < n_outcomes[tests[owner]]
    branches = np.full(len(owner), NO_BRANCH, dtype=np.int64)
    branches[is_listed] = grown.branches[grown.first_branch[inner][owner[is_listed]] + outcome[is_listed]]
    leads = branches != NO_BRANCH
    children = np.empty(int(n_children.sum()), dtype=np.int32)
    children[first[buy]] = branch
    children[first[branch][owner] + outcome] = np.where(leads, start[branches], unseen[owner])
    flags, resources = grown.flags(costs)[inner], range(len(costs.resources))
    takes = np.stack([costs.charges(flags, tests, resource) for resource in resources])
    charges = np.ascontiguousarray(takes[:, owner, np.where(is_listed, outcome, takes.shape[2] - 1)])
    paid, taken = np.zeros((2, len(resources), len(grown)), dtype=np.int64)  # on arrival; by the result that leads here
    taken[:, branches[leads]] = charges[:, leads]
    for low, high in grown.levels[1:]:
        paid[:, low:high] = paid[:, grown.parent[low:high]] + taken[:, low:high]
    spent = np.zeros((len(resources), size), dtype=np.int64)
    spent[:, start] = paid
    spent[:, branch] = spent[:, unseen] = paid[:, inner] + takes[:, :, -1]
    known_spent = spent[0].copy()
    if len(buy):
        # On the branch itself known cases have spent what the costliest result among them takes.
        known_spent[branch] = np.maximum.reduceat(np.where(leads, grown.paid[branches], 0), first_result)
        known_spent[unseen] = 0
    counts = np.zeros((size, grown.counts.shape[1]), dtype=np.int64)
    counts[start] = grown.counts
    counts[branch] = grown.counts[inner]
    fallback = np.zeros(size, dtype=bool)
    fallback[buy] = grown.fallback[inner]
    return Nodes(
        kind=kind,
        test=test,
        children=children,
        all_charges=charges,
        shown=np.where(leads, grown.counts.sum(axis=1)[branches], 0),
        rule=np.full(size, NO_RULE, dtype=np.int32),
        counts=counts,
        all_spent=spent,
        known_spent=known_spent,
        fallback=fallback,
        n_outcomes=n_outcomes,
        loss_table=schema.loss_table,
    )


def walk_grown(schema: Schema, grown: Grown, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The grown node where each row ends: a leaf, or the node whose test shows what no known case did there."""
    start, branch, unseen = _numbers(grown)
    number = np.empty(len(start) + len(branch) + len(unseen), dtype=np.int64)
    number[start], number[unseen] = np.arange(len(grown)), np.flatnonzero(~grown.is_leaf)
    return np.asarray(number[walk_codes(nodes_of_grown(schema, grown), schema, codes).leaf])


def grown_of_nodes(nodes: Nodes) -> Grown | None:
    """The way back; None where the tree does not branch on each test as soon as it is bought, or totals decide."""
    order, tests, branches, parents, first = [0], list[int](), list[int](), [-1], list[int]()
    for number, node in enumerate(order):  # breadth first; grows while it is read
        first.append(-1 if nodes.is_leaf[node] else len(branches))
        if nodes.is_leaf[node]:
            if nodes.rule[node] != NO_RULE:
                return None
            tests.append(NO_TEST)
            continue
        branch = int(nodes.below(node)[0])
        if not nodes.is_buy[node] or nodes.kind[branch] != Kind.BY_RESULT or nodes.test[branch] != nodes.test[node]:
            return None
        tests.append(int(nodes.test[node]))
        below = [child if nodes.counts[child].any() else NO_BRANCH for child in nodes.below(branch)[:-1].tolist()]
        place = {child: len(order) + k for k, child in enumerate(sorted(set(below) - {NO_BRANCH}))}
        branches += [place.get(child, NO_BRANCH) for child in below]
        order += place
        parents += [number] * len(place)
    return Grown(
        test=np.array(tests, dtype=np.int32),
        parent=np.array(parents, dtype=np.int32),
        counts=nodes.counts[order],
        paid=nodes.known_spent[order],
        first_branch=np.array(first, dtype=np.int64),
        branches=np.array(branches, dtype=np.int32),
        fallback=nodes.fallback[order],
    )


def _numbers(grown: Grown) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Breadth first: the number of each grown node, and of the branch and the unseen leaf of each inner one."""
    inner = np.flatnonzero(~grown.is_leaf)
    level = np.zeros(len(grown), dtype=np.int64)
    for number_of_level, (first, last) in enumerate(grown.levels):
        level[first:last] = number_of_level
    every = np.arange(len(grown))
    depth = np.concatenate([2 * level, 2 * level[inner] + 1, 2 * level[inner] + 2])
    above = np.concatenate([grown.parent, inner, inner])  # parents are numbered in the order of their branches
    is_unseen = np.concatenate([np.zeros(len(grown) + len(inner)), np.ones(len(inner))])
    number = np.empty(len(depth), dtype=np.int64)
    number[np.lexsort((np.concatenate([every, inner, inner]), is_unseen, above, depth))] = np.arange(len(depth))
    return number[: len(grown)], number[len(grown) : len(grown) + len(inner)], number[len(grown) + len(inner) :]
