"""Schema: the names, prices, losses and labels that an instance and every tree grown on it share."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import (
    MAX_OUTCOMES,
    UNSEEN,
    BlankPlan,
    Categories,
    ColumnEncoder,
    FineLevels,
    NumberEncoder,
)
from budgetree.data.table import Table
from budgetree.errors import SettingError, TableError
from budgetree.problem.cost_model import CostModel
from budgetree.problem.labels import Labels, Wording, check_labels, lay_out
from budgetree.problem.losses import Losses, LossTable
from budgetree.problem.prices import Prices
from budgetree.problem.units import plain_number
from budgetree.services.words import counted

CODES_RULE = (
    f"a test may have at most {MAX_OUTCOMES} outcomes, coded 0 to {MAX_OUTCOMES - 1}. Group rare outcomes or use fewer "
    "levels."
)

MANY_UNKNOWN = 0.05  # of the rows have a category that is not known …
MANY_ROWS = 20  # … which says nothing of fewer rows in memory


@dataclass(frozen=True, eq=False)
class Schema:
    """What the codes mean: tests, outcomes, classes, prices, losses and the weight of one unit."""

    test_names: tuple[str, ...]
    outcome_names: tuple[tuple[str, ...], ...]
    class_names: tuple[Any, ...]
    prices: Prices
    weight_scale: Fraction  # weight = units / weight_scale
    encoders: tuple[ColumnEncoder, ...] | None = None  # how raw columns become codes, where known
    losses: Losses | None = None  # what each answer costs for each class; None: an error costs 1
    labels: Labels | None = None  # the user's own words for all of it; what is not there keeps its name
    input_columns: tuple[str, ...] = ()  # the tests in the user's order, in which rows without names are read
    blanks: BlankPlan = field(default_factory=BlankPlan)  # what empty cells are, where given

    def __post_init__(self) -> None:
        if not self.input_columns:
            object.__setattr__(self, "input_columns", self.test_names)
        if self.encoders is not None:
            object.__setattr__(self, "prices", self.prices.for_levels(self.encoders))

    def encode(self, table: Table, needed: Collection[int]) -> NDArray[np.uint8]:
        """The same as `encoded`, with a warning of the values of tests needed that no known case had."""
        codes = self.encoded(table, needed)
        for test in sorted(needed):
            is_unseen, name = codes[:, test] == UNSEEN, self.test_names[test]
            is_blank = table.column(name).is_absent if is_unseen.any() else is_unseen
            found = {f"a value of {name!r} that no known case had": ~is_blank, f"no result of {name!r}": is_blank}
            for what, which in found.items():
                if count := int((is_unseen & which).sum()):
                    rows = counted(count, "row has", "rows have")
                    warnings.warn(f"{rows} {what}; its code is {UNSEEN}.", stacklevel=3)
        return codes

    def categories_of(self, tests: Collection[int]) -> list[int]:
        """The tests whose values are categories, where it is known how they become codes."""
        return [test for test in sorted(tests) if isinstance(self.encoder(test), Categories)]

    def warn_of_unknown(self, table: Table, tests: Sequence[int]) -> None:
        """A warning for each of these tests of which many rows have a category that no known case had."""
        for test, codes in zip(tests, self.encode_columns(table, tests), strict=True):
            is_unknown = codes == UNSEEN
            if is_unknown.any():
                is_unknown &= ~table.column(self.test_names[test]).is_absent
            if sentence := self.many_unknown(test, int(is_unknown.sum()), len(table)):
                warnings.warn(sentence, stacklevel=4)

    def many_unknown(self, test: int, n_unknown: int, n_rows: int) -> str:
        """What is said where so many rows have a category that is not known; nothing where these are exceptions."""
        if n_unknown <= MANY_UNKNOWN * n_rows:
            return ""
        found = f"{n_unknown / n_rows:.0%} of the rows have a category of {self.wording.tests[test]!r}"
        return f"{found} that the model does not know; is it written as in the table of known cases?"

    def encoded(self, table: Table, needed: Collection[int]) -> NDArray[np.uint8]:
        """Codes for raw rows, by the levels and categories that were learned; unknown values are UNSEEN.

        So is everything in a column that is absent, which only the tests not needed may be.
        """
        names = {column.name for column in table.columns}
        there = [test for test, name in enumerate(self.test_names) if name in names or test in needed]
        codes = np.full((len(table), len(self.test_names)), UNSEEN, dtype=np.uint8)
        codes[:, there] = self.encode_columns(table, there).T
        return codes

    def encode_columns(self, table: Table, tests: Sequence[int] | NDArray[np.int64]) -> NDArray[np.uint8]:
        """The codes of some tests, test × row; their columns must be there."""
        if self.encoders is None:
            remedy = "give codes to predict_codes, or make the instance with Instance.from_frame"
            message = f"raw values cannot be read, because the instance was made from codes; {remedy}."
            raise TableError(message, subject="encoders")
        by_name = {column.name: column for column in table.columns}
        codes = np.empty((len(tests), len(table)), dtype=np.uint8)
        for row, test in zip(codes, tests, strict=True):
            encoder = self.encoders[test]
            if encoder.name not in by_name:
                message = f"frame: there is no column {encoder.name!r}, which the tree may ask for."
                raise TableError(message, subject=encoder.name, found=list(by_name))
            row[:] = encoder.encode(by_name[encoder.name])
        return codes

    def encoder(self, test: int) -> ColumnEncoder | None:
        """How the raw values of a test become codes, where known."""
        return None if self.encoders is None else self.encoders[test]

    def unknown(self, test: int) -> int | None:
        """The outcome of an empty cell of a test, where trees for new cases take it for a result that is not known."""
        encoder = self.encoder(test)
        if encoder is None or not encoder.has_missing or self.blanks.reading(encoder.name) == "result":
            return None
        return len(self.outcome_names[test]) - 1

    def known_range(self, test: str) -> tuple[float, float] | None:
        """From where to where the known numbers of a test run; None where it is not rounded to levels."""
        encoder = self.encoder(self.test_names.index(test))
        return (encoder.low, encoder.high) if isinstance(encoder, NumberEncoder) else None

    def plausible_range(self, test: int) -> tuple[float, float] | None:
        """The known range and a tenth of it on either side: a number beyond is likelier a typing error."""
        known = self.known_range(self.test_names[test])
        if known is None or not known[0] < known[1]:
            return None
        margin = (known[1] - known[0]) / 10
        return known[0] - margin, known[1] + margin

    def is_measured(self, test: int) -> bool:
        """Whether the test's result is a number; not where each of its values has a label, as in 0 = female."""
        encoder = self.encoder(test)
        if not isinstance(encoder, FineLevels):
            return isinstance(encoder, NumberEncoder)
        return not self.wording.labelled[test].issuperset(range(encoder.levels))

    def cases(self, units: int) -> Fraction:
        """Weight units as a number of cases."""
        return Fraction(int(units)) / self.weight_scale

    def plain_cases(self, units: Iterable[int]) -> list[int | float]:
        """Weight units as numbers of cases, as people write them; of many classes most are 0 in most places."""
        given = list(units)
        amounts = {count: plain_number(self.cases(count)) for count in set(given)}
        return [amounts[count] for count in given]

    def loss(self, units: int) -> Fraction:
        """Loss units of weighted cases as a loss."""
        return Fraction(int(units)) / (self.weight_scale * self.loss_table.scale)

    @cached_property
    def costs(self) -> CostModel:
        """The prices laid out for these tests and outcomes."""
        return self.prices.bind(self.test_names, self.outcome_names)

    def with_costs(self, costs: CostModel) -> Schema:
        """The same with rules that no price list says."""
        other = copy(self)
        vars(other)["costs"] = costs
        return other

    @cached_property
    def loss_table(self) -> LossTable:
        """The losses laid out for these classes."""
        return LossTable.plain(self.class_names) if self.losses is None else self.losses.bind(self.class_names)

    @cached_property
    def wording(self) -> Wording:
        """What people read for the tests, outcomes, answers and amounts."""
        return lay_out(self.labels, self)

    def labelled(self, labels: Any) -> Schema:
        """The same with these labels, every one of which must be of something that is there; None: without any."""
        schema = replace(self, labels=Labels.of(labels))
        if schema.labels is not None:
            check_labels(schema.labels, schema)
        return schema

    @property
    def answer_names(self) -> tuple[Any, ...]:
        """What may be answered: the classes, and whatever else the losses allow."""
        return self.loss_table.answers

    @cached_property
    def n_outcomes(self) -> NDArray[np.int64]:
        """Per test, how many outcomes it has."""
        return np.array([len(names) for names in self.outcome_names], dtype=np.int64)

    @cached_property
    def classes(self) -> NDArray[Any]:
        """The class names as an array to index."""
        return _as_array(self.class_names)

    @cached_property
    def answers(self) -> NDArray[Any]:
        """The answer names as an array to index."""
        return _as_array(self.answer_names)


class HasSchema:
    """What instances and sharded cases say of themselves in the schema's words."""

    schema: Schema
    n_objects: int

    def __repr__(self) -> str:
        return "{}({}, {}, {})".format(
            type(self).__name__,
            counted(self.n_objects, "case"),
            counted(self.n_tests, "test"),
            counted(self.n_classes, "class", "classes"),
        )

    @property
    def n_tests(self) -> int:
        """The number of tests."""
        return len(self.schema.test_names)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.schema.class_names)

    @property
    def test_names(self) -> tuple[str, ...]:
        """The names of the tests, sorted."""
        return self.schema.test_names

    @property
    def outcome_names(self) -> tuple[tuple[str, ...], ...]:
        """Per test, the names of its outcomes, in the order of their codes."""
        return self.schema.outcome_names

    @property
    def class_names(self) -> tuple[Any, ...]:
        """The classes."""
        return self.schema.class_names

    @property
    def prices(self) -> Prices:
        """What the tests cost."""
        return self.schema.prices

    @property
    def losses(self) -> Losses | None:
        """What each answer costs for each class; None where an error costs 1."""
        return self.schema.losses

    def priced(self, prices: Any) -> Self:
        """The same cases with other prices.

        Parameters
        ----------
        prices : number, dict or Prices, optional
            What tests cost; None for 1 each.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.datasets.load("pima").priced(3).prices
        Prices(3)
        """
        other = copy(self)
        other.schema = replace(self.schema, prices=Prices.of(prices))
        _ = other.schema.costs
        return other


def _as_array(names: tuple[Any, ...]) -> NDArray[Any]:
    if len({type(name) for name in names}) == 1 and isinstance(names[0], (str, int, float)):
        return np.array(names)
    boxed = np.empty(len(names), dtype=object)  # mixed types stay what they are
    boxed[:] = names
    return boxed


def check_codes(codes: Any, n_tests: int | None = None) -> NDArray[np.uint8]:
    """A cases × tests table of outcome codes, as bytes in row order."""

    def refused(message: str, found: object = None, expected: object = None) -> TableError:
        return TableError(f"codes: {message}", subject="codes", found=found, expected=expected)

    array = np.asarray(codes)
    if array.ndim != 2:
        shape = f"but the array has {counted(array.ndim, 'dimension')}"
        raise refused(f"expected a table with one row per case and one column per test, {shape}.", array.ndim, 2)
    found = array.shape[1]
    if n_tests not in (None, found):
        raise refused(f"expected {counted(n_tests, 'column')}, one per test, but got {found}.", found, n_tests)
    if array.dtype.kind not in "iub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            array = np.full(array.shape, np.nan)
        if not np.isfinite(array).all() or (array != np.rint(array)).any():
            remedy = "raw values are encoded by Instance.from_frame when learning, and by tree.encode afterwards"
            raise refused(f"outcomes must be whole numbers 0, 1, 2, …; {remedy}.", expected="whole numbers")
    if array.dtype != np.uint8 and array.size and (array.min() < 0 or array.max() > UNSEEN):
        row, column = np.argwhere((array < 0) | (array > UNSEEN))[0]
        outcome = array[row, column]
        message = f"column {column} has the outcome {outcome:g} in row {row}; {CODES_RULE}"
        raise refused(message, outcome, MAX_OUTCOMES - 1)
    return np.ascontiguousarray(array, dtype=np.uint8)


def distinct_names(names: Iterable[Any], what: str) -> tuple[str, ...]:
    """Names as strings; two of the same would make prices and trees ambiguous."""
    texts = tuple(map(str, names))
    if len(set(texts)) < len(texts):
        twice = next(text for text, count in Counter(texts).items() if count > 1)
        raise TableError(f"{what}: the name {twice!r} occurs twice; names must differ.", subject=what, found=twice)
    return texts


def check_names(
    codes: NDArray[np.uint8], test_names: Sequence[Any] | None, outcome_names: Sequence[Sequence[Any]] | None
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The names of the tests, and of each test's outcomes, which must be enough for the codes; without any, numbers."""
    highest = codes.max(axis=0).tolist()
    tests = distinct_names(range(len(highest)) if test_names is None else test_names, "test_names")
    for what, given, kind in (("test_names", tests, "name"), ("outcome_names", outcome_names, "list")):
        if given is not None and len(given) != len(highest):
            message = f"{what}: {counted(len(given), kind)} for {counted(len(highest), 'test')}; expected one for each."
            raise SettingError(message, subject=what, found=len(given), expected=len(highest))
    named, numbers = [], [range(code + 1) for code in highest]
    for test, code, names in zip(tests, highest, numbers if outcome_names is None else outcome_names, strict=True):
        if code >= MAX_OUTCOMES:
            message = f"codes: test {test!r} has the outcome {code}; {CODES_RULE}"
            raise TableError(message, subject=test, found=code, expected=MAX_OUTCOMES - 1)
        texts = distinct_names(names, f"outcome_names of test {test!r}")
        if not code < len(texts) <= MAX_OUTCOMES:
            message = f"outcome_names: test {test!r} has {counted(len(texts), 'name')}, but its codes run to {code}"
            rule = f"(and a test may have at most {MAX_OUTCOMES} outcomes)"
            raise TableError(f"{message} {rule}.", subject=test, found=len(texts), expected=code + 1)
        named.append(texts)
    return tests, tuple(named)
