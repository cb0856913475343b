"""LevelPlan: to how many levels each column of numbers is rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from budgetree.problem.tables.fine_levels import MAX_OUTCOMES
from budgetree.problem.tables.table import Table
from budgetree.problem.tables.texts import first_word, number_column
from budgetree.services.words import listed

DEFAULT_LEVELS = 10  # the paper's


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """Columns that are named, and all others; a column with no more different values than levels is not rounded.

    >>> LevelPlan(3, {"Ca": 4}).count("Ca"), LevelPlan(3, {"Ca": 4}).count("Age")
    (4, 3)
    """

    others: int = DEFAULT_LEVELS
    columns: Mapping[str, int] = field(default_factory=dict)
    always: bool = False  # the columns that are named are rounded however few values they have

    @classmethod
    def of(cls, levels: LevelCounts) -> LevelPlan:
        """What a user may give: a number for all columns, or {column: levels} for those that are always rounded."""
        if isinstance(levels, LevelPlan):
            return levels
        return cls(columns=levels, always=True) if isinstance(levels, Mapping) else cls(levels)

    def count(self, column: str) -> int:
        """The levels of a column."""
        return self.columns.get(column, self.others)

    def check(self, test_names: Sequence[str]) -> None:
        """An error for a name that is no test's, or a number that levels cannot have."""
        for name in self.columns:
            if name not in test_names:
                raise ValueError(f"levels: no test is named {name!r}; the tests are {listed(test_names)}.")
        for count in (self.others, *self.columns.values()):
            _check_count(count)

    def as_amounts(self, table: Table) -> Table:
        """The same table, with the numbers of named columns that were taken for codes, such as 007."""
        columns = tuple(
            number_column(column)
            if column.name in self.columns and column.numbers is None and column.texts and first_word(column) is None
            else column
            for column in table.columns
        )
        return replace(table, columns=columns)


def _check_count(count: Any) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 2 <= count < MAX_OUTCOMES:
        raise ValueError(f"levels is {count!r}; expected a whole number from 2 to {MAX_OUTCOMES - 1}.")


LevelCounts = int | Mapping[str, int] | LevelPlan
