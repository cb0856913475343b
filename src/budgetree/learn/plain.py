"""Growth in plain Python and NumPy, from any Counter: the kernel's twin, and what serves where it cannot."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.counts import Counter, MemoryCounter
from budgetree.impurity.forms import FormRow
from budgetree.learn.decision import Purse, decide
from budgetree.learn.settings import Settings
from budgetree.learn.steps import Steps, join_steps, steps_of_nodes
from budgetree.problem import Instance, Schema
from budgetree.tree import LEAF, NO_BRANCH, Nodes


class PlainGrower:
    """Grows trees on one instance, one after another; the plain twin of CompiledGrower."""

    def __init__(self, instance: Instance) -> None:
        self._counter, self._schema = MemoryCounter(instance), instance.schema
        self._nodes: Nodes | None = None

    def grow(self, settings: Settings) -> None:
        """Grow a tree; nodes() and steps() tell of it until the next one is grown."""
        self._nodes = grow_plain(self._counter, self._schema, settings)

    def nodes(self) -> Nodes:
        """The tree just grown."""
        assert self._nodes is not None
        return self._nodes

    def steps(self) -> Steps:
        """What each budget buys of the tree just grown."""
        return steps_of_nodes(self.nodes(), self._schema.table)

    def bisect(self, ends: FormRow, close: float, budget: int) -> None:
        """Nothing: a bisection is taken a round at a time here."""

    def steps_of(self, row: FormRow, budget: int) -> Steps:
        """The steps of the trees for several impurities, grown in a row."""
        found = []
        for index in range(len(row)):
            self.grow(Settings(row.form(index), Fraction(0), budget, "worst"))
            found.append(self.steps())
        return join_steps(found)


def grow_plain(counter: Counter, schema: Schema, settings: Settings) -> Nodes:
    """Grow breadth first, one node after another."""
    table = schema.table
    groups: list[Any] = [counter.everything()]
    root = counter.count(groups[0])
    counts = [root[0].sum(axis=0)]
    test, parent, paid, fees_paid, fallback = [LEAF], [-1], [0], [0], [False]
    first_branch: list[int] = [-1]
    branches: list[int] = []
    node = 0
    while node < len(groups):
        group, groups[node] = groups[node], None
        counted: Any = None

        def count(group: Any = group, node: int = node) -> Any:
            nonlocal counted
            counted = root if node == 0 else counter.count(group)
            return counted

        choice = decide(counts[node], count, Purse(table, paid[node], fees_paid[node]), settings)
        if choice is not None:
            test[node], fallback[node] = choice.test, choice.fallback
            due = table.fees_due(fees_paid[node])
            first_branch[node] = len(branches)
            shown = counted[choice.test, : schema.n_outcomes[choice.test]]
            present = np.flatnonzero(shown.sum(axis=1)).tolist()
            below = np.full(len(shown), NO_BRANCH)
            below[present] = range(len(groups), len(groups) + len(present))
            branches.extend(below.tolist())
            groups.extend(counter.split(group, choice.test, present))
            for outcome in present:
                test.append(LEAF)
                parent.append(node)
                counts.append(shown[outcome])
                paid.append(paid[node] + int(due[choice.test] + table.own[choice.test, outcome]))
                fees_paid.append(fees_paid[node] | int(table.fee_mask[choice.test]))
                fallback.append(False)
                first_branch.append(-1)
        node += 1
    return Nodes(
        test=np.array(test, dtype=np.int32),
        parent=np.array(parent, dtype=np.int32),
        counts=np.array(counts, dtype=np.int64),
        paid=np.array(paid, dtype=np.int64),
        first_branch=np.array(first_branch, dtype=np.int64),
        branches=np.array(branches, dtype=np.int32),
        fallback=np.array(fallback, dtype=bool),
    )
