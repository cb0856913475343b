"""What a leaf answers by: the known cases that come there, a fixed answer, points, or a model of all that was bought.

    Majority   the most common class, or what loses least
    Fixed      probabilities that were decided when the tree was made
    Points     whole points per result, as on a paper form; the total says how likely each class is
    Model      a score per class, added up from the results; softmax makes probabilities of the scores

Points and scores are whole numbers, so a total does not depend on the order of addition, and any other program gets the
same. A result that is not listed has points of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree._native import core

SCORE_UNIT = 1_000_000  # scores are whole millionths


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Whole points per test and result that add up to one total, or to one per class.

    Attributes
    ----------
    tests : tuple of int
        The positions of the tests, ascending.
    points : tuple of arrays
        Per test, result × total; the last row is for a result that is not listed.
    intercept : array
        What each total begins with.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Totals.of_points({0: (0, 5, 2), 1: (0, 1, 3, 1)}).tests
    (0, 1)
    """

    tests: tuple[int, ...]
    points: tuple[NDArray[np.int32], ...]
    intercept: NDArray[np.int64]

    def __post_init__(self) -> None:
        arrays: list[NDArray[Any]] = [*self.points, self.intercept]
        for array in arrays:
            array.flags.writeable = False

    @classmethod
    def of_points(cls, points: Mapping[int, Sequence[int]], intercept: int = 0) -> Totals:
        """One total: by test the points of each outcome, and last those of a result that is not listed.

        Parameters
        ----------
        points : dict
            By the position of a test.
        intercept : int, default 0
            What the total begins with.

        Returns
        -------
        Totals
            With a single total.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.Totals.of_points({0: (0, 5, 2), 1: (0, 1, 3, 1)}, intercept=2).n_totals
        1
        """
        tests = tuple(sorted(points))
        tables = tuple(np.array(points[test], dtype=np.int32)[:, None] for test in tests)
        return cls(tests, tables, np.array([intercept], dtype=np.int64))

    @property
    def n_totals(self) -> int:
        """How many totals are added up."""
        return len(self.intercept)

    @internal
    def add_up(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Per row of codes (one column per test of the schema) and total."""
        totals = np.tile(self.intercept, (len(codes), 1))
        for test, table in zip(self.tests, self.points, strict=True):
            totals += table[np.minimum(codes[:, test], len(table) - 1)]
        return totals

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Totals):
            return NotImplemented
        if self.tests != other.tests or not np.array_equal(self.intercept, other.intercept):
            return False
        return all(np.array_equal(mine, its) for mine, its in zip(self.points, other.points, strict=True))

    def __hash__(self) -> int:
        return hash((self.tests, self.intercept.tobytes()))


@dataclass(frozen=True, slots=True)
class Majority:
    """The known cases that come to the leaf answer; where none comes, those of the nearest node above that has some.

    Attributes
    ----------
    counts : tuple of int
        Their weight units per class; empty while a tree is built.

    Examples
    --------
    >>> import budgetree as bt
    >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
    >>> builder.leaf(builder.root, bt.Majority())
    >>> builder.build().predict_codes([[0, 0]]).tolist()
    ['circle']
    """

    counts: tuple[int, ...] = ()

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that the answer depends on."""
        return ()


@dataclass(frozen=True, slots=True)
class Fixed:
    """Probabilities that were decided when the tree was made.

    Attributes
    ----------
    chances : tuple of float
        Per class.
    answer : int, optional
        The position of the answer; None for the one of least expected loss.

    Examples
    --------
    >>> import budgetree as bt
    >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
    >>> builder.leaf(builder.root, bt.Fixed((0.7, 0.3)))
    >>> builder.build().predict_codes([[0, 0]]).tolist()
    ['circle']
    """

    chances: tuple[float, ...]
    answer: int | None = None

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that the answer depends on."""
        return ()


@dataclass(frozen=True, slots=True)
class Points:
    """A total of points; between two cuts every class has a fixed probability.

    Attributes
    ----------
    totals : Totals
        The points, with a single total.
    cuts : tuple of int
        Ascending: below the first is side 0, from there on side 1, and so on.
    chances : tuple of tuples of float
        Per side and class.

    Examples
    --------
    >>> import budgetree as bt
    >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
    >>> points = bt.Totals.of_points({0: (0, 3, 0)})
    >>> builder.leaf(builder.buy(builder.root, 0), bt.Points(points, (2,), ((0.9, 0.1), (0.2, 0.8))))
    >>> builder.build().predict_codes([[0, 0], [1, 0]]).tolist()
    ['circle', 'triangle']
    """

    totals: Totals
    cuts: tuple[int, ...]
    chances: tuple[tuple[float, ...], ...]

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that the answer depends on."""
        return self.totals.tests

    @internal
    def sides(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The side of each total."""
        return np.asarray(np.searchsorted(self.cuts, totals, side="right"), dtype=np.int64)

    @internal
    def probabilities(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Row × class."""
        return np.array(self.chances)[self.sides(totals[:, 0])]


@dataclass(frozen=True, slots=True)
class Model:
    """A score per class, in millionths; softmax makes probabilities of them.

    Attributes
    ----------
    totals : Totals
        The scores, one total per class.

    Examples
    --------
    >>> import budgetree as bt
    >>> import numpy as np
    >>> scores = np.array([[2_000_000, 0], [0, 1_000_000], [0, 0]], dtype=np.int32)  # result × class, in millionths
    >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
    >>> model = bt.Model(bt.Totals((0,), (scores,), np.zeros(2, dtype=np.int64)))
    >>> builder.leaf(builder.buy(builder.root, 0), model)
    >>> builder.build().predict_codes([[0, 0], [1, 0]]).tolist()
    ['circle', 'triangle']
    """

    totals: Totals

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that the answer depends on."""
        return self.totals.tests

    @internal
    def probabilities(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Row × class."""
        return softmax(totals)


Scored = Points | Model
Leaf = Majority | Fixed | Points | Model


def softmax(totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scores in millionths as probabilities, row by row; the same bits on every machine."""
    return np.asarray(core.softmax(np.ascontiguousarray(totals, dtype=np.int64)))
