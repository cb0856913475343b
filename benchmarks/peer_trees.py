"""What the peers are compared by: one form of tree, its cost and errors by our own walk, and the records."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import budgetree as bt

PEER_PATIENCE = {"dna": 25.0}  # seconds for one tree of pystreed
SHORT_PATIENCE = 3.0  # the same on the other sets
COST_DEPTHS = (1, 2, 3, 4)  # one more does not end within the patience


@dataclass(frozen=True, slots=True)
class Leaf:
    label: int


@dataclass(frozen=True, slots=True)
class Split:
    """A test of a column of the table; a binary one sends some of the outcomes left and the others right."""

    column: int
    branches: tuple[tuple[frozenset[int], Leaf | Split], ...]  # outcome codes, and where they lead


def path_cost(columns: Iterable[str], prices: bt.Prices) -> Fraction:
    """What these tests cost one case: each once, and every shared fee once."""
    different = set(columns)
    cost = sum((Fraction(prices.tests.get(name, prices.default)) for name in different), Fraction(0))
    return cost + sum(shared.fee for shared in prices.shared.values() if different & set(shared.tests))


def max_cost(tree: Leaf | Split, instance: bt.Instance) -> Fraction:
    """The cost of the costliest path that the tree has."""
    paths: set[frozenset[str]] = set()  # many paths buy the same tests, and exact fractions are slow

    def below(node: Leaf | Split, bought: frozenset[str]) -> None:
        if isinstance(node, Leaf):
            paths.add(bought)
            return
        bought |= {instance.test_names[node.column]}
        for _, child in node.branches:
            below(child, bought)

    below(tree, frozenset())
    return max(path_cost(path, instance.prices) for path in paths)


def predict(tree: Leaf | Split, codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """The label of every row, by walking the tree."""
    labels = np.full(len(codes), -1)

    def below(node: Leaf | Split, rows: NDArray[np.intp]) -> None:
        if isinstance(node, Leaf):
            labels[rows] = node.label
            return
        found = codes[rows, node.column]
        for outcomes, child in node.branches:
            taken = np.zeros(256, dtype=bool)  # by code; np.isin takes several times as long on so few rows
            taken[list(outcomes)] = True
            below(child, rows[taken[found]])

    below(tree, np.arange(len(codes)))
    return labels


def binary_split(column: int, left: Iterable[int], n_outcomes: int, children: Sequence[Leaf | Split]) -> Split:
    outcomes = frozenset(left)
    return Split(column, ((outcomes, children[0]), (frozenset(range(n_outcomes)) - outcomes, children[1])))


@dataclass(frozen=True, slots=True)
class Case:
    """A table at certain prices, and the budgets to compare at."""

    name: str
    instance: bt.Instance
    budgets: tuple[Fraction, ...]
    unit: bool  # every test costs 1
    cost_depths: Sequence[int] = COST_DEPTHS  # of pystreed's trees at prices that differ

    @property
    def title(self) -> str:
        return f"{self.name}{'' if self.unit else ', real prices'}"

    @property
    def patience(self) -> float:
        return PEER_PATIENCE.get(self.name, SHORT_PATIENCE)

    def n_outcomes(self, column: int) -> int:
        return len(self.instance.outcome_names[column])

    def pools(self) -> list[list[int]]:
        """The columns that some budget can buy, each for itself: all that a peer can be told of a ceiling."""
        prices = [path_cost([name], self.instance.prices) for name in self.instance.test_names]
        pools = [[column for column, price in enumerate(prices) if price <= budget] for budget in self.budgets]
        return [pool for pool, _ in itertools.groupby(pools)]


@dataclass(frozen=True, slots=True)
class Result:
    """A tree: its errors, what it costs, and whether its maker ended its search."""

    max_cost: Fraction
    errors: int
    finished: bool = True


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a method has to offer for a case: the best tree for each budget, or why it has none."""

    cells: Mapping[Fraction, Result] = field(default_factory=dict)
    seconds: float | None = None
    n_trees: int = 0
    note: str = ""


def judged(case: Case, tree: Leaf | Split, predicted: NDArray[Any], finished: bool = True) -> Result:
    """Errors and cost by our own walk, which must agree with what the tree's maker predicts."""
    labels = predict(tree, case.instance.codes)
    assert np.array_equal(labels, predicted), "the walk over the tree and its maker's predictions differ"
    return Result(max_cost(tree, case.instance), int((labels != case.instance.labels).sum()), finished)


def best_within(results: Sequence[Result], budget: Fraction) -> Result:
    """The fewest errors within a budget; of equals the cheapest."""
    return min((each for each in results if each.max_cost <= budget), key=lambda each: (each.errors, each.max_cost))


def majority(case: Case) -> Result:
    """No test at all: what every method can do within any budget."""
    counts = np.bincount(case.instance.labels)
    return Result(Fraction(0), int(counts.sum() - counts.max()))


def timed(fit: Callable[[Any], Any], settings: Iterable[Any]) -> tuple[float, list[tuple[Any, Any]]]:
    """The seconds of all fits together, and every setting with its model."""
    start = time.perf_counter()
    fitted = [(setting, fit(setting)) for setting in settings]
    return time.perf_counter() - start, fitted


def swept(case: Case, seconds: float, results: Sequence[Result], note: str = "") -> Sweep:
    everything = [majority(case), *results]
    cells = {budget: best_within(everything, budget) for budget in case.budgets}
    return Sweep(cells, seconds, len(results), note)


def spelled(budgets: Iterable[Fraction | int]) -> str:
    return ", ".join(f"{float(budget):g}" for budget in budgets)
