"""The rule for all nodes of a level at once: by the core where it can, else one node after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.counts import ShardedCases
from budgetree.learn.greedy.decision import Spent, decide
from budgetree.learn.greedy.native import NativeInstance, core_costs, core_settings
from budgetree.learn.greedy.rule import Choice, stops
from budgetree.learn.greedy.settings import Settings
from budgetree.problem import Schema


@dataclass(frozen=True, slots=True, eq=False)
class LevelNodes:
    """Some nodes of a level, with what their paths have spent."""

    class_counts: NDArray[np.int64]  # node × class
    paid: NDArray[np.int64]
    fees_paid: NDArray[np.uint64]


class LevelRule(Protocol):
    """Stops or chooses, for many nodes. Counts are node × cell × class: the outcomes of all tests in a row."""

    def stops(self, nodes: LevelNodes) -> NDArray[np.bool_]:
        """Per node, whether it is a leaf whatever the tests show."""

    def choose(
        self, nodes: LevelNodes, counts: NDArray[np.int64], cases: NDArray[np.int64] | None
    ) -> list[Choice | None]:
        """Per node the test to do; cases are counts of cases, where leaves need several and weights differ."""


def rule_for(cases: ShardedCases, settings: Settings) -> LevelRule:
    """The core wherever it can."""
    if core is None:
        return PlainRule(cases.schema, settings)
    prices = cases.schema.table
    native = NativeInstance(
        table=None,
        costs=core_costs(prices),
        total=cases.class_order.total,
        n_classes=cases.n_classes,
        highest_price=int(prices.costliest.max() + prices.fees.sum()),
        counts_once=cases.counts_once and cases.factors is None,
    )
    if not (native.counts_cases(settings.min_cases) and native.compares(settings.form)):
        return PlainRule(cases.schema, settings)
    return NativeRule(cases.schema, native, settings)


class NativeRule:
    """By the core's LevelChooser."""

    def __init__(self, schema: Schema, native: NativeInstance, settings: Settings) -> None:
        assert core is not None
        outcomes = schema.n_outcomes.astype(np.int32)
        self._chooser = core.LevelChooser(outcomes, native.n_classes, native.costs, core_settings(native, settings))

    def stops(self, nodes: LevelNodes) -> NDArray[np.bool_]:
        stopped: NDArray[np.uint8] = self._chooser.stops(nodes.class_counts, nodes.paid, nodes.fees_paid)
        return stopped.view(np.bool_)

    def choose(
        self, nodes: LevelNodes, counts: NDArray[np.int64], cases: NDArray[np.int64] | None
    ) -> list[Choice | None]:
        assert core is not None
        rows = counts.reshape(len(counts), -1)
        test, fallback = self._chooser.choose(rows, nodes.paid, nodes.fees_paid, core.Clock())
        chosen = zip(test.tolist(), fallback.tolist(), strict=True)
        return [None if place < 0 else Choice(place, fallback=bool(by_pairs)) for place, by_pairs in chosen]


class PlainRule:
    """By the exact rule in Python."""

    def __init__(self, schema: Schema, settings: Settings) -> None:
        self._schema = schema
        self._settings = settings
        n_outcomes = schema.n_outcomes
        test = np.repeat(np.arange(len(n_outcomes)), n_outcomes)
        outcome = np.arange(len(test)) - (np.cumsum(n_outcomes) - n_outcomes)[test]
        self._cell = (test, outcome)

    def stops(self, nodes: LevelNodes) -> NDArray[np.bool_]:
        table, settings = self._schema.table, self._settings
        stopped = np.empty(len(nodes.paid), dtype=bool)
        for node in range(len(stopped)):
            dues = table.fees_due(int(nodes.fees_paid[node])) + table.costliest
            is_poor = nodes.paid[node] + int(dues.min()) > settings.budget
            stopped[node] = is_poor or stops(nodes.class_counts[node], settings.form, settings.delta)
        return stopped

    def choose(
        self, nodes: LevelNodes, counts: NDArray[np.int64], cases: NDArray[np.int64] | None
    ) -> list[Choice | None]:
        return [self._choose(nodes, counts, cases, node) for node in range(len(counts))]

    def _choose(
        self, nodes: LevelNodes, counts: NDArray[np.int64], cases: NDArray[np.int64] | None, node: int
    ) -> Choice | None:
        spent = Spent(self._schema.table, int(nodes.paid[node]), int(nodes.fees_paid[node]))

        def enough() -> NDArray[np.bool_]:
            shown = self._square((counts if cases is None else cases)[node]).sum(axis=2)
            return np.asarray(((shown == 0) | (shown >= self._settings.min_cases)).all(axis=1))

        return decide(nodes.class_counts[node], lambda: self._square(counts[node]), spent, self._settings, enough)

    def _square(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Test × outcome × class, filled up with 0."""
        n_outcomes = self._schema.n_outcomes
        square = np.zeros((len(n_outcomes), int(n_outcomes.max()), cells.shape[1]), dtype=np.int64)
        square[self._cell] = cells
        return square
