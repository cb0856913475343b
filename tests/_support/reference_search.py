"""The exact search as docs/guide/exact.md writes it: the recursion for the fewest errors, and the canonical tree.

For small tables only. It shares the layout with the program, and nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from budgetree.learn.exact.search import ANY_TEST, Layout, as_nodes
from budgetree.tree import Nodes
from budgetree.tree.nodes import Kind


class State(NamedTuple):
    """A set of cases as a path reaches it: their numbers, what is left of the budget, and a bit for each fee paid."""

    cases: tuple[int, ...]
    left: int
    flags: int


class ReferenceSearch:
    """The fewest errors (the least loss, with losses) of any tree within a budget."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.losses = 1 - np.eye(layout.n_classes, dtype=np.int64) if layout.losses is None else layout.losses
        self._known: dict[State, int] = {}

    def fewest(self, budget: int) -> int:
        return self._fewest(self._start(budget))

    def fewest_after(self, budget: int, test: int) -> int | None:
        """The same of the trees that begin with this test, in the layout's order; None where there are none."""
        start = self._start(budget)
        return self._sum_of_parts(start, test) if test in self._tests(start) else None

    def canonical(self, budget: int) -> Nodes:
        """The canonical tree."""
        states, parents, outcomes, tests = [self._start(budget)], [-1], [-1], []
        for number, state in enumerate(states):  # which grow on the way
            tests.append(self._canonical_test(state))
            if tests[number] != ANY_TEST:
                for outcome, part in self._parts(state, tests[number]).items():
                    states.append(part)
                    parents.append(number)
                    outcomes.append(outcome)
        counts = [self._votes(state.cases) for state in states]
        tree = {"test": tests, "parent": parents, "outcome": outcomes, "counts": counts}
        nodes = as_nodes(self.layout, {name: np.array(of_nodes) for name, of_nodes in tree.items()})
        kept = (nodes.kind != Kind.BY_RESULT) & nodes.counts.any(axis=1)
        assert nodes.known_spent[kept].tolist() == [budget - state.left for state in states]
        return nodes

    def _start(self, budget: int) -> State:
        return State(tuple(range(self.layout.n_cases)), budget, 0)

    def _fewest(self, state: State) -> int:
        if state not in self._known:
            least, leaf = int(self.layout.unavoidable[list(state.cases)].sum()), self._leaf(state)
            tests = [] if leaf == least else self._tests(state)
            self._known[state] = min([leaf, *(self._sum_of_parts(state, test) for test in tests)])
        return self._known[state]

    def _sum_of_parts(self, state: State, test: int) -> int:
        return sum(self._fewest(part) for part in self._parts(state, test).values())

    def _leaf(self, state: State) -> int:
        return int((self._votes(state.cases) @ self.losses).min())

    def _votes(self, cases: tuple[int, ...]) -> Any:
        layout, numbers = self.layout, list(cases)
        votes = np.zeros(layout.n_classes, dtype=np.int64)
        np.add.at(votes, layout.labels[numbers], layout.weights[numbers])
        return votes

    def _price(self, state: State, test: int) -> int:
        """What must be left to do the test: its costliest outcome, and the fees due."""
        return int(self.layout.costs.costliest[test]) + self._due(state, test)

    def _price_of_three(self, state: State) -> int:
        """What three tests cost at least, the last at its costliest outcome; each bears a third of the fees due."""
        costs, due = self.layout.costs, np.array([self._due(state, test) for test in range(self.layout.n_tests)])
        thirds = (3 * costs.costliest + due).min() + np.sort(3 * costs.cheapest + due)[:2].sum()
        return -int(-thirds // 3)

    def _due(self, state: State, test: int) -> int:
        missing = int(self.layout.costs.pays[test]) & ~state.flags
        return sum(int(fee) for bit, fee in enumerate(self.layout.costs.fees[0]) if missing >> bit & 1)

    def _parts(self, state: State, test: int) -> dict[int, State]:
        """By the outcomes that cases show, in their order."""
        layout, due = self.layout, self._due(state, test)
        flags, own = state.flags | int(layout.costs.pays[test]), layout.costs.amounts[0, test].tolist()
        shown: dict[int, list[int]] = {}
        for case in state.cases:
            shown.setdefault(int(layout.codes[case, test]), []).append(case)
        return {
            outcome: State(tuple(shown[outcome]), state.left - due - own[outcome], flags) for outcome in sorted(shown)
        }

    def _tests(self, state: State) -> list[int]:
        """Those that are affordable, split the set, and leave enough cases to each part."""
        found = []
        for test in range(self.layout.n_tests):
            if self._price(state, test) <= state.left:
                parts = self._parts(state, test).values()
                if len(parts) > 1 and all(len(part.cases) >= self.layout.min_cases for part in parts):
                    found.append(test)
        return found

    def _canonical_test(self, state: State) -> int:
        fewest = self._fewest(state)
        if fewest == self._leaf(state):
            return ANY_TEST
        best = [test for test in self._tests(state) if self._sum_of_parts(state, test) == fewest]
        if state.left < self._price_of_three(state):
            return best[0]
        free = [test for test in self._tests(state) if self._price(state, test) == 0]
        if free and self.layout.min_cases == 1:
            return free[0]
        return min(best, key=lambda test: (self._price(state, test), self._score(state, test), test))

    def _score(self, state: State, test: int) -> float:
        votes = [self._votes(part.cases).tolist() for part in self._parts(state, test).values()]
        if self.layout.is_binary:
            none, one = (sum(n * n for n in part) / sum(part) for part in votes)
            return -one - none
        return float(sum(float(sum(part)) ** 2 - float(sum(n * n for n in part)) for part in votes))
