"""What a tree says of a batch of rows, each different answer put into words once; and what all batches come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.cli.judging import Judgement
from budgetree.data.batches import csv_cell
from budgetree.data.column import Column
from budgetree.services.words import counted
from budgetree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Few different answers, and which of them each row got."""

    labels: list[Any]
    costs: list[int | float]
    tests: list[tuple[str, ...]]
    answer: NDArray[np.int64]  # per row, the position in the lists above
    units: NDArray[np.int64]  # per row, what it paid
    probabilities: NDArray[np.float64] | None
    class_names: tuple[Any, ...]

    def as_cells(self) -> Iterator[str]:
        """Per row, the cells to add to its line of CSV."""
        said = [
            ",".join(map(csv_cell, (str(label), str(cost), "; ".join(tests))))
            for label, cost, tests in zip(self.labels, self.costs, self.tests, strict=True)
        ]
        if self.probabilities is None:
            return (said[answer] for answer in self.answer.tolist())
        rows = zip(self.answer.tolist(), self.probabilities.tolist(), strict=True)
        return (f"{said[answer]},{','.join(map('{:.6g}'.format, shares))}" for answer, shares in rows)

    def as_records(self) -> Iterator[dict[str, Any]]:
        """Per row, what programs read."""
        said = [
            {"prediction": label, "cost": cost, "tests": list(tests)}
            for label, cost, tests in zip(self.labels, self.costs, self.tests, strict=True)
        ]
        if self.probabilities is None:
            return (said[answer] for answer in self.answer.tolist())
        names = [str(name) for name in self.class_names]
        rows = zip(self.answer.tolist(), self.probabilities.tolist(), strict=True)
        return (said[answer] | {"probabilities": dict(zip(names, shares, strict=True))} for answer, shares in rows)


def predict_rows(tree: Tree, codes: NDArray[np.uint8], *, with_probabilities: bool = False) -> Predictions:
    """What the tree says of rows of codes."""
    node, units, label = tree.route(codes).astype(np.int64), tree.units(codes), tree.answers(codes)
    amounts, amount = np.unique(units, return_inverse=True)
    key = (node * len(tree.schema.answer_names) + label) * len(amounts) + amount
    _, first, answer = np.unique(key, return_index=True, return_inverse=True)
    some = codes[first]  # a row for each different answer
    return Predictions(
        tree.schema.answers[label[first]].tolist(),
        tree.plain_cost(some) if len(some) else [],
        tree.tests_done(some) if len(some) else [],
        answer,
        units,
        tree.predict_proba(codes) if with_probabilities else None,
        tree.class_names,
    )


@dataclass(slots=True)
class Tally:
    """What is said at the end: costs, values that no known case had, wrong predictions."""

    tree: Tree
    n_rows: int = 0
    costliest: int | float = 0
    _units: int = 0
    _unknown: Counter[int] = field(default_factory=Counter)
    _judgement: Judgement | None = None  # where a column says what is right

    def add(self, found: Predictions, codes: NDArray[np.uint8], target: Column | None) -> None:
        """Count one batch."""
        self.n_rows += len(codes)
        self.costliest = max([self.costliest, *found.costs])
        self._units += int(found.units.sum())
        tests, counts = np.unique(self.tree.first_unknown(codes), return_counts=True)
        self._unknown.update(
            {test: count for test, count in zip(tests.tolist(), counts.tolist(), strict=True) if test >= 0}
        )
        if target is not None:
            self._judgement = self._judgement or Judgement(self.tree)
            self._judgement.add_counts(_pairs(found, target))

    @property
    def mean_cost(self) -> float:
        """What a row cost on average."""
        return self._units / self.n_rows / float(self.tree.schema.table.scale) if self.n_rows else 0

    def unknown(self) -> Iterator[str]:
        """Per test, how many rows had a value there that no known case had."""
        goes_on = self.tree.nodes.otherwise is not None
        for test, count in self._unknown.items():
            rows = counted(count, "row has", "rows have")
            then = f"{'was' if count == 1 else 'were'} answered by the other tests" if goes_on else "stopped there"
            yield f"{rows} a value of {self.tree.schema.wording.tests[test]!r} that no known case had, and {then}."

    def wrong(self) -> Iterator[str]:
        """How the predictions agree with the column that says what is right."""
        return iter(()) if self._judgement is None else self._judgement.lines()


def _pairs(found: Predictions, target: Column) -> Iterator[tuple[str | None, str, int]]:
    """Every pair of a right and a given answer that some rows have, and how many."""
    truth = target.coded()
    names: list[str | None] = [*map(str, truth.distinct), None]
    pair = truth.positions.astype(np.int64) % len(names) * max(1, len(found.labels)) + found.answer
    for place, count in zip(*(part.tolist() for part in np.unique(pair, return_counts=True)), strict=True):
        yield names[place // len(found.labels)], str(found.labels[place % len(found.labels)]), count
