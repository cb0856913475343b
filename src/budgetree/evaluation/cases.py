"""Judged: the answers of pathways to cases of known class that they were not learned from.

case      0 0 0 1 1 1 …     by a pathway learned without them, once in every repeat; or by one fixed pathway
fold      2 5 9 0 6 8 …     which pathway it was
answer    a b a b b b …     with the probabilities, what was paid, and the tests that were done
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column, is_missing
from budgetree.data.encoders import UNSEEN, as_learned
from budgetree.data.frames import read_frame
from budgetree.data.table import Table
from budgetree.errors import SettingError, TableError, Where
from budgetree.evaluation.metrics import Sample
from budgetree.learn.validation import KnownRows, check_groups, walk_rows
from budgetree.problem import Instance, Schema
from budgetree.services.words import counted, listed, no_such, some_of
from budgetree.tree import Tree, Walk

MAX_GROUPS = 20  # of one column, that are looked at one by one
NOT_KNOWN = "not known"
ARRAYS = (  # of Judged
    "case", "repeat", "labels", "answers", "chances", "cost", "stage", "tests", "weights", "draw", "fold",
)  # fmt: skip

Ints = NDArray[np.int64]
Values = Sequence[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Cases whose class is known, to judge pathways by; those of weight 0 say nothing."""

    labels: Ints  # positions among the classes of the pathway
    weights: NDArray[np.float64]
    draw: Ints  # which of them belong together
    row: Ints  # of the table, for those who look a case up
    column: Callable[[str], Column | None]  # by name, a value per case
    library: str | None = None
    n_without: int = 0  # rows that do not say what is right, which are left out
    n_missing: int = 0  # cells of tests that are empty

    @classmethod
    def held_out(cls, instance: Instance, rows: KnownRows) -> tuple[Cases, Ints]:
        """The known cases that a procedure holds out; and the position of each row among them."""
        whole = rows.instance
        order, number = rows.in_order()
        raw = order if rows.positions is None else rows.positions[order]
        facts = (
            whole.row_labels[order],
            whole.row_weights[order],
            np.arange(len(order)) if number is None else number[order],
        )
        column, n_missing = _column_of(instance, raw), _n_missing(whole)
        return cls(*facts, raw, column, instance.frame_library, n_missing=n_missing), np.argsort(order)

    @classmethod
    def of(cls, cases: Any, target: str | None, groups: Any, tree: Tree) -> tuple[Cases, Callable[[Tree], Walk]]:
        """Whatever a user may give, an Instance, a data frame or a table with the target column; and how to walk it."""
        names = [tree.test_names[test] for test in tree.tests_used]
        if isinstance(cases, Instance):
            draws = None if groups is None else _draws(groups, cases.n_rows)
            rows, positions = cases.unrolled(merged=False)  # a weight of k is k rows
            check_tests(names, cases.test_names)
            kept = np.flatnonzero(rows.row_weights > 0)
            classes = _positions(cases.class_names, tree) if len(kept) else np.zeros(0, dtype=np.int64)
            found = cls(
                classes[rows.row_labels[kept]],
                rows.row_weights[kept],
                kept if draws is None else draws[positions[kept]],
                positions[kept],
                _column_of(rows, kept),
                cases.frame_library,
                n_missing=_n_missing(rows),
            )
            return found, lambda pathway: walk_rows([pathway], rows, rows, kept)[0]
        if target is None:
            message = "target: the cases are a table; say which of its columns has the right answer."
            raise SettingError(message, subject="target")
        table = cases if isinstance(cases, Table) else read_frame(cases)
        if target not in table.names:
            raise TableError(no_such("column", target, table.names), subject=target, where=table.origin)
        draws = None if groups is None else _draws(groups, len(table))
        labelled = np.flatnonzero(~table.column(target).is_absent)
        given = table.take(labelled)
        if not len(given):
            message = f"{target!r} is empty in every row; expected a class in at least one."
            raise TableError(message, subject=target, where=table.origin)
        labels = _positions(given.column(target).to_list(), tree)
        check_tests(names, table.names, table.origin)
        found = cls(
            labels,
            np.ones(len(given)),
            labelled if draws is None else draws[labelled],
            labelled,
            lambda name: given.column(name) if name in given.names else None,
            n_without=len(table) - len(labelled),
            n_missing=sum(int(given.column(name).is_absent.sum()) for name in names),
        )
        return found, lambda pathway: pathway.walk_codes(codes_for(pathway.schema, pathway.tests_used, given))


@dataclass(frozen=True, eq=False)
class Judged:
    """A row per case and repeat."""

    case: Ints  # its position among those that were given
    repeat: Ints
    labels: Ints  # positions in class_names
    answers: Ints  # positions in answer_names
    chances: NDArray[np.float64]  # row × class
    cost: NDArray[np.float64]
    stage: Ints  # how often something was bought before an answer
    tests: NDArray[np.bool_]  # row × test: which were done
    weights: NDArray[np.float64]  # those of one case add up to its weight
    draw: Ints  # as in Sample, and what follows
    fold: Ints
    test_names: tuple[str, ...]
    inflation: float = 1.0

    @cached_property
    def sample(self) -> Sample:
        """What each row counts."""
        return Sample(self.weights, self.case, self.draw, self.fold, self.inflation)

    @classmethod
    def of(
        cls, walk: Walk, cases: Cases, at: Ints, test_names: tuple[str, ...], *, fold: int = 0, repeat: int = 0
    ) -> Judged:
        """What one pathway says of the cases at these positions."""
        leaves, leaf_of = np.unique(walk.leaf, return_inverse=True)
        position = {name: index for index, name in enumerate(test_names)}
        done = np.zeros((len(leaves), len(position)), dtype=bool)
        stages = np.zeros(len(leaves), dtype=np.int64)
        for index, leaf in enumerate(leaves.tolist()):
            done[index, [position[walk.schema.test_names[test]] for test in walk.nodes.bought(leaf)]] = True
            is_buy = walk.nodes.is_buy[walk.nodes.path(leaf)].astype(np.int64)
            stages[index] = int((np.diff(is_buy, prepend=0) == 1).sum())
        which, fold_of = np.full(len(at), repeat, dtype=np.int64), np.full(len(at), fold, dtype=np.int64)
        found = (walk.answers, walk.probabilities, walk.cost, stages[leaf_of], done[leaf_of])
        return cls(at, which, cases.labels[at], *found, cases.weights[at], cases.draw[at], fold_of, test_names)

    @classmethod
    def joined(cls, parts: Sequence[Judged], inflation: float = 1.0) -> Judged:
        """All of them; a case that is there several times shares its weight among these."""
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
        arrays["weights"] = arrays["weights"] / np.bincount(arrays["case"])[arrays["case"]]
        return cls(**arrays, test_names=parts[0].test_names, inflation=inflation)

    def take(self, chosen: NDArray[Any]) -> Judged:
        """Only these rows."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in ARRAYS})


def _draws(groups: Any, n_rows: int) -> Ints:
    """Per row the number of its group."""
    return np.unique([str(group) for group in check_groups(groups, n_rows)], return_inverse=True)[1]


def _column_of(instance: Instance, rows: Ints) -> Callable[[str], Column | None]:
    tests = None if instance.source is None else instance.source.tests
    return lambda name: tests.column(name).take(rows) if tests is not None and name in tests.names else None


def _n_missing(instance: Instance) -> int:
    columns = () if instance.source is None else instance.source.tests.columns
    return sum(int(column.is_absent.sum()) for column in columns)


def check_tests(names: Sequence[str], known: Sequence[str], where: Where | None = None) -> None:
    """An error if a test of the pathway is not a column."""
    if absent := [name for name in names if name not in known]:
        message = f"there is no column {absent[0]!r}, which the pathway may ask for. There are: {some_of(known)}."
        raise TableError(message, subject=absent[0], where=where)


def codes_for(schema: Schema, used: frozenset[int], table: Table) -> NDArray[np.uint8]:
    """The codes of a table's rows, as a model reads them."""
    if schema.encoders is not None:
        return schema.encoded(as_learned(table, [schema.encoders[test] for test in sorted(used)]), used)
    # A model of codes: a cell holds an outcome's name.
    codes = np.full((len(table), len(schema.test_names)), UNSEEN, dtype=np.uint8)
    for test in used:
        codes_by_name = {name: code for code, name in enumerate(schema.outcome_names[test])}
        cells = table.column(schema.test_names[test]).coded()
        known = np.array([codes_by_name.get(str(cell), UNSEEN) for cell in cells.distinct], dtype=np.uint8)
        codes[:, test] = cells.look_up(known, codes_by_name.get("None", UNSEEN))
    return codes


def _positions(names: Values, tree: Tree) -> Ints:
    """Classes by the positions that the pathway has for them; a file need not have its types."""
    known = {str(name): position for position, name in enumerate(tree.class_names)}
    other = sorted({str(name) for name in names} - set(known))
    if other:
        message = f"the pathway knows no class {other[0]!r}; it knows {listed(tree.class_names)}."
        advice = "Correct the names, or leave out the rows of other classes, and say so where you report the figures."
        raise TableError(f"{message} {advice}", subject=other[0], expected=tuple(tree.class_names))
    return np.array([known[str(name)] for name in names], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Cases in groups: by the values of a column, or between cuts of its numbers."""

    by: str
    names: tuple[str, ...]
    number: Ints  # per case, the position of its group


def divide(by: Any, column: Callable[[str], Column | None], rows: Ints) -> list[Division]:
    """The groups that are asked for: "sex", "age:40,60", or {either: a value per row}."""
    given: Mapping[str, Any] = by if isinstance(by, Mapping) else dict.fromkeys([by] if isinstance(by, str) else by)
    return [_divided(str(spec), values, column, rows) for spec, values in given.items()]


def _divided(spec: str, values: Any, column: Callable[[str], Column | None], rows: Ints) -> Division:
    name, _, cuts = (spec, "", "") if column(spec) is not None else spec.rpartition(":")
    name, cuts = (name, cuts) if name else (spec, "")
    found = column(name) if values is None else None
    if values is None and found is None:
        message = f"by: there is no column {name!r} in the cases; expected one of their columns, or its values."
        raise SettingError(message, subject="by", found=spec)
    cells = list(values) if found is None else found.to_list()
    if found is None:
        if len(rows) and len(cells) <= int(rows.max()):
            message = f"by: {name!r} has {counted(len(cells), 'value')}; expected one for each row."
            raise SettingError(message, subject="by", found=len(cells))
        cells = [cells[row] for row in rows.tolist()]
    return _by_cuts(name, cells, cuts, spec) if cuts else _by_value(name, cells)


def _by_value(name: str, cells: Values) -> Division:
    texts = [NOT_KNOWN if is_missing(cell) else str(cell) for cell in cells]
    names = sorted(set(texts), key=lambda text: (text == NOT_KNOWN, len(text) if text.isdigit() else 0, text))
    if len(names) > MAX_GROUPS:
        message = f"by: {name!r} has {len(names)} different values; expected at most {MAX_GROUPS}."
        raise SettingError(f"{message} Cut numbers, as in {name}:40,60.", subject="by", found=len(names))
    at = {text: index for index, text in enumerate(names)}
    return Division(name, tuple(names), np.array([at[text] for text in texts], dtype=np.int64))


def _by_cuts(name: str, cells: Values, cuts: str, spec: str) -> Division:
    try:
        edges = [float(cut) for cut in cuts.split(",")]
        numbers = np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])
    except (TypeError, ValueError) as error:
        message = f"by: {spec!r} does not cut numbers; expected a column of numbers and where to cut, as in age:40,60."
        raise SettingError(message, subject="by", found=spec) from error
    if edges != sorted(set(edges)) or not np.isfinite(edges).all():
        raise SettingError(f"by: the cuts of {spec!r} do not rise; expected age:40,60.", subject="by", found=spec)
    shown = cuts.replace(" ", "").split(",")
    between = [f"{low} to below {high}" for low, high in pairwise(shown)]
    number = np.where(np.isnan(numbers), len(edges) + 1, np.searchsorted(edges, numbers, side="right"))
    names = (f"below {shown[0]}", *between, f"{shown[-1]} or more", *([NOT_KNOWN] if np.isnan(numbers).any() else ()))
    return Division(name, names, number)
