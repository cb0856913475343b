"""Growth in plain Python and NumPy, from any Counter: the core's twin, and what serves where it cannot."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Counter
from budgetree.learn.greedy.decision import Spent, decide
from budgetree.learn.greedy.growing import EndedEarlyError, GrowingTree
from budgetree.learn.greedy.settings import Settings
from budgetree.problem import Schema
from budgetree.services.clock import Clock
from budgetree.tree import Nodes


def grow_plain(counter: Counter, schema: Schema, settings: Settings, clock: Clock | None = None) -> Nodes:
    """Grow breadth first, one node after another; EndedEarlyError where the clock is over before the last."""
    groups: list[Any] = [counter.everything()]
    root = counter.count(groups[0])
    tree = GrowingTree(schema, root[0].sum(axis=0))
    node = 0
    while node < len(groups):
        if clock is not None and clock.is_over:
            raise EndedEarlyError(tree)
        group, groups[node] = groups[node], None
        counted: Any = None

        def count(group: Any = group, node: int = node) -> Any:
            nonlocal counted
            counted = root if node == 0 else counter.count(group)
            return counted

        spent = Spent(schema.table, tree.paid[node], tree.fees_paid[node])
        choice = decide(
            tree.counts[node], count, spent, settings, partial(_enough_cases, counter, group, settings.min_cases)
        )
        if choice is not None:
            below = tree.split(node, choice, counted[choice.test, : schema.n_outcomes[choice.test]])
            groups.extend(counter.split(group, choice.test, list(below)))
        node += 1
    return tree.nodes()


def _enough_cases(counter: Counter, group: Any, min_cases: int) -> NDArray[np.bool_]:
    """Per test, whether every outcome that the group shows is shown by so many cases."""
    shown = counter.cases(group)
    return np.asarray(((shown == 0) | (shown >= min_cases)).all(axis=1))
