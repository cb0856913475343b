"""Instance: a table of known cases, coded, with labels, weights and prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.duplicates import merge_duplicates, outvoted_weight
from budgetree.problem.prices import Prices
from budgetree.problem.schema import Schema, check_codes, distinct_names
from budgetree.problem.tables.columns import Column, frame_library, read_frame
from budgetree.problem.tables.encoding import DEFAULT_LEVELS, MAX_OUTCOMES, ColumnEncoder, fit_encoder
from budgetree.problem.tables.labels import class_codes, weight_units


@dataclass(frozen=True, slots=True, eq=False)
class ClassOrder:
    """The objects that count (weight above 0), sorted by class and then by position."""

    order: NDArray[np.int32]
    counts: NDArray[np.int64]  # per class, in weight units

    @property
    def total(self) -> int:
        """The weight units of all objects."""
        return int(self.counts.sum())

    @property
    def leaf_errors(self) -> int:
        """What a single leaf gets wrong, in weight units."""
        return int(self.counts.sum() - self.counts.max())


@dataclass(frozen=True, slots=True, eq=False)
class Irreducible:
    """What no tree can separate: objects that agree on every test but not on the class."""

    outvoted: NDArray[np.int64]  # per object in the class order, its weight units if every tree gets it wrong, else 0
    n_objects: int  # the objects that are identical to one of another class

    @property
    def units(self) -> int:
        """The errors that remain, in weight units."""
        return int(self.outvoted.sum())


class Instance:
    """Known cases as objects × tests of outcome codes, with a class for each.

    codes          whole numbers 0, 1, 2, …: the outcome of each test (column) on each object (row)
    labels         one per object; with class_names, positions in it
    prices         None (1 each), a number, {test: price}, {test: {outcome: price}}, or a Prices
    weights        how much each object counts (default 1)
    test_names, outcome_names, class_names
                   what to call them; outcome_names is one list per test

    >>> Instance([[0, 1], [0, 0], [1, 1]], ["well", "ill", "ill"])
    Instance(3 objects, 2 tests, 2 classes)
    """

    def __init__(
        self,
        codes: Any,
        labels: Any,
        *,
        prices: Any = None,
        weights: Any = None,
        test_names: Sequence[Any] | None = None,
        outcome_names: Sequence[Sequence[Any]] | None = None,
        class_names: Sequence[Any] | None = None,
    ) -> None:
        self.codes = _own_copy(check_codes(codes), codes)
        n_objects, n_tests = self.codes.shape
        if n_objects == 0:
            raise ValueError("codes: the table is empty; at least one object is needed.")
        if n_tests == 0:
            raise ValueError("codes: the table has no tests; at least one column is needed.")
        self.labels, classes = class_codes(labels, n_objects, class_names)
        self.weight_units, weight_scale = weight_units(weights, n_objects)
        names = distinct_names(range(n_tests) if test_names is None else test_names, "test_names")
        if len(names) != n_tests:
            raise ValueError(f"test_names: {len(names)} name(s) for {n_tests} test(s).")
        outcomes = _outcome_names(self.codes, names, outcome_names)
        self.schema = Schema(names, outcomes, classes, Prices.of(prices), weight_scale)
        _ = self.schema.table  # prices that do not fit are refused here, not at the first growth
        self.frame_library: str | None = None  # where it came from, for answers in kind
        self._freeze()

    def _freeze(self) -> None:
        """The core trusts the codes: nobody may change them behind an instance's back."""
        for array in (self.codes, self.labels, self.weight_units):
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
        levels: int | Mapping[str, int] = DEFAULT_LEVELS,
        duplicates: Literal["merge", "keep"] = "merge",
    ) -> Instance:
        """Encode a pandas, polars or pyarrow table.

        A numeric column with more than `levels` different values is rounded to the nearest of `levels` evenly
        spaced levels; any other column has one outcome per value; a missing value is an outcome of its own.
        A mapping {column: levels} rounds exactly those columns always (and others as with 10).
        duplicates="merge" makes identical objects one, with the most common label; "keep" counts every row.
        """
        columns = read_frame(frame, target)
        target = str(target)
        if isinstance(levels, Mapping):
            levels = {str(name): count for name, count in levels.items()}
        instance = cls.from_columns(columns, target, prices=prices, levels=levels, duplicates=duplicates)
        instance.frame_library = frame_library(frame)
        return instance

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[Column],
        target: str,
        *,
        prices: Any = None,
        levels: int | Mapping[str, int] = DEFAULT_LEVELS,
        duplicates: Literal["merge", "keep"] = "merge",
    ) -> Instance:
        """from_frame for columns already read."""
        _check_request(columns, target, duplicates)
        tests = [column for column in columns if column.name != target]
        encoders, codes = encode_tests(tests, levels)
        answers = next(column for column in columns if column.name == target).to_list()
        labels, classes = class_codes(answers, len(codes), None, f"column {target!r}")
        if duplicates == "merge":
            codes, labels = merge_duplicates(codes, labels, len(classes))
        return cls.from_encoded(encoders, codes, labels, prices=prices, class_names=classes)

    @classmethod
    def from_encoded(
        cls,
        encoders: tuple[ColumnEncoder, ...],
        codes: Any,
        labels: Any,
        *,
        class_names: Sequence[Any],
        **settings: Any,
    ) -> Instance:
        """An instance that knows how raw columns became its codes; settings as for Instance."""
        instance = cls(
            codes,
            labels,
            test_names=[encoder.name for encoder in encoders],
            outcome_names=[encoder.outcome_names for encoder in encoders],
            class_names=class_names,
            **settings,
        )
        instance.schema = replace(instance.schema, encoders=encoders)
        return instance

    @property
    def n_objects(self) -> int:
        return int(self.codes.shape[0])

    @property
    def n_tests(self) -> int:
        return int(self.codes.shape[1])

    @property
    def n_classes(self) -> int:
        return len(self.schema.class_names)

    @property
    def test_names(self) -> tuple[str, ...]:
        return self.schema.test_names

    @property
    def outcome_names(self) -> tuple[tuple[str, ...], ...]:
        return self.schema.outcome_names

    @property
    def class_names(self) -> tuple[Any, ...]:
        return self.schema.class_names

    @property
    def prices(self) -> Prices:
        return self.schema.prices

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How much each object counts."""
        return self.weight_units / float(self.schema.weight_scale)

    @cached_property
    def has_unit_weights(self) -> bool:
        """True when every object counts once, so that counting objects is counting weight."""
        return self.schema.weight_scale == 1 and bool((self.weight_units <= 1).all())

    @cached_property
    def class_order(self) -> ClassOrder:
        """The objects that count, sorted by class; an object of weight 0 is as good as absent."""
        present = np.flatnonzero(self.weight_units)
        labels = self.labels[present]
        order = present[np.argsort(labels, kind="stable")].astype(np.int32)
        counts = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(counts, labels, self.weight_units[present])
        return ClassOrder(order, counts)

    @cached_property
    def irreducible(self) -> Irreducible:
        """The errors that every tree makes, and how many objects cause them."""
        present = self.class_order.order
        outvoted, is_mixed = outvoted_weight(self.codes[present], self.labels[present], self.weight_units[present])
        return Irreducible(outvoted, int(is_mixed.sum()))

    def priced(self, prices: Any) -> Instance:
        """The same objects with other prices."""
        other = copy(self)
        other.schema = replace(self.schema, prices=Prices.of(prices))
        _ = other.schema.table
        return other

    def __repr__(self) -> str:
        return f"Instance({self.n_objects} objects, {self.n_tests} tests, {self.n_classes} classes)"


def encode_tests(
    tests: Sequence[Column], levels: int | Mapping[str, int]
) -> tuple[tuple[ColumnEncoder, ...], NDArray[np.uint8]]:
    """How each column becomes codes, and the codes."""
    _check_levels(levels, [column.name for column in tests])
    encoders = tuple(fit_encoder(column, levels) for column in tests)
    codes = np.empty((len(tests[0]), len(tests)), dtype=np.uint8)
    for index, (encoder, column) in enumerate(zip(encoders, tests, strict=True)):
        codes[:, index] = encoder.encode(column)
    return encoders, codes


def _check_request(columns: Sequence[Column], target: str, duplicates: str) -> None:
    names = [column.name for column in columns]
    if duplicates not in ("merge", "keep"):
        raise ValueError(f"duplicates is {duplicates!r}; expected 'merge' or 'keep'.")
    if target not in names:
        raise ValueError(f"target: no column is named {target!r}; the columns are {', '.join(map(repr, names))}.")
    if len(columns[0]) == 0:
        raise ValueError("frame: the table is empty; at least one row is needed.")
    if len(columns) < 2:
        raise ValueError(f"frame: {target!r} is the only column; at least one test is needed beside the target.")


def _check_levels(levels: int | Mapping[str, int], test_names: Sequence[str]) -> None:
    named = levels if isinstance(levels, Mapping) else {"": levels}
    for name, count in named.items():
        if isinstance(levels, Mapping) and name not in test_names:
            raise ValueError(f"levels: no test is named {name!r}.")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 2 <= count < MAX_OUTCOMES:
            raise ValueError(f"levels is {count!r}; expected a whole number from 2 to {MAX_OUTCOMES - 1}.")


def _own_copy(codes: NDArray[np.uint8], given: Any) -> NDArray[np.uint8]:
    shared = isinstance(given, np.ndarray) and np.may_share_memory(codes, given)
    return codes.copy() if shared or not codes.flags.owndata else codes


def _outcome_names(
    codes: NDArray[np.uint8], test_names: Sequence[str], outcome_names: Sequence[Sequence[Any]] | None
) -> tuple[tuple[str, ...], ...]:
    highest = codes.max(axis=0)
    for test, code in zip(test_names, highest, strict=True):
        if code >= MAX_OUTCOMES:
            raise ValueError(
                f"codes: test {test!r} has the outcome {code}; a test may have at most {MAX_OUTCOMES} outcomes, "
                f"coded 0 to {MAX_OUTCOMES - 1}. Group rare outcomes or use fewer levels."
            )
    if outcome_names is None:
        return tuple(tuple(str(code) for code in range(int(high) + 1)) for high in highest)
    if len(outcome_names) != len(test_names):
        raise ValueError(f"outcome_names: {len(outcome_names)} list(s) for {len(test_names)} test(s).")
    named = []
    for test, names, high in zip(test_names, outcome_names, highest, strict=True):
        texts = distinct_names(names, f"outcome_names of test {test!r}")
        if not high < len(texts) <= MAX_OUTCOMES:
            raise ValueError(
                f"outcome_names: test {test!r} has {len(texts)} name(s), but its codes run to {high} "
                f"(and a test may have at most {MAX_OUTCOMES} outcomes)."
            )
        named.append(texts)
    return tuple(named)
