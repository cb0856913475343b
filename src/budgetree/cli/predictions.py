"""Rows of a file as a model reads them, what its tree says of a batch of them, and what all batches come to."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column
from budgetree.data.encoders import UNSEEN, Categories, NumberEncoder
from budgetree.data.source import Source, Wanted
from budgetree.data.table import Table, csv_cell
from budgetree.errors import TableError, Where
from budgetree.problem import Schema
from budgetree.problem.units import finite_float
from budgetree.services.words import counted, some_of
from budgetree.show.text import confusion_lines
from budgetree.tree import Confusion, Tree

MAX_SHOWN = 12  # classes, in the list of what was missed
MANY_UNKNOWN = 0.05  # of the rows: categories that the model does not know are no exception
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are full width


def columns_for(schema: Schema, used: frozenset[int], rows: Source) -> Wanted:
    """The columns that the model may ask for, which must be there."""
    names = [schema.test_names[test] for test in sorted(used)]
    absent = next((name for name in names if name not in rows.names), None)
    if absent is not None:
        message = f"there is no column {absent!r}, which the model may ask for. There are: {some_of(rows.names)}."
        raise TableError(message, subject=absent, where=Where(rows.name))
    numbers = {encoder.name for encoder in schema.encoders or () if isinstance(encoder, NumberEncoder)}
    return Wanted(numbers.intersection(names), set(names) - numbers)


class Judgement:
    """Counts pairs of a right and a given answer, both as texts, since a file need not have the model's types."""

    def __init__(self, tree: Tree) -> None:
        self.schema = tree.schema
        names = [str(name) for name in tree.answer_names]
        self.classes, self.referrals = names[: len(tree.class_names)], names[len(tree.class_names) :]
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.n_without = 0  # rows that say nothing of what is right

    def add(self, counts: Iterable[tuple[str | None, str, int]]) -> None:
        """So many more rows of a right and a given answer; None where it is not known what is right."""
        for true, answer, count in counts:
            if true is None:
                self.n_without += count
            else:
                self.pairs[true, answer] += count

    @property
    def confusion(self) -> Confusion:
        """A row per answer, a column per class: those of the model, and then whatever else the column has."""
        names = (*self.classes, *sorted({true for true, _ in self.pairs} - set(self.classes)))
        # Nothing answers what the model does not know, but a class has the same position in rows and columns.
        answers = (*names, *(answer for answer in self.referrals if answer not in names))
        return Confusion(answers, names, tuple(tuple(self.pairs[true, answer] for true in names) for answer in answers))

    @property
    def mean_loss(self) -> float | None:
        """Over the rows whose class the model knows; None where there is none."""
        table = self.schema.loss_table
        at = {name: position for position, name in enumerate([*self.classes, *self.referrals])}
        known = {pair: count for pair, count in self.pairs.items() if pair[0] in self.classes}
        units = sum(int(table.units[at[true], at[answer]]) * count for (true, answer), count in known.items())
        return float(units / table.scale / sum(known.values())) if known else None

    def _called(self, true: str, total: Counter[str], labels: Mapping[str, str]) -> str:
        """What was said of the cases of a class that are wrong: of two classes, whether they are missed."""
        if len(self.classes) != 2 or true not in self.classes:
            return "called something else"
        positive, _ = self.schema.loss_table.positive([total[name] for name in self.classes])
        other = next(name for name in self.classes if name != true)
        kind = "missed" if self.classes[positive or 0] == true else "false alarms"
        return f"called {labels[other]} ({kind})"

    def lines(self) -> Iterator[str]:
        """How many are wrong, of which classes, what that loses, and which answers were given instead."""
        wrong: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for (true, answer), count in self.pairs.items():
            total[true] += count
            if answer not in (true, *self.referrals):
                wrong[true] += count
        n_referred = sum(count for (_, answer), count in self.pairs.items() if answer in self.referrals)
        n_rows, n_wrong = total.total(), wrong.total()
        predictions = counted(n_rows, "prediction is", "predictions are")
        yield f"{n_wrong} of {predictions} wrong ({n_wrong / max(n_rows, 1):.1%})."
        if self.n_without:
            yield f"{counted(self.n_without, 'row says', 'rows say')} nothing about what is right: left out."
        labels = dict(zip(self.classes, self.schema.wording.classes, strict=True))
        for true, count in wrong.most_common(MAX_SHOWN):
            yield f"  {labels.get(true, true)}: {count} of {total[true]} {self._called(true, total, labels)}"
        if self.referrals:
            yield f"{counted(n_referred, 'row')} got an answer that is not a class ({n_referred / max(n_rows, 1):.1%})."
        if self.schema.losses is not None:
            if (mean := self.mean_loss) is not None:
                yield f"mean loss {mean:.4g} per row."
            if unknown := n_rows - sum(total[true] for true in self.classes):
                rows = counted(unknown, "row is", "rows are")
                yield f"{rows} of a class that the model does not know, without a loss."
        if n_rows:
            yield from confusion_lines(self.confusion.called(self.schema))


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Few different predictions, and which of them each row got."""

    distinct: list[
        tuple[Any, dict[str, int | float], tuple[str, ...]]
    ]  # the answer, what it took by resource, the tests
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

    def beside(self, target: Column) -> Iterator[tuple[str | None, str, int]]:
        """Every pair of a right and a given answer that some rows have, and how many."""
        truth, n_distinct = target.coded(), max(1, len(self.distinct))
        names: list[str | None] = [*map(str, truth.distinct), None]
        pairs = truth.positions.astype(np.int64) % len(names) * n_distinct + self.position
        for pair, count in zip(*(part.tolist() for part in np.unique(pairs, return_counts=True)), strict=True):
            yield names[pair // n_distinct], str(self.distinct[pair % n_distinct][0]), count


def predict_rows(tree: Tree, codes: NDArray[np.uint8], *, with_probabilities: bool = False) -> Predictions:
    """What the tree says of rows of codes."""
    walk, schema = tree.walk_codes(codes), tree.schema
    every = np.vstack([walk.spent, walk.further_spent])  # resource × row
    key = walk.leaf.astype(np.int64) * len(schema.answer_names) + walk.answers
    for spent in every:
        amounts, amount = np.unique(spent, return_inverse=True)
        key = np.unique(key, return_inverse=True)[1] * len(amounts) + amount
    _, first, position = np.unique(key, return_index=True, return_inverse=True)  # a row for each different prediction
    distinct = [
        (
            schema.answer_names[answer],
            _costs(schema, spent),
            tuple(tree.test_names[test] for test in tree.nodes.bought(leaf)),
        )
        for leaf, answer, spent in zip(
            walk.leaf[first].tolist(), walk.answers[first].tolist(), every[:, first].T.tolist(), strict=True
        )
    ]
    shares = walk.probabilities if with_probabilities else None
    return Predictions(distinct, position, walk.spent, walk.unlisted, shares, tree.class_names)


def _costs(schema: Schema, spent: Sequence[int]) -> dict[str, int | float]:
    """By column: the cost, and what was taken of each further resource."""
    amounts = [resource.amount(units) for resource, units in zip(schema.costs.resources, spent, strict=True)]
    return dict(zip(cost_columns(schema), amounts, strict=True))


def cost_columns(schema: Schema) -> list[str]:
    """What the columns of costs are called."""
    return ["cost", *(resource.name for resource in schema.costs.resources[1:])]


@dataclass(slots=True)
class Tally:
    """What is said at the end: costs, values that no known case had, wrong predictions."""

    tree: Tree
    n_rows: int = 0
    costliest: int | float = 0
    _units: int = 0
    _unknown: Counter[int] = field(default_factory=Counter)
    _blank: Counter[int] = field(default_factory=Counter)
    _categories: Counter[int] = field(default_factory=Counter)  # per test, rows with a category that is not known
    _judgement: Judgement | None = None  # where a column says what is right

    def add(self, found: Predictions, target: Column | None, table: Table, codes: NDArray[np.uint8]) -> None:
        """Count one batch."""
        self.n_rows += len(found.position)
        self.costliest = max([self.costliest, *(costs["cost"] for _, costs, _ in found.distinct)])
        self._units += int(found.units.sum())
        for test in sorted(self.tree.tests_used):
            is_blank = table.column(self.tree.test_names[test]).is_absent
            stopped = found.unlisted == test
            self._unknown[test] += int((stopped & ~is_blank).sum())
            self._blank[test] += int((stopped & is_blank).sum())
            if isinstance(self.tree.schema.encoder(test), Categories):
                self._categories[test] += int(((codes[:, test] == UNSEEN) & ~is_blank).sum())
        if target is not None:
            self._judgement = self._judgement or Judgement(self.tree)
            self._judgement.add(found.beside(target))

    @property
    def mean_cost(self) -> float:
        """What a row cost on average."""
        return self._units / self.n_rows / float(self.tree.schema.costs.scale) if self.n_rows else 0

    def lines(self) -> Iterator[str]:
        """Per test, how many rows had a value there that no known case had; and how many predictions are wrong."""
        names = self.tree.schema.wording.tests
        for test, count in self._unknown.items():
            if count:
                rows = counted(count, "row has", "rows have")
                yield f"{rows} a value of {names[test]!r} that no known case had; the answer is by the other tests."
        for test, count in self._blank.items():
            if count:
                rows = counted(count, "row has", "rows have")
                yield f"{rows} no result of {names[test]!r}; the answer is by the other tests."
        for test, count in self._categories.items():
            if count > MANY_UNKNOWN * self.n_rows:
                share = f"warning: {count / self.n_rows:.0%} of the rows have a category of {names[test]!r}"
                yield f"{share} that the model does not know; is it written as in the table of known cases?"
        if self._judgement is not None:
            yield from self._judgement.lines()


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
