"""The exact decision at one node of the plain grower: stop, or which test to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.greedy.rule import Choice, choose, stops
from budgetree.learn.greedy.settings import Settings
from budgetree.problem import PriceTable


@dataclass(frozen=True, slots=True)
class Spent:
    """What a path has spent on arrival at a node."""

    table: PriceTable
    paid: int
    fees_paid: int


def decide(
    node_counts: NDArray[np.int64],
    count: Callable[[], NDArray[np.int64]],
    spent: Spent,
    settings: Settings,
    enough_cases: Callable[[], NDArray[np.bool_]] | None = None,
) -> Choice | None:
    """The rule's choice, or None for a leaf; `count` is called only if the node does not end anyway.

    So is `enough_cases`: per test, whether its leaves would have the cases that the settings ask for.
    """
    table = spent.table
    if stops(node_counts, settings.form, settings.delta):
        return None
    due = table.fees_due(spent.fees_paid)
    offered = spent.paid + due + table.costliest <= settings.budget
    if settings.min_cases > 1 and enough_cases is not None:
        offered = offered & enough_cases()
    if not offered.any():
        return None
    return choose(count(), table.own + due[:, None], offered, settings.form, settings.rule)
