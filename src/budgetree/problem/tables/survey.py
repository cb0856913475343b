"""Surveys: what a column holds, found part by part and put together, so that no one needs all of its rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.encoding import ColumnEncoder, Contents, encoder_for
from budgetree.problem.tables.level_plan import LevelCounts
from budgetree.problem.tables.table import Column
from budgetree.problem.tables.values import int_if_whole

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


def encoders_for(surveys: Sequence[ColumnSurvey], levels: LevelCounts) -> tuple[ColumnEncoder, ...]:
    """How each column becomes codes."""
    return tuple(encoder_for(survey.contents, levels) for survey in surveys)
