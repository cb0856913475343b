"""What a column holds, found part by part and put together, so that no one needs all of its rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column, int_if_whole, sort_key
from budgetree.data.frames import code_series
from budgetree.services.words import counted

SAMPLE = 1024  # rows that usually show at once that a column has many values
FEW = 16  # values that a number is compared with one by one


def next_of(values: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
    """Per number, the position of the least value that is not below it; the last where all are."""
    if len(values) > FEW:
        return np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    found = np.zeros(len(numbers), dtype=np.uint8)
    for value in values[:-1]:  # which a processor does many times faster than searching
        found += numbers > value
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """What a column holds, as far as its encoder must know."""

    name: str
    dtype: str
    has_missing: bool
    low: float | None = None  # the least number; None where there is none
    high: float | None = None
    numbers: NDArray[np.float64] | None = None  # the different ones; None where they are too many
    # Values that are no numbers, or whole numbers that floats would not tell apart; None where there are none.
    values: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, column: Column, max_numbers: int) -> Contents:
        """Look at all rows; more different numbers than these are too many."""
        if column.numbers is None:
            present, has_missing = present_values(column)
            return cls(column.name, column.dtype, has_missing, values=present)
        absent = np.isnan(column.numbers)
        numbers = column.numbers[~absent] if absent.any() else column.numbers
        if not len(numbers):
            return cls(column.name, column.dtype, bool(absent.any()))
        low, high = float(numbers.min()), float(numbers.max())
        few = _distinct(numbers, max_numbers)
        values = None if column.values is None or few is None else present_values(column)[0]
        return cls(column.name, column.dtype, bool(absent.any()), low, high, few, values)


def present_values(column: Column) -> tuple[tuple[Any, ...], bool]:
    """The different values, and whether some are missing."""
    coded = column.coded()
    return tuple(coded.present()), bool(coded.is_absent.any())


def _distinct(numbers: NDArray[np.float64], max_count: int) -> NDArray[np.float64] | None:
    """The different numbers, in order; None where they are too many."""
    few = np.unique(numbers[:SAMPLE])
    if 0 < len(few) <= max_count:
        others = numbers[few[next_of(few, numbers)] != numbers]
        few = np.unique(np.concatenate((few, others))) if len(others) else few
    return few if len(few) <= max_count else None


MAX_VALUES = 100_000  # different texts of a column that are kept; a test may have 255, a target more


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSurvey:
    """What is known of a column after some parts of its table."""

    contents: Contents
    part: str  # where the first value is, for messages
    example: Any = None  # such a value; None where there is none

    @property
    def holds(self) -> str:
        """Numbers, text or nothing, for messages."""
        if self.example is None:
            return "nothing"
        values = self.contents.values
        if self.contents.low is not None or (values and all(map(is_amount, values))):
            return "numbers"
        return "text"


def is_amount(value: Any) -> bool:
    """Whether a value is a number, which True is not."""
    return isinstance(value, (int, float, Decimal, np.number)) and not isinstance(value, bool)


class MixedColumnError(ValueError):
    """A column that is numbers in one part and text in another."""

    def __init__(self, one: ColumnSurvey, other: ColumnSurvey) -> None:
        self.name = one.contents.name
        self.others: tuple[str, ...] = ()  # columns of the same table for which that holds too
        found = " and ".join(f"{survey.holds} in {survey.part} ({survey.example!r:.40})" for survey in (one, other))
        super().__init__(
            f"column {self.name!r} holds {found}; expected one kind of values in all parts. Convert the column, "
            "say by .astype(str), or make its texts missing values."
        )


def survey_column(column: Column, part: str, n_levels: int) -> ColumnSurvey:
    """A part's column; of numbers no more different ones are kept than tell whether they are rounded to levels."""
    contents = Contents.of(column, n_levels)
    example = contents.low if contents.low is not None else next(iter(contents.values or ()), None)
    return ColumnSurvey(contents, part, example)


def merged(surveys: Sequence[ColumnSurvey], n_levels: int) -> ColumnSurvey:
    """What is known after all parts; MixedColumnError where their kinds differ."""
    return reduce(lambda one, other: _both(one, other, n_levels), surveys)


def _both(one: ColumnSurvey, other: ColumnSurvey, n_levels: int) -> ColumnSurvey:
    has_missing = one.contents.has_missing or other.contents.has_missing
    if one.example is None or other.example is None:
        known = other if one.example is None else one
        return replace(known, contents=replace(known.contents, has_missing=has_missing))
    if one.holds != other.holds:
        raise MixedColumnError(one, other)
    a, b = one.contents, other.contents
    if a.low is None or b.low is None or a.high is None or b.high is None:
        values = tuple(dict.fromkeys((*(a.values or ()), *(b.values or ()))))
        return replace(one, contents=replace(a, values=values[:MAX_VALUES], has_missing=has_missing))
    contents = replace(
        a,
        low=min(a.low, b.low),
        high=max(a.high, b.high),
        numbers=_few(a.numbers, b.numbers, n_levels),
        values=_exact_values(a, b),
        has_missing=has_missing,
    )
    return replace(one, contents=contents)


def _few(
    one: NDArray[np.float64] | None, other: NDArray[np.float64] | None, n_levels: int
) -> NDArray[np.float64] | None:
    """The different numbers of both, or None where there are too many to tell apart."""
    if one is None or other is None:
        return None
    both = np.union1d(one, other)
    return both if len(both) <= n_levels else None


def _exact_values(one: Contents, other: Contents) -> tuple[Any, ...] | None:
    """Whole numbers that floats would not tell apart, if there are any."""
    if one.values is None and other.values is None:
        return None
    found: dict[Any, None] = {}
    for contents in (one, other):
        numbers = () if contents.numbers is None else map(int_if_whole, contents.numbers.tolist())
        found |= dict.fromkeys(numbers if contents.values is None else contents.values)
    return tuple(found)[:MAX_VALUES]


def class_codes(
    labels: Any, n_cases: int, class_names: Sequence[Any] | None, what: str = "labels"
) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Class codes and class names; with class_names, labels are positions in it, else the names are the labels."""
    names = tuple(map(_plain_name, class_names or ()))
    if len({(type(name), name) for name in names}) < len(names):
        raise ValueError(f"class_names: {names!r:.80} has a name twice; names must differ.")
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu" and labels.shape == (n_cases,):
        # Whole numbers in an array, as from a million rows: no Python loop.
        if class_names is None:
            distinct_codes, codes = np.unique(labels, return_inverse=True)
            return codes.astype(np.int64), tuple(distinct_codes.tolist())
        if labels.min() >= 0 and labels.max() < len(names):
            return labels.astype(np.int64), names
    coded = _coded(labels, what)
    if len(coded) != n_cases:
        found = f"{counted(len(coded), 'label')} for {counted(n_cases, 'case')}"
        raise ValueError(f"{what}: {found}; expected one for each.")
    absent = np.flatnonzero(coded.is_absent)
    if len(absent):
        raise ValueError(
            f"{what}: {counted(len(absent), 'label is', 'labels are')} missing, the first in row {absent[0]}; "
            "drop those rows or label them."
        )
    if class_names is None:
        distinct = sorted(coded.present(), key=sort_key)
        place = {value: index for index, value in enumerate(distinct)}
        codes_of_values = np.array([place.get(value, -1) for value in coded.distinct], dtype=np.int64)
        return coded.look_up(codes_of_values, -1), tuple(distinct)
    positions = range(len(names))
    for position, value in enumerate(coded.distinct):
        if isinstance(value, bool) or value not in positions:
            raise ValueError(
                f"{what}: row {coded.first_row(position)} has {value!r}; with class_names, labels are positions in it, "
                f"0 to {len(names) - 1}."
            )
    return coded.look_up(np.array(coded.distinct, dtype=np.int64), -1), names


def _plain_name(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) and not isinstance(name, np.datetime64) else name


def _coded(labels: Any, what: str) -> Coded:
    """The labels, each different one once, from whatever holds them."""
    if isinstance(labels, Coded):
        return labels
    try:
        if isinstance(labels, np.ndarray) and labels.dtype.kind in "iufUb" and labels.ndim == 1:
            distinct, positions = np.unique(labels, return_inverse=True)
            return Coded.of_distinct(distinct.tolist(), positions)
        if hasattr(labels, "to_pylist") or hasattr(labels, "to_list"):
            return code_series(labels)
        return Coded.of(_as_list(labels, what))
    except TypeError as error:
        raise ValueError(f"{what}: expected one plain value per case: {error}.") from error


def _as_list(labels: Any, what: str) -> list[Any]:
    """Plain Python values, from whatever can be iterated."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "mM":
        return [None if np.isnat(value) else str(value) for value in labels]
    if hasattr(labels, "tolist"):
        return list(labels.tolist())
    try:
        return [_plain_name(label) for label in labels]
    except TypeError:
        raise ValueError(f"{what}: got {labels!r:.60}; expected one label per case.") from None
