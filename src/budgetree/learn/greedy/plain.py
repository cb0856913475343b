"""Growth in plain Python and NumPy, from any Counter: the core's twin, and what serves where it cannot."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Counter
from budgetree.learn.greedy.decision import Spent, decide
from budgetree.learn.greedy.settings import Settings
from budgetree.problem import Schema
from budgetree.tree import LEAF, NO_BRANCH, Nodes


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

        spent = Spent(table, paid[node], fees_paid[node])
        choice = decide(
            counts[node], count, spent, settings, partial(_enough_cases, counter, group, settings.min_cases)
        )
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


def _enough_cases(counter: Counter, group: Any, min_cases: int) -> NDArray[np.bool_]:
    """Per test, whether every outcome that the group shows is shown by so many cases."""
    shown = counter.cases(group)
    return np.asarray(((shown == 0) | (shown >= min_cases)).all(axis=1))
