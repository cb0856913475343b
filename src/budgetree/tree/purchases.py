"""Purchases: what paths have paid and may still pay in trees for new cases, which branch again on what was bought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.nodes import NO_BRANCH, Charges, Nodes, depth_first


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """Per node, fees included."""

    paid: NDArray[np.int64]  # on arrival, at most
    n_tests: NDArray[np.int64]  # bought on arrival
    worst_from: NDArray[np.int64]  # the most that the tests from there on can cost


@dataclass(frozen=True, slots=True, eq=False)
class _Bought:
    """A test on the path: what each outcome costs, the last an unlisted one, and which are still possible."""

    position: int  # on the path, of the node that bought it
    prices: NDArray[np.int64]
    possible: NDArray[np.bool_]

    @property
    def most(self) -> int:
        return int(self.prices[self.possible].max(initial=0))


def spending(nodes: Nodes, due: Charges, n_outcomes: NDArray[np.int64]) -> Spending:
    """For trees whose paths never end early.

    A free branch on a bought test tells which outcomes are still possible, and so what the test can have cost. Hence
    the walk goes down each path with what is known of it, and tells every node above what it has come to.
    """
    path = _Path(nodes, due, n_outcomes)
    found = Spending(*(np.zeros(len(nodes), dtype=np.int64) for _ in range(3)))
    for node, leaves in depth_first(nodes.parent):
        if leaves:
            path.go_up()
            continue
        path.go_down(node)
        found.paid[node] = path.costs.sum()
        found.n_tests[node] = len(path.bought)
        since = np.append(np.cumsum(path.costs[::-1])[::-1], 0)  # per node above, what was bought from there on
        reached = np.append(path.above, node)
        found.worst_from[reached] = np.maximum(found.worst_from[reached], since + due.costliest[node])
    return found


class _Path:
    """The nodes above the one in hand, what was bought at each, and how to go back up."""

    def __init__(self, nodes: Nodes, due: Charges, n_outcomes: NDArray[np.int64]) -> None:
        self.nodes, self.due, self.n_outcomes = nodes, due, n_outcomes
        self.bought: dict[int, _Bought] = {}  # by test
        self._above, self._costs = (np.zeros(len(nodes), dtype=np.int64) for _ in range(2))
        self._before: list[_Bought | None] = []  # per step down, what was known of its test

    @property
    def above(self) -> NDArray[np.int64]:
        """The nodes from the root on."""
        return self._above[: len(self._before)]

    @property
    def costs(self) -> NDArray[np.int64]:
        """Per node above, what the test bought there has cost at most; 0 where it was bought before."""
        return self._costs[: len(self._before)]

    def go_down(self, node: int) -> None:
        """To a node below the last one."""
        above = int(self.nodes.parent[node])
        if above < 0:
            return
        test, position = int(self.nodes.test[above]), len(self._before)
        old, width = self.bought.get(test), int(self.n_outcomes[test])
        self._before.append(old)
        self._above[position], self._costs[position] = above, 0
        bought = old or _Bought(position, self.due.price[above, np.r_[0:width, -1]], np.ones(width + 1, dtype=bool))
        # What is known of the test on the branch to this node.
        assert self.nodes.otherwise is not None
        otherwise = self.nodes.otherwise[above]
        leads_to = np.append(self.nodes.children(above, width), otherwise)
        possible = bought.possible & (np.where(leads_to == NO_BRANCH, otherwise, leads_to) == node)
        self.bought[test] = now = _Bought(bought.position, bought.prices, possible)
        self._costs[now.position] = now.most

    def go_up(self) -> None:
        """Back to the node before."""
        if not self._before:
            return
        test = int(self.nodes.test[self.above[-1]])
        old = self._before.pop()
        if old is None:
            del self.bought[test]
        else:
            self.bought[test] = old
            self._costs[old.position] = old.most
