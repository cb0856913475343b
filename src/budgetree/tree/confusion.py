"""Confusion: which answers the cases of each class get."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from budgetree.problem import Schema
    from budgetree.tree.nodes import Nodes


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
        The classes, and then answers that are no class.
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

    answers: tuple[Any, ...]  # the classes, and then answers that are no class
    class_names: tuple[Any, ...]
    counts: tuple[tuple[int | float, ...], ...]  # answer × class

    @classmethod
    def of_units(cls, schema: Schema, units: Iterable[Iterable[int]]) -> Confusion:
        """From weight units, answer × class.

        :meta private:
        """
        counts = tuple(tuple(schema.plain_cases(row)) for row in units)
        return cls(schema.answer_names, schema.class_names, counts)

    def called(self, schema: Schema) -> Confusion:
        """The same for people, with labels; a name that the schema does not have stays.

        :meta private:
        """
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
        """The cases whose answer is no class."""
        return sum(map(sum, self.counts[len(self.class_names) :]))

    @property
    def total(self) -> int | float:
        """All cases."""
        return sum(map(sum, self.counts))


def answered_units(nodes: Nodes, n_answers: int) -> NDArray[np.int64]:
    """Weight units, answer × class, where the leaves' counts say it."""
    units = np.zeros((n_answers, nodes.counts.shape[1]), dtype=np.int64)
    np.add.at(units, nodes.label[nodes.is_leaf], nodes.counts[nodes.is_leaf])
    return units
