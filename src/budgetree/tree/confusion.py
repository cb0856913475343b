"""Confusion: which answers the cases of each class get."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from budgetree._internal import internal
from budgetree.problem import Schema


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many cases of each class get each answer, by weight.

    ::

        answers            benign  cancer      class_names
            benign           340       3       counts[0]
            cancer             7     180
            refer             10      29

    Attributes
    ----------
    answers : tuple
        The classes, and then answers that are not classes.
    class_names : tuple
        The classes.
    counts : tuple of tuples of numbers
        Answer × class.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.optimal(bt.datasets.load("figure1"), budget=1).tree.confusion.counts
    ((30, 10), (0, 20))
    """

    answers: tuple[Any, ...]
    class_names: tuple[Any, ...]
    counts: tuple[tuple[int | float, ...], ...]

    @classmethod
    @internal
    def of_units(cls, schema: Schema, units: Iterable[Iterable[int]]) -> Confusion:
        """From weight units, answer × class."""
        counts = tuple(tuple(schema.plain_cases(row)) for row in units)
        return cls(schema.answer_names, schema.class_names, counts)

    @internal
    def called(self, schema: Schema) -> Confusion:
        """The same for people, with labels; a name that the schema does not have stays."""
        words = dict(zip(map(str, schema.answer_names), schema.wording.answers, strict=True))
        answers, classes = (
            tuple(words.get(str(n), str(n)) for n in names) for names in (self.answers, self.class_names)
        )
        return replace(self, answers=answers, class_names=classes)

    @property
    def errors(self) -> int | float:
        """The cases that get another class than theirs."""
        rows = enumerate(self.counts[: len(self.class_names)])
        return sum(count for answer, row in rows for true, count in enumerate(row) if true != answer)

    @property
    def referred(self) -> int | float:
        """The cases whose answer is not a class."""
        return sum(map(sum, self.counts[len(self.class_names) :]))

    @property
    def total(self) -> int | float:
        """All cases."""
        return sum(map(sum, self.counts))
