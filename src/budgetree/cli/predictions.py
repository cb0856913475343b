"""Rows of a file as a model reads them, the predictions for a batch of them, and a summary of all batches."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import UNSEEN, Categories, NumberEncoder
from budgetree.data.source import Source, Wanted
from budgetree.data.table import Table, csv_cell
from budgetree.errors import Where
from budgetree.evaluation.cases import check_tests
from budgetree.problem import Schema
from budgetree.problem.units import finite_float
from budgetree.services.words import counted
from budgetree.tree import Tree

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are full width


def columns_for(schema: Schema, used: frozenset[int], rows: Source) -> Wanted:
    """The columns that the model may ask for, which must be there."""
    names = [schema.test_names[test] for test in sorted(used)]
    check_tests(names, rows.names, Where(rows.name))
    numbers = {encoder.name for encoder in schema.encoders or () if isinstance(encoder, NumberEncoder)}
    return Wanted(numbers.intersection(names), set(names) - numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Few different predictions, and which of them each row got."""

    # The answer, the cost by resource, the tests.
    distinct: list[tuple[Any, dict[str, int | float], tuple[str, ...]]]
    position: NDArray[np.int64]  # per row, in the list above
    units: NDArray[np.int64]  # per row, what it paid
    unlisted: NDArray[np.int32]  # per row, the first test with a value that no known case had; -1: none
    probabilities: NDArray[np.float64] | None
    class_names: tuple[Any, ...]

    def as_cells(self) -> Iterator[str]:
        """Per row, the cells to add to its line of CSV."""
        cells = [
            ",".join(map(csv_cell, (str(answer), *map(str, costs.values()), "; ".join(tests))))
            for answer, costs, tests in self.distinct
        ]
        for position, shares in self._rows():
            yield ",".join([cells[position], *map("{:.6g}".format, shares)])

    def as_records(self) -> Iterator[dict[str, Any]]:
        """Per row, what programs read."""
        records = [{"prediction": answer, **costs, "tests": list(tests)} for answer, costs, tests in self.distinct]
        names = [str(name) for name in self.class_names]
        for position, shares in self._rows():
            added = {"probabilities": dict(zip(names, shares, strict=True))} if shares else {}
            yield records[position] | added

    def _rows(self) -> Iterator[tuple[int, Sequence[float]]]:
        """Which prediction each row got, and its probabilities, where they are asked for."""
        shares = repeat(()) if self.probabilities is None else self.probabilities.tolist()
        return zip(self.position.tolist(), shares, strict=False)


def predict_rows(tree: Tree, codes: NDArray[np.uint8], *, with_probabilities: bool = False) -> Predictions:
    """What the tree says of rows of codes."""
    walk, schema = tree.walk_codes(codes), tree.schema
    every = walk.all_spent
    key = walk.leaf.astype(np.int64) * len(schema.answer_names) + walk.answers
    for spent in every:
        amounts, amount = np.unique(spent, return_inverse=True)
        key = np.unique(key, return_inverse=True)[1] * len(amounts) + amount
    _, first, position = np.unique(key, return_index=True, return_inverse=True)  # a row for each different prediction
    distinct = [
        (
            schema.answer_names[answer],
            dict(zip(schema.costs.cost_names, schema.costs.amounts_of(spent).values(), strict=True)),
            tuple(tree.test_names[test] for test in tree.nodes.bought(leaf)),
        )
        for leaf, answer, spent in zip(
            walk.leaf[first].tolist(), walk.answers[first].tolist(), every[:, first].T.tolist(), strict=True
        )
    ]
    shares = walk.probabilities if with_probabilities else None
    return Predictions(distinct, position, every, walk.unlisted, shares, tree.class_names)


@dataclass(slots=True)
class Tally:
    """The summary of all rows: costs, and values that no known case had."""

    tree: Tree
    n_rows: int = 0
    costliest: dict[str, int | float] = field(default_factory=dict)  # by column
    _units: NDArray[np.int64] | int = 0  # per resource
    _unknown: Counter[int] = field(default_factory=Counter)
    _blank: Counter[int] = field(default_factory=Counter)
    _categories: Counter[int] = field(default_factory=Counter)  # per test, rows with a category that is not known

    def add(self, found: Predictions, table: Table, codes: NDArray[np.uint8]) -> None:
        """Count one batch."""
        self.n_rows += len(found.position)
        for name in self.tree.schema.costs.cost_names:
            self.costliest[name] = max([self.costliest.get(name, 0), *(costs[name] for _, costs, _ in found.distinct)])
        self._units = self._units + found.units.sum(axis=1)
        for test in sorted(self.tree.tests_used):
            is_blank = table.column(self.tree.test_names[test]).is_absent
            stopped = found.unlisted == test
            self._unknown[test] += int((stopped & ~is_blank).sum())
            self._blank[test] += int((stopped & is_blank).sum())
            if isinstance(self.tree.schema.encoder(test), Categories):
                self._categories[test] += int(((codes[:, test] == UNSEEN) & ~is_blank).sum())

    @property
    def mean_costs(self) -> dict[str, float]:
        """What a row took on average, by column."""
        costs = self.tree.schema.costs
        units = np.broadcast_to(self._units, len(costs.resources)) / max(self.n_rows, 1)
        means = (of / float(resource.scale) for of, resource in zip(units.tolist(), costs.resources, strict=True))
        return dict(zip(costs.cost_names, means, strict=True))

    def lines(self) -> Iterator[str]:
        """Per test, how many rows had no result, or one that no known case had."""
        names = self.tree.schema.wording.tests
        found = (self._unknown, "a value of {!r} that no known case had"), (self._blank, "no result of {!r}")
        for counts, what in found:
            for test, count in counts.items():
                if count:
                    rows = f"{counted(count, 'row has', 'rows have')} {what.format(names[test])}"
                    yield f"{rows}; the answer is by the other tests."
        for test, count in self._categories.items():
            if sentence := self.tree.schema.many_unknown(test, count, self.n_rows):
                yield f"warning: {sentence}"


def safe_line(line: str) -> str:
    """A line of CSV, with ' before every cell that is not a number and could be a formula.

    >>> safe_line("=cmd(),-3.5,-x,plain")
    "'=cmd(),-3.5,'-x,plain"
    """
    if not any(mark in line for mark in FORMULA):
        return line
    (cells,) = csv.reader(io.StringIO(line, newline=""))
    return ",".join(csv_cell(f"'{cell}" if _may_run(cell) else cell) for cell in cells)


def _may_run(cell: str) -> bool:
    return cell.startswith(FORMULA) and not (cell.isprintable() and finite_float(cell) is not None)
