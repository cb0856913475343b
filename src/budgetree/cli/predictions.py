"""Rows of a file as a model reads them, what its tree says of a batch of them, and what all batches come to."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column
from budgetree.data.encoders import UNSEEN, NumberEncoder, as_learned
from budgetree.data.source import Source, Wanted
from budgetree.data.table import Table, csv_cell
from budgetree.errors import TableError, Where
from budgetree.problem import Schema
from budgetree.problem.units import finite_float
from budgetree.services.words import counted, some_of
from budgetree.show.text import confusion_lines
from budgetree.tree import Confusion, Tree

MAX_SHOWN = 12  # classes, in the list of what was missed
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


def codes_for(schema: Schema, used: frozenset[int], table: Table) -> Any:
    """The codes of a table's rows, as the model reads them."""
    if schema.encoders is None:
        return _codes_by_name(schema, used, table)
    return schema.encode(as_learned(table, [schema.encoders[test] for test in sorted(used)]), used)


def _codes_by_name(schema: Schema, used: frozenset[int], table: Table) -> Any:
    """For a model of codes, where a cell holds an outcome's name."""
    codes = np.full((len(table), len(schema.test_names)), UNSEEN, dtype=np.uint8)
    for test in used:
        codes_by_name = {name: code for code, name in enumerate(schema.outcome_names[test])}
        cells = table.column(schema.test_names[test]).coded()
        known = np.array([codes_by_name.get(str(cell), UNSEEN) for cell in cells.distinct], dtype=np.uint8)
        codes[:, test] = cells.look_up(known, codes_by_name.get("None", UNSEEN))
    return codes


class Judgement:
    """Counts pairs of a right and a given answer, both as texts, since a file need not have the model's types."""

    def __init__(self, tree: Tree) -> None:
        self.schema = tree.schema
        self.answers = [str(name) for name in tree.answer_names]
        self.classes = self.answers[: len(tree.class_names)]
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
        others = sorted({true for true, _ in self.pairs} - set(self.classes))
        names = (*self.classes, *others)
        # Nothing answers what the model does not know, but a class has the same position in rows and columns.
        answers = (*names, *(answer for answer in self.answers[len(self.classes) :] if answer not in names))
        return Confusion(answers, names, tuple(tuple(self.pairs[true, answer] for true in names) for answer in answers))

    @property
    def mean_loss(self) -> float | None:
        """Over the rows whose class the model knows; None where there is none."""
        table = self.schema.loss_table
        at = {name: position for position, name in enumerate(self.answers)}
        known = {pair: count for pair, count in self.pairs.items() if pair[0] in self.classes}
        if not known:
            return None
        units = sum(int(table.units[at[true], at[answer]]) * count for (true, answer), count in known.items())
        return float(units / table.scale / sum(known.values()))

    def lines(self) -> Iterator[str]:
        """How many are wrong, of which classes, what that loses, and which answers were given instead."""
        n_rows = sum(self.pairs.values())
        referrals = set(self.answers[len(self.classes) :])
        wrong: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for (true, answer), count in self.pairs.items():
            total[true] += count
            if answer != true and answer not in referrals:
                wrong[true] += count
        share = sum(wrong.values()) / n_rows if n_rows else 0
        yield f"{sum(wrong.values())} of {counted(n_rows, 'prediction is', 'predictions are')} wrong ({share:.1%})."
        if self.n_without:
            yield f"{counted(self.n_without, 'row says', 'rows say')} nothing about what is right: left out."
        labels = dict(zip(self.answers, self.schema.wording.answers, strict=True))
        for true, count in wrong.most_common(MAX_SHOWN):
            yield f"  {labels.get(true, true)}: {count} of {total[true]} missed"
        if referrals:
            n_referred = sum(count for (_, answer), count in self.pairs.items() if answer in referrals)
            yield f"{counted(n_referred, 'row')} got an answer that is not a class ({n_referred / max(n_rows, 1):.1%})."
        if self.schema.losses is not None:
            yield from self._loss_lines(total)
        if n_rows:
            yield from confusion_lines(self.confusion.called(self.schema))

    def _loss_lines(self, total: Counter[str]) -> Iterator[str]:
        mean = self.mean_loss
        if mean is not None:
            yield f"mean loss {mean:.4g} per row."
        unknown = sum(count for true, count in total.items() if true not in self.classes)
        if unknown:
            yield f"{counted(unknown, 'row is', 'rows are')} of a class that the model does not know, without a loss."


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
        cells = [
            ",".join(map(csv_cell, (str(label), str(cost), "; ".join(tests))))
            for label, cost, tests in zip(self.labels, self.costs, self.tests, strict=True)
        ]
        if self.probabilities is None:
            return (cells[answer] for answer in self.answer.tolist())
        rows = zip(self.answer.tolist(), self.probabilities.tolist(), strict=True)
        return (f"{cells[answer]},{','.join(map('{:.6g}'.format, shares))}" for answer, shares in rows)

    def as_records(self) -> Iterator[dict[str, Any]]:
        """Per row, what programs read."""
        records = [
            {"prediction": label, "cost": cost, "tests": list(tests)}
            for label, cost, tests in zip(self.labels, self.costs, self.tests, strict=True)
        ]
        if self.probabilities is None:
            return (records[answer] for answer in self.answer.tolist())
        names = [str(name) for name in self.class_names]
        rows = zip(self.answer.tolist(), self.probabilities.tolist(), strict=True)
        return (records[answer] | {"probabilities": dict(zip(names, shares, strict=True))} for answer, shares in rows)


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
        self._unknown.update(dict(zip(tests.tolist(), counts.tolist(), strict=True)))
        if target is not None:
            self._judgement = self._judgement or Judgement(self.tree)
            self._judgement.add(_pairs(found, target))

    @property
    def mean_cost(self) -> float:
        """What a row cost on average."""
        return self._units / self.n_rows / float(self.tree.schema.table.scale) if self.n_rows else 0

    def lines(self) -> Iterator[str]:
        """Per test, how many rows had a value there that no known case had; and how many predictions are wrong."""
        goes_on = self.tree.nodes.otherwise is not None
        for test, count in self._unknown.items():
            if test < 0:  # rows without such a value
                continue
            rows = counted(count, "row has", "rows have")
            then = f"{'was' if count == 1 else 'were'} answered by the other tests" if goes_on else "stopped there"
            yield f"{rows} a value of {self.tree.schema.wording.tests[test]!r} that no known case had, and {then}."
        if self._judgement is not None:
            yield from self._judgement.lines()


def _pairs(found: Predictions, target: Column) -> Iterator[tuple[str | None, str, int]]:
    """Every pair of a right and a given answer that some rows have, and how many."""
    truth = target.coded()
    names: list[str | None] = [*map(str, truth.distinct), None]
    pair = truth.positions.astype(np.int64) % len(names) * max(1, len(found.labels)) + found.answer
    for number, count in zip(*(part.tolist() for part in np.unique(pair, return_counts=True)), strict=True):
        true, answer = divmod(number, len(found.labels))
        yield names[true], str(found.labels[answer]), count


def safe_line(line: str) -> str:
    """A line of CSV, with ' before every cell that is not a number and could be a formula.

    >>> safe_line("=cmd(),-3.5,-x,plain")
    "'=cmd(),-3.5,'-x,plain"
    """
    if not any(mark in line for mark in FORMULA):
        return line
    (cells,) = csv.reader(io.StringIO(line, newline=""))
    return ",".join(csv_cell(_safe_cell(cell)) for cell in cells)


def _safe_cell(cell: str) -> str:
    is_number = cell.isprintable() and finite_float(cell) is not None
    return f"'{cell}" if cell.startswith(FORMULA) and not is_number else cell
