"""Instance: a table of known cases, coded, with labels, weights, prices and losses."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from os import PathLike, fspath
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.column import Coded, Column
from budgetree.data.encoders import (
    DEFAULT_LEVELS,
    Binning,
    BlankReading,
    ColumnEncoder,
    LevelCounts,
    LevelPlan,
    fit_encoder,
)
from budgetree.data.frames import read_frame
from budgetree.data.profile import class_codes
from budgetree.data.source import Reading, read_table
from budgetree.data.table import Table, known_cases, name_key
from budgetree.errors import SettingError, TableError, Where
from budgetree.problem.duplicates import (
    ClassOrder,
    Copies,
    Irreducible,
    canonical_order,
    code_words,
    find_copies,
    loss_among_identical,
    merge_duplicates,
    mix,
    repeats,
)
from budgetree.problem.labels import Labels
from budgetree.problem.losses import Losses
from budgetree.problem.prices import Prices, left_out_sentence
from budgetree.problem.schema import HasSchema, Schema, check_codes, check_names, distinct_names
from budgetree.problem.units import units_for_losses, weight_units

# Every row counts; or, as in the paper, rows that agree on every test become one case with the most common label.
Duplicates = Literal["keep", "merge"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Raw rows with their labels and weights, and how they become known cases.

    Whether a column holds numbers or words was decided when its table was read. Its levels or categories, and which
    rows are duplicates, are found in the rows at hand: cases made from some of the rows know nothing of the others.
    """

    tests: Table  # a column per test, by name
    labels: NDArray[np.int64]  # per row, the position of its class in the instance's class_names
    levels: LevelPlan
    duplicates: Duplicates = "keep"
    weights: NDArray[np.float64] | None = None  # None: each row counts once
    input_columns: tuple[str, ...] = ()  # the tests as they came

    def __post_init__(self) -> None:
        object.__setattr__(self, "input_columns", self.input_columns or tuple(self.tests.names))
        object.__setattr__(self, "tests", self.tests.by_name())
        for array in (self.labels, self.weights):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.tests)

    def take(self, positions: NDArray[np.int64]) -> Rows:
        weights = None if self.weights is None else self.weights[positions]
        return replace(self, tests=self.tests.take(positions), labels=self.labels[positions], weights=weights)

    def ranks(self) -> NDArray[np.int64]:
        """Per row, its rank in the canonical order; equal rows share one."""
        others = (self.labels,) if self.weights is None else (self.labels, self.weights)
        return canonical_order(Contents(self.tests.columns), *others)


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """What stands for the values of columns, one after the other: all of them at once are as large as a table."""

    columns: Sequence[Column]

    def __iter__(self) -> Iterator[NDArray[np.uint64]]:
        return (column.content() for column in self.columns)


def row_hashes(
    tests: Sequence[Column], labels: Column, weights: NDArray[np.float64] | None = None
) -> NDArray[np.uint64]:
    """Per raw row a hash of its results, class and weight, the same in whatever table it stands."""
    others = () if weights is None else (Column("weights", "weights", numbers=weights),)
    return mix(Contents((*tests, labels, *others)))


class Instance(HasSchema):
    """Known cases as a table of outcome codes, cases × tests, with a class for each.

    `from_frame` and `from_file` read one from a table of raw values.

    Parameters
    ----------
    codes : array-like of int
        The outcome of each test (column) on each case (row): whole numbers 0, 1, 2, …
    labels : array-like
        The class of each case; with `class_names`, positions in it.
    prices : number, dict or Prices, optional
        What tests cost: one number, {test: price}, {test: {outcome: price}} or a `Prices`. By default each costs 1.
    weights : array-like, optional
        How much each case counts; by default 1.
    losses : dict, array-like or Losses, optional
        What wrong answers cost: {class: loss}, {class: {answer: loss}}, a square array or a `Losses`. By default 1.
    test_names : sequence of str, optional
        What the tests are called, one name per column; by default 0, 1, 2, …
    outcome_names : sequence of sequences of str, optional
        What their outcomes are called, one list per test; by default 0, 1, 2, …
    class_names : sequence, optional
        What the classes are called; by default the different labels, sorted.

    Attributes
    ----------
    codes : array of uint8
        The outcome codes, cases × tests; read-only. Tests are ordered by name, as in `test_names`, and cases by what
        they hold, so that nothing depends on the order of rows and named columns.
    labels : array of int
        Per case, the position of its class in `class_names`.

    Examples
    --------
    >>> import budgetree as bt
    >>> instance = bt.Instance([[0, 1], [0, 0], [1, 1]], ["well", "ill", "ill"], test_names=["fever", "cough"])
    >>> instance, instance.rows([0, 1]), instance.rows([0, 1]).codes_of(instance, [2]).tolist()
    (Instance(3 cases, 2 tests, 2 classes), Instance(2 cases, 2 tests, 2 classes), [[1, 1]])
    >>> labels = {"tests": {"fever": {"outcomes": {0: "no", 1: "yes"}}}}
    >>> instance.with_losses({"ill": 5}).with_labels(labels).schema.wording.outcomes
    (('0', '1'), ('no', 'yes'))
    >>> bt.Instance.from_frame(bt.datasets.frame("pima"), "diabetes", levels=4)
    Instance(768 cases, 8 tests, 2 classes)
    """

    def __init__(
        self,
        codes: Any,
        labels: Any,
        *,
        prices: Any = None,
        weights: Any = None,
        losses: Any = None,
        test_names: Sequence[Any] | None = None,
        outcome_names: Sequence[Sequence[Any]] | None = None,
        class_names: Sequence[Any] | None = None,
    ) -> None:
        table = check_codes(codes).copy()
        n_cases, n_tests = table.shape
        if n_cases == 0 or n_tests == 0:
            lacks = "is empty; at least one case" if n_cases == 0 else "has no tests; at least one column"
            raise TableError(f"codes: the table {lacks} is needed.", subject="codes")
        class_of_each, classes = class_codes(labels, n_cases, class_names)
        units, scale = weight_units(weights, n_cases)
        columns, outcomes = check_names(table, test_names, outcome_names)
        by_name = sorted(range(n_tests), key=lambda test: name_key(columns[test]))
        names, outcomes = tuple(columns[test] for test in by_name), tuple(outcomes[test] for test in by_name)
        amounts = (Prices.of(prices), scale, None, Losses.of(losses))
        schema = Schema(names, outcomes, classes, *amounts, input_columns=columns)
        table = table if by_name == list(range(n_tests)) else np.ascontiguousarray(table[:, by_name])
        self._set_in_order(table, class_of_each, units, schema)

    def _set_in_order(
        self, codes: NDArray[np.uint8], labels: NDArray[np.int64], units: NDArray[np.int64], schema: Schema
    ) -> Self:
        ranks = canonical_order(code_words(codes), labels, units)
        order = np.argsort(ranks, kind="stable")
        return self._set(codes[order], labels[order], units[order], schema, row_ranks=ranks)

    def _set(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int64],
        units: NDArray[np.int64],
        schema: Schema,
        source: Rows | None = None,
        row_ranks: NDArray[np.int64] | None = None,
    ) -> Self:
        _ = schema.costs  # prices that do not fit are refused here, not at the first growth
        units, scale = units_for_losses(units, schema.weight_scale, schema.loss_table.largest)
        if scale != schema.weight_scale:
            schema = replace(schema, weight_scale=scale)
        self.codes, self.labels, self.weight_units, self.schema = codes, labels, units, schema
        self.n_objects = len(codes)
        self.source = source  # the rows that it was made from; None where that is the codes
        # Per raw row, its rank in the canonical order; None where the cases are in that order.
        self.row_ranks = np.arange(len(codes)) if row_ranks is None else row_ranks
        self._freeze()
        return self

    def _freeze(self) -> None:
        """The core trusts the codes: they are read-only."""
        for array in (self.codes, self.labels, self.weight_units, self.row_ranks):
            array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        target: str,
        *,
        prices: Any = None,
        losses: Any = None,
        levels: LevelCounts = DEFAULT_LEVELS,
        binning: Binning = "quantile",
        duplicates: Duplicates = "keep",
        blanks: BlankReading = None,
        categories: Collection[str] = (),
    ) -> Instance:
        """Encode a pandas, polars or pyarrow table.

        Parameters
        ----------
        frame : data frame
            A row per case, a column per test, and the classes.
        target : str
            The column with the classes.
        prices : number, dict or Prices, optional
            What tests cost; by default 1 each.
        losses : dict, array-like or Losses, optional
            What wrong answers cost; by default 1 each.
        levels : int or dict, default 10
            A numeric column with more different values is cut into at most so many levels; any other column has one
            outcome per value, and a missing value is an outcome of its own. {column: levels} always cuts those
            columns, and others as with 10. Values of an ordered dtype keep their order.
        binning : {'quantile', 'uniform'}, default 'quantile'
            "quantile" cuts where the cases are, so that every level has about as many; "uniform" rounds to the nearest
            of evenly spaced levels, as the paper does.
        duplicates : {'keep', 'merge'}, default 'keep'
            "keep" counts every row; "merge" makes identical rows one case with the most common label, as the paper
            does, also where cases are held out, and is refused with losses. Trees for new cases count every row, and
            hold out those together that are equal.
        blanks : {'result', 'unknown'} or dict, optional
            What an empty cell is. "result": a result like any other, on which a tree may branch. "unknown": what it
            would have shown is not known; what a test is worth is learned from the rows that have it, and a case
            without it counts as the average. {column: …} sets it per column. By default empty cells are unknown in
            trees for new cases and results in those for known cases, where "unknown" is refused.
        categories : collection of str, default ()
            Columns whose numbers are codes: each is a category, and 2 does not lie between 1 and 3.
        """
        table, plan = read_frame(frame, target), LevelPlan.of(levels, binning, blanks, categories)
        return cls.from_table(table, str(target), prices=prices, losses=losses, levels=plan, duplicates=duplicates)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        target: str,
        *,
        reading: Reading | None = None,
        prices: Any = None,
        losses: Any = None,
        levels: LevelCounts = DEFAULT_LEVELS,
        binning: Binning = "quantile",
        duplicates: Duplicates = "keep",
        blanks: BlankReading = None,
        categories: Collection[str] = (),
    ) -> Instance:
        """Read known cases from a CSV, Parquet or Excel file, or from several CSV or Parquet files.

        Parameters
        ----------
        path : str or path
            The file, or a pattern for several: `day*.csv`.
        target : str
            The column with the classes.
        reading : Reading, optional
            What the file does not say itself: how numbers are written, which columns are not tests.
        prices, losses, levels, binning, duplicates, blanks, categories : optional
            As in `from_frame`.

        Raises
        ------
        ValueError
            Where the file cannot be read as a table of known cases; the message names line and column.
        OSError
            Where there is no such file.

        Examples
        --------
        >>> import budgetree as bt
        >>> from pathlib import Path
        >>> _ = Path("cases.csv").write_text('''id;fever;diagnosis
        ... 1;38,5;flu
        ... 2;36,9;well''')
        >>> bt.Instance.from_file("cases.csv", "diagnosis", reading=bt.Reading(decimal=",", drop=["id"]))
        Instance(2 cases, 1 test, 2 classes)
        """
        reading = reading or Reading()
        table, plan = read_table(fspath(path), reading), LevelPlan.of(levels, binning, blanks, categories)
        prices, needing = Prices.of(prices).leaving_out(reading.drop)
        if needing:
            warnings.warn(left_out_sentence(needing), stacklevel=2)
        cases = known_cases(table, target, [*reading.drop, *needing])
        return cls.from_table(cases, target, prices=prices, losses=losses, levels=plan, duplicates=duplicates)

    @classmethod
    @internal
    def from_table(
        cls,
        table: Table,
        target: str,
        *,
        prices: Any = None,
        losses: Any = None,
        levels: LevelCounts = DEFAULT_LEVELS,
        duplicates: Duplicates = "keep",
    ) -> Instance:
        """`from_frame` for a table already read, from whatever file or frame."""
        losses, plan = Losses.of(losses), LevelPlan.of(levels)
        check_duplicates(duplicates, losses=losses is not None)
        tests = find_tests(table, target)
        if len(table) == 0:
            raise TableError("the table is empty; at least one row is needed.", where=table.origin)
        labels, classes = class_codes(table.column(target).coded(), len(table), None, target)
        rows = Rows(plan.as_planned(table.only(tests)).owned(), labels, plan, duplicates)
        return cls.from_rows(rows, classes, prices, losses)

    @classmethod
    @internal
    def from_codes(
        cls, codes: NDArray[np.uint8], labels: NDArray[np.int64], weights: NDArray[np.float64] | None, schema: Schema
    ) -> Instance:
        """Cases that are coded by a schema already."""
        units, scale = weight_units(weights, len(codes))
        return cls.__new__(cls)._set_in_order(codes, labels, units, replace(schema, weight_scale=scale))

    @classmethod
    @internal
    def from_rows(
        cls,
        rows: Rows,
        class_names: tuple[Any, ...],
        prices: Any,
        losses: Any = None,
        labels: Labels | None = None,
        encoders: Mapping[str, ColumnEncoder] | None = None,
        codes: Mapping[str, NDArray[np.uint8]] | None = None,
        ranks: NDArray[np.int64] | None = None,
    ) -> Instance:
        """The known cases that raw rows make; encoders that are given are not found again, nor are codes or ranks."""
        losses, known, coded = Losses.of(losses), encoders or {}, codes or {}
        tests = rows.tests.columns
        rows.levels.check([column.name for column in tests])
        found = tuple(known.get(column.name) or fit_encoder(column, rows.levels) for column in tests)
        columns = zip(found, tests, strict=True)
        ranks = rows.ranks() if ranks is None else ranks
        order = np.argsort(ranks, kind="stable")
        table = np.stack([coded[c.name] if c.name in coded else e.encode(c) for e, c in columns], axis=1)[order]
        class_of_each = rows.labels[order]
        if rows.duplicates == "merge":
            kept, class_of_each = merge_duplicates(table, class_of_each, len(class_names))
            table = table[kept]
        units, scale = weight_units(None if rows.weights is None else rows.weights[order], len(table))
        outcomes = tuple(distinct_names(e.outcome_names, f"outcome_names of test {e.name!r}") for e in found)
        names = tuple(encoder.name for encoder in found)
        others = (scale, found, losses, labels, rows.input_columns, rows.levels.blanks)
        schema = Schema(names, outcomes, class_names, Prices.of(prices), *others)
        return cls.__new__(cls)._set(table, class_of_each, units, schema, rows, ranks)

    def _with_rows(
        self,
        rows: Rows,
        ranks: NDArray[np.int64] | None,
        losses: Losses | None,
        encoders: Iterable[ColumnEncoder],
        codes: Mapping[str, NDArray[np.uint8]] | None = None,
    ) -> Instance:
        """What other rows, encoders or losses make, with the classes, prices and labels of this instance."""
        known = {encoder.name: encoder for encoder in encoders}
        of_schema = (self.class_names, self.prices, losses, self.schema.labels)
        return type(self).from_rows(rows, *of_schema, known, codes, ranks)

    @internal
    def recoded(self, encoders: Mapping[str, ColumnEncoder], positions: NDArray[np.int64] | None = None) -> Instance:
        """Every raw row a case, some columns by other encoders; no other column is coded again.

        positions  of the rows to take, some perhaps several times; by default all
        """
        rows, of_case, ranks = self.source, self.case_of_row, self.row_ranks
        if positions is not None:
            ranks = np.unique(ranks[positions], return_inverse=True)[1]
            rows, of_case = rows and rows.take(positions), of_case[positions]
        if rows is None:
            return self if positions is None else self.part(of_case[np.argsort(ranks, kind="stable")], ranks)
        codes = {}
        if rows.duplicates == "keep":  # whose cases are the rows
            others = (test for test, name in enumerate(self.test_names) if name not in encoders)
            codes = {self.test_names[test]: self.codes[of_case, test] for test in others}
        found = (*(self.schema.encoders or ()), *encoders.values())
        return self._with_rows(replace(rows, duplicates="keep"), ranks, self.losses, found, codes)

    @property
    def n_rows(self) -> int:
        """The raw rows that it was made from: more than its cases where duplicates were merged."""
        return self.n_objects if self.source is None else len(self.source)

    @cached_property
    def row_order(self) -> NDArray[np.int64]:
        """The positions of the raw rows in the canonical order: by what they hold, however they came."""
        return np.argsort(self.row_ranks, kind="stable")

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the cases, whose order is one of contents, and of the names of tests, outcomes and classes."""
        names = (self.test_names, self.outcome_names, [repr(name) for name in self.class_names])
        digest = sha256(json.dumps(names).encode())
        for array, kind in ((self.codes, "u1"), (self.labels, "<i8"), (self.weight_units, "<i8")):
            digest.update(np.ascontiguousarray(array, dtype=kind).data)
        return digest.hexdigest()

    @cached_property
    @internal
    def case_ranks(self) -> NDArray[np.int64]:
        """Per case, its rank in the canonical order of cases; identical cases of one class and weight share one."""
        return canonical_order(code_words(self.codes), self.labels, self.weight_units)

    @property
    @internal
    def row_hashes(self) -> NDArray[np.uint64]:
        """Per raw row, a hash of its results, class and weight."""
        if self.source is None:
            others = (self.labels.astype(np.uint64), self.weight_units.astype(np.uint64))
            return mix((*code_words(self.codes), *others))[self.case_of_row]
        labels = Column("class", "labels", values=Coded(self.class_names, self.source.labels))
        return row_hashes(self.source.tests.columns, labels, self.source.weights)

    @cached_property
    @internal
    def case_of_row(self) -> NDArray[np.int64]:
        """Per raw row, its case; where every row is one."""
        return np.argsort(self.row_order)

    @cached_property
    def row_labels(self) -> NDArray[np.int64]:
        """Per raw row, the position of its class in `class_names`."""
        if self.source is not None:
            return self.source.labels
        labels = self.labels[self.case_of_row]
        labels.flags.writeable = False
        return labels

    @property
    @internal
    def has_one_row_per_class(self) -> bool:
        """Whether no two rows have the same class, as in a troubleshooting table."""
        return len(np.unique(self.row_labels)) == self.n_rows

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """Per raw row, how much it counts."""
        if self.source is None:
            return self.weights[self.case_of_row]
        return np.ones(len(self.source)) if self.source.weights is None else self.source.weights

    def rows(self, positions: Any) -> Instance:
        """The instance that these raw rows alone would have made.

        Levels, categories and duplicates are found again, from these rows. The classes stay all of them, so that
        labels can be compared, and so do the outcomes of a test that the price list prices one by one. An instance
        made from codes keeps its outcomes and loses cases.

        Parameters
        ----------
        positions : array-like of int or bool
            Positions from 0 to `n_rows` - 1, or a mask.
        """
        chosen = _check_positions(positions, self.n_rows)
        ranks = self.row_ranks[chosen]
        if self.source is None:
            return self.part(self.case_of_row[chosen[np.argsort(ranks, kind="stable")]], ranks)
        return self._with_rows(self.source.take(chosen), ranks, self.losses, self._fixed_encoders)

    @property
    def _fixed_encoders(self) -> list[ColumnEncoder]:
        """Of the tests that the price list prices outcome by outcome."""
        return [e for e in self.schema.encoders or () if self.prices.names_outcomes(e.name)]

    @internal
    def unrolled(self, *, merged: bool) -> tuple[Instance, NDArray[np.int64]]:
        """The cases as rows to hold out, and the raw row of each.

        A row of a whole weight k is k equal rows that count once. merged: rows that were merged are one row.
        """
        if merged and self.source is not None and self.source.duplicates == "merge":
            codes, labels = self.codes_of(self, self.row_order), self.row_labels[self.row_order]
            kept, labels = merge_duplicates(codes, labels, self.n_classes)
            positions = self.row_order[kept]
            rows, encoders = replace(self.source.take(positions), labels=labels), self.schema.encoders or ()
            return self._with_rows(rows, self.row_ranks[positions], self.losses, encoders), positions
        weights = self.row_weights
        found = None if (weights == 1).all() else repeats(weights)
        if found is None:
            return self, np.arange(self.n_rows)
        if self.source is None:
            cases = self.case_of_row[found]
            return type(self).from_codes(self.codes[cases], self.labels[cases], None, self.schema), found
        rows = replace(self.source.take(found), weights=None)
        return self._with_rows(rows, None, self.losses, self._fixed_encoders), found

    @internal
    def copies(self, *, by_chance: bool = True) -> Copies | None:
        """The raw rows that agree on every test; None where there are none, or chance explains them."""
        # Rows that share a rank agree on the class, too: a table in which no copies do is rare beyond measure.
        if bool((self.row_weights == 1).all()) and len(np.unique(self.row_ranks)) == self.n_rows:
            return None

        def words(test: int) -> NDArray[np.uint64]:
            if self.source is None:
                return np.asarray(self.codes[self.case_of_row, test], dtype=np.uint64)
            return self.source.tests.columns[test].content()

        return find_copies(words, self.n_tests, by_chance=by_chance)

    @internal
    def part(
        self,
        cases: NDArray[np.int64],
        row_ranks: NDArray[np.int64] | None = None,
        units: NDArray[np.int64] | None = None,
    ) -> Instance:
        """Only the cases at these positions, coded as they are; what they lack stays on the lists.

        units  what each of them counts for, if not what it did
        """
        units = self.weight_units[cases] if units is None else units
        if not units.any():
            message = "positions: every weight of these rows is 0; at least one case must count."
            raise SettingError(message, subject="positions")
        arrays = (self.codes[cases], self.labels[cases], units)
        return type(self).__new__(type(self))._set(*arrays, self.schema, row_ranks=row_ranks)

    def codes_of(self, whole: Instance, positions: Any) -> NDArray[np.uint8]:
        """Raw rows of another instance, coded by this one's outcomes (255: never seen), to try a tree on rows held out.

        Parameters
        ----------
        whole : Instance
            Where the rows are: usually the instance of which this one is a part.
        positions : array-like of int or bool
            Positions from 0 to `whole.n_rows` - 1, or a mask.

        Raises
        ------
        ValueError
            Where the two have different tests, or there is no such row.
        """
        chosen = _check_positions(positions, whole.n_rows)
        if whole.test_names != self.test_names:
            message = "codes_of: the two instances have different tests; expected rows of the same table."
            raise SettingError(message, subject="whole", found=whole.test_names, expected=self.test_names)
        if whole.source is None:
            return whole.codes[whole.case_of_row[chosen]]
        return self.schema.encoded(whole.source.tests.take(chosen), range(self.n_tests))

    @property
    @internal
    def frame_library(self) -> str | None:
        return None if self.source is None else self.source.tests.library

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How much each case counts."""
        return self.weight_units / float(self.schema.weight_scale)

    @cached_property
    @internal
    def class_order(self) -> ClassOrder:
        """The cases that count, sorted by class; a case of weight 0 is as good as absent."""
        present = np.flatnonzero(self.weight_units)
        labels = self.labels[present]
        order = present[np.argsort(labels, kind="stable")].astype(np.int32)
        counts = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(counts, labels, self.weight_units[present])
        return ClassOrder(counts, self.schema.loss_table, len(order), order)

    @cached_property
    @internal
    def irreducible(self) -> Irreducible:
        """The loss that every tree has, and how many cases have identical ones of another class."""
        present = self.class_order.order
        labels, units = self.labels[present], self.weight_units[present]
        lost, is_mixed = loss_among_identical(self.codes[present], labels, units, self.schema.loss_table)
        return Irreducible(int(lost.sum()), int(is_mixed.sum()), lost)

    @internal
    def counted_by(self, weight_units: NDArray[np.int64], weight_scale: Fraction) -> Instance:
        """The same cases, which count so many units each; an error costs 1."""
        schema = replace(self.schema, losses=None, weight_scale=weight_scale)
        return type(self).__new__(type(self))._set(self.codes, self.labels, weight_units, schema)

    def with_losses(self, losses: Any) -> Instance:
        """The same cases with other losses.

        Rows that were merged by the most common label are all counted then, as `from_frame` counts them with losses.

        Parameters
        ----------
        losses : dict, array-like or Losses, optional
            What wrong answers cost; None for 1 each.
        """
        losses = Losses.of(losses)
        if losses is not None and self.source is not None and self.source.duplicates == "merge":
            rows = replace(self.source, duplicates="keep")
            return self._with_rows(rows, self.row_ranks, losses, self.schema.encoders or ())
        schema = replace(self.schema, losses=losses)
        arrays = (self.codes, self.labels, self.weight_units)
        return type(self).__new__(type(self))._set(*arrays, schema, self.source, self.row_ranks)

    def with_labels(self, labels: Any) -> Instance:
        """The same cases, shown in other words, as are the trees that are learned from them.

        Parameters
        ----------
        labels : Labels, dict or None
            What tests, outcomes and classes are called; None for the names of the table.
        """
        other = copy(self)
        other.schema = self.schema.labelled(labels)
        return other


def check_duplicates(duplicates: Any, *, losses: bool = False, weights: bool = False) -> None:
    """An error where rows cannot be merged: with losses or weights, the most common label may be the wrong one."""
    if duplicates not in get_args(Duplicates):
        raise SettingError.refusing("duplicates", duplicates, "'keep' or 'merge'", get_args(Duplicates))
    if duplicates == "merge" and (losses or weights):
        given = "losses" if losses else "weights"
        message = f"duplicates is 'merge', which keeps only the most common label; with {given}, expected 'keep'."
        raise SettingError(message, subject="duplicates", found=duplicates, expected=("keep",))


def find_tests(table: Table, target: str, weights: str | None = None, where: Where | None = None) -> list[str]:
    """The columns that are tests; an error where one that is asked for is missing, or none is left."""
    for what, name in (("target", target), ("weights", weights)):
        if name is not None and name not in table.names:
            message = f"{what}: no column is named {name!r}; the columns are {', '.join(map(repr, table.names))}."
            raise SettingError(message, subject=what, found=name, expected=tuple(table.names), where=where)
    tests = [name for name in table.names if name not in (target, weights)]
    if not tests:
        message = f"{target!r} is the only column; a test is needed beside the target."
        raise TableError(message, subject=target, where=where or table.origin)
    return tests


def _check_positions(positions: Any, n_rows: int) -> NDArray[np.int64]:
    """Which rows, from positions or a mask; a row may be there twice."""
    chosen = np.asarray(positions)
    if chosen.dtype == np.bool_ and chosen.shape == (n_rows,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or len(chosen) == 0 or chosen.dtype.kind not in "iu":
        expected = f"the positions of at least one row, or a mask of {n_rows} rows"
        raise SettingError.refusing("positions", positions, expected)
    first, last = int(chosen.min()), int(chosen.max())
    if first < 0 or last >= n_rows:
        expected = f"0 to {n_rows - 1}, since there are {n_rows} rows"
        message = f"positions: they run from {first} to {last}; expected {expected}."
        raise SettingError(message, subject="positions", found=(first, last), expected=(0, n_rows - 1))
    return chosen.astype(np.int64)
