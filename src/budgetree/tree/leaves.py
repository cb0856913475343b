"""What a leaf answers by: the known cases that come there, a fixed answer, points, or a model of all that was bought.

Points and scores are whole numbers, so a total does not depend on the order of addition, and any other program gets the
same. They are sums over tests, to which small trees may add what several results say together:

    total = intercept + Σ over tests of points[result] + Σ over trees of value[end of the case]

A result that is not listed has points of its own, and goes the default way in a tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree._native import core
from budgetree.errors import TreeError

SCORE_UNIT = 1_000_000  # scores are whole millionths
NO_MISSING = -1  # of a node: no outcome stands for a missing value
TOLERANCE = 1e-6  # of a sum of probabilities
LEAST, MOST = -(2**31), 2**31 - 1  # of points and cuts
WHOLE_POINTS = f"whole numbers from {LEAST} to {MOST}"


def unfit(subject: str, found: object, expected: str) -> TreeError:
    """What a node cannot be made of."""
    message = f"{subject}: {found!r:.80} does not fit; expected {expected}."
    return TreeError(message, subject=subject, found=found, expected=expected)


def is_whole(number: object) -> bool:
    """Whether it is a whole number by its type; a truth value is not one."""
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def whole_numbers(given: Iterable[Any], subject: str, expected: str) -> tuple[int, ...]:
    """Python's own whole numbers; TreeError where something else is among them."""
    numbers = tuple(given)
    if not all(map(is_whole, numbers)):
        raise unfit(subject, numbers, expected)
    return tuple(map(int, numbers))


def check_cuts(given: Iterable[Any]) -> tuple[int, ...]:
    """Cuts of a total, which must be ascending."""
    expected = f"ascending {WHOLE_POINTS}"
    cuts = whole_numbers(given, "cuts", expected)
    if list(cuts) != sorted(set(cuts)) or not all(LEAST <= cut <= MOST for cut in cuts):
        raise unfit("cuts", cuts, expected)
    return cuts


def _whole_array(given: Any, kind: type[np.generic], n_dims: int, subject: str, expected: str) -> NDArray[Any]:
    """A copy of this kind; TreeError where that would change a number, or it has another shape."""
    try:
        array = np.array(given, order="C")  # as the core reads it
    except ValueError:  # rows of different lengths
        array = np.array(None)
    are_whole = array.dtype.kind in ("biu" if kind is np.bool_ else "iu") or array.size == 0
    cast = np.array(array if are_whole else 0, dtype=kind, order="C")
    if array.ndim != n_dims or not np.array_equal(cast, array):
        raise unfit(subject, given, expected)
    return cast


def _check_points(given: Any, n_dims: int, subject: str) -> NDArray[np.int32]:
    expected = f"{'a row of' if n_dims == 1 else 'result × total,'} {WHOLE_POINTS}"
    points = _whole_array(given, np.int32, n_dims, subject, expected)
    if not points.size:
        raise unfit(subject, given, expected)
    return points


def _check_chances(given: Iterable[Any]) -> tuple[float, ...]:
    """Probabilities as floats; a mean of them may have been rounded to a number beyond 0 or 1."""
    found = tuple(given)
    are_numbers = all(isinstance(chance, Real) for chance in found)
    if not are_numbers or not all(-TOLERANCE <= chance <= 1 + TOLERANCE for chance in found):
        raise unfit("chances", found, "probabilities from 0 to 1")
    chances = tuple(min(max(float(chance), 0.0), 1.0) for chance in found)
    if not abs(sum(chances) - 1) <= TOLERANCE:
        raise unfit("chances", found, f"probabilities with the sum 1, not {sum(chances):g}")
    return chances


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ensemble:
    """Small trees, at the ends of which are points; the nodes of all trees are in the same arrays.

    However they are given, each tree has its left subtree before its right one here, and what has no meaning is 0 or
    -1: two ensembles that are the same have the same arrays.

    Attributes
    ----------
    start : array of int
        Per tree, its first node.
    test, left, right : array of int
        Per node, the position of its test in the schema, and its children; -1 for an end.
    cut, by_equal : array of int or bool
        A result goes left where it is at most this outcome; or this very one, for tests whose outcomes have no order.
    default_left, missing : array of bool or int
        Where a result goes that is not listed, and the outcome for a missing value that goes there, too; -1 for none.
    value : array of int
        Node × total: what an end adds.

    Raises
    ------
    TreeError
        Where the arrays are not whole numbers, or not trees of at most 256 ends.

    Examples
    --------
    >>> import budgetree as bt
    >>> stump = {"start": [0], "test": [3, -1, -1], "cut": [5, 0, 0], "by_equal": [0, 0, 0], "left": [1, -1, -1]}
    >>> stump |= {"right": [2, -1, -1], "default_left": [1, 0, 0], "missing": [-1] * 3, "value": [[0], [-250], [700]]}
    >>> bt.Ensemble(**stump).n_trees
    1
    """

    start: NDArray[np.int32]
    test: NDArray[np.int32]
    cut: NDArray[np.uint8]
    by_equal: NDArray[np.bool_]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    default_left: NDArray[np.bool_]
    missing: NDArray[np.int16]
    value: NDArray[np.int32]

    def __post_init__(self) -> None:
        given = {name: _check_array(name, getattr(self, name)) for name in _KINDS}
        if len({len(array) for name, array in given.items() if name != "start"}) > 1:
            sizes = {name: array.shape for name, array in given.items()}
            raise unfit("trees", sizes, "arrays with one entry per node")
        is_end = given["left"] < 0
        if not np.array_equal(is_end, given["test"] < 0):
            raise unfit("trees", given["test"].tolist(), "a test where a node has children, and -1 at ends")
        try:
            order = core.preorder(given["start"], given["left"], given["right"])
        except ValueError as error:
            raise TreeError(f"{error}.", subject="trees") from error
        number = np.empty(len(order) + 1, dtype=np.int32)
        number[order], number[-1] = np.arange(len(order)), -1
        for name, array in given.items():
            if name == "start":
                array = number[array]
            else:
                array[~is_end if name == "value" else is_end] = _NOTHING[name]
                array = number[array[order]] if name in ("left", "right") else array[order]
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def n_trees(self) -> int:
        """How many there are."""
        return len(self.start)

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that they read, ascending."""
        return tuple(np.unique(self.test[self.test >= 0]).tolist())

    @property
    @internal
    def key(self) -> tuple[bytes, ...]:
        """The same for the same trees."""
        return tuple(getattr(self, name).tobytes() for name in _KINDS)

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Ensemble) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    @internal
    def in_core(self, column: NDArray[np.int32] | None = None) -> Any:
        """As the core reads them; `column`: the position of each test there, and last -1."""
        test = self.test if column is None else column[self.test]
        flags = self.by_equal, self.default_left
        return core.Ensemble(self.start, test, self.cut, *flags, self.missing, self.right, self.value)


_KINDS: dict[str, Any] = {
    "start": np.int32, "test": np.int32, "cut": np.uint8, "by_equal": np.bool_, "left": np.int32, "right": np.int32,
    "default_left": np.bool_, "missing": np.int16, "value": np.int32,
}  # fmt: skip
_NOTHING = dict.fromkeys(_KINDS, 0) | {"test": -1, "left": -1, "right": -1, "missing": NO_MISSING}


def _check_array(name: str, given: Any) -> NDArray[Any]:
    kind, n_dims = _KINDS[name], 2 if name == "value" else 1
    what = "truth values" if kind is np.bool_ else f"whole numbers that {kind.__name__} holds"
    expected = f"{name} to be {'node × total,' if n_dims == 2 else 'a row of'} {what}"
    return _whole_array(given, kind, n_dims, "trees", expected)


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
    trees : Ensemble, optional
        Small trees that add to the totals; a test that only they read has points of 0.

    Raises
    ------
    TreeError
        Where the tests do not ascend, the tables are not whole numbers for each, or the trees read other ones.

    Examples
    --------
    >>> import budgetree as bt
    >>> totals = bt.Totals.of_points({0: (0, 5, 2), 1: (0, 1, 3, 1)}, intercept=2)
    >>> totals.tests, totals.n_totals
    ((0, 1), 1)
    """

    tests: tuple[int, ...]
    points: tuple[NDArray[np.int32], ...]
    intercept: NDArray[np.int64]
    trees: Ensemble | None = None

    def __post_init__(self) -> None:
        expected = "positions of tests, which are whole numbers from 0 on, ascending"
        tests = whole_numbers(self.tests, "tests", expected)
        if list(tests) != sorted(set(tests)) or not all(0 <= test <= MOST for test in tests):
            raise unfit("tests", tests, expected)
        if len(self.points) != len(tests):
            raise unfit("points", len(self.points), f"a table for each of {len(tests)} tests")
        intercept = _check_points(self.intercept, 1, "intercept").astype(np.int64)
        tables = tuple(_check_points(table, 2, "points") for table in self.points)
        if unlike := [table.shape[1] for table in tables if table.shape[1] != len(intercept)]:
            raise unfit("points", unlike[0], f"a column for each of {len(intercept)} totals, as the intercept has")
        arrays: tuple[NDArray[Any], ...] = (*tables, intercept)
        for array in arrays:
            array.setflags(write=False)
        for name, value in (("tests", tests), ("points", tables), ("intercept", intercept)):
            object.__setattr__(self, name, value)
        if self.trees is not None and not isinstance(self.trees, Ensemble):
            raise unfit("trees", self.trees, "an Ensemble, or None")
        try:
            self.in_core()
        except ValueError as error:
            raise TreeError(f"{error}.", subject="points" if self.trees is None else "trees") from error

    @classmethod
    def of_points(cls, points: Mapping[int, Sequence[int]], intercept: int = 0) -> Totals:
        """One total: by test the points of each outcome, and last those of a result that is not listed.

        Parameters
        ----------
        points : dict
            By the position of a test; a name is not one.
        intercept : int, default 0
            What the total begins with.
        """
        tests = sorted(whole_numbers(points, "tests", "positions of tests, which are whole numbers from 0 on"))
        tables = tuple(_check_points(points[test], 1, "points")[:, None] for test in tests)
        return cls(tuple(tests), tables, np.array([intercept]))

    @property
    def n_totals(self) -> int:
        """How many totals are added up."""
        return len(self.intercept)

    @property
    @internal
    def unit(self) -> int:
        """The largest number of which everything that is added is a multiple."""
        trees = () if self.trees is None else (self.trees.value,)
        added = [own.ravel() for own in (*self.points, *trees, self.intercept)]
        return max(1, int(np.gcd.reduce(np.concatenate(added).astype(np.int64))))

    @internal
    def add_up(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Per row of codes (one column per test of the schema) and total."""
        return np.asarray(self.in_core().add_up(np.ascontiguousarray(codes, dtype=np.uint8)))

    @internal
    def in_core(self, column: NDArray[np.int32] | None = None) -> Any:
        """As the core adds them up; `column`: the position of each test there, and last -1."""
        tests = np.array(self.tests, dtype=np.int32) if column is None else column[list(self.tests)].astype(np.int32)
        trees = None if self.trees is None else self.trees.in_core(column)
        return core.Scorer(tests, list(self.points), self.intercept, trees)

    @property
    def _key(self) -> tuple[Any, ...]:
        points = tuple(table.tobytes() for table in self.points)
        return self.tests, self.intercept.tobytes(), points, self.trees

    def __eq__(self, other: object) -> bool:
        return self is other or self._key == other._key if isinstance(other, Totals) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.tests, self.intercept.tobytes()))


class _Rule:
    __slots__ = ()

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that the answer depends on."""
        totals: Totals | None = getattr(self, "totals", None)
        return () if totals is None else totals.tests


@dataclass(frozen=True, slots=True)
class Majority(_Rule):
    """The known cases that come to the leaf answer; where none comes, those of the nearest node above that has some.

    Attributes
    ----------
    counts : tuple of int
        Their weight units per class; empty while a tree is built.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.grow(bt.datasets.load("figure1"), budget=0).nodes[0]
    Majority(counts=(30, 30))
    """

    counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixed(_Rule):
    """Probabilities that were decided when the tree was made.

    Attributes
    ----------
    chances : tuple of float
        Per class.
    answer : int, optional
        The position of the answer; None for the one of least expected loss.

    Raises
    ------
    TreeError
        Where the chances are not probabilities with the sum 1.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Fixed((0.7, 0.3))  # see TreeBuilder.leaf
    Fixed(chances=(0.7, 0.3), answer=None)
    """

    chances: tuple[float, ...]
    answer: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "chances", _check_chances(self.chances))
        if self.answer is not None:
            answer = whole_numbers([self.answer], "answer", "the position of an answer, a whole number from 0 on")[0]
            object.__setattr__(self, "answer", answer)


@dataclass(frozen=True, slots=True)
class Points(_Rule):
    """A total of points; between two cuts every class has a fixed probability.

    Attributes
    ----------
    totals : Totals
        The points, with a single total.
    cuts : tuple of int
        Ascending: below the first is side 0, from there on side 1, and so on.
    chances : tuple of tuples of float
        Per side and class.

    Raises
    ------
    TreeError
        Where there are several totals, the cuts are not ascending, or a side has no probabilities with the sum 1.

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

    def __post_init__(self) -> None:
        cuts, chances = check_cuts(self.cuts), tuple(map(_check_chances, self.chances))
        if self.totals.n_totals != 1:
            raise unfit("totals", self.totals.n_totals, "a single total, where cuts decide")
        if len(chances) != len(cuts) + 1 or len(set(map(len, chances))) != 1:
            raise unfit("chances", chances, f"{len(cuts) + 1} sides, each with a probability per class")
        object.__setattr__(self, "cuts", cuts)
        object.__setattr__(self, "chances", chances)

    @internal
    def sides(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The side of each total."""
        return np.asarray(np.searchsorted(self.cuts, totals, side="right"), dtype=np.int64)

    @internal
    def probabilities(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Row × class."""
        return np.array(self.chances)[self.sides(totals[:, 0])]


@dataclass(frozen=True, slots=True)
class Model(_Rule):
    """Scores in millionths; softmax makes probabilities of them.

    Attributes
    ----------
    totals : Totals
        The scores, one total per class; of two classes also a single one, by which the second is ahead of the first.

    Examples
    --------
    >>> import budgetree as bt
    >>> import numpy as np
    >>> scores = np.array([[2_000_000, 0], [0, 1_000_000], [0, 0]], dtype=np.int32)  # result × class, in millionths
    >>> bt.Model(bt.Totals((0,), (scores,), np.zeros(2, dtype=np.int64))).tests
    (0,)
    """

    totals: Totals

    @internal
    def probabilities(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Row × class."""
        return softmax(class_scores(totals))


Scored = Points | Model
Leaf = Majority | Fixed | Points | Model


def class_scores(totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Row × class; where there is a single score, that of the first of two classes is 0."""
    return totals if totals.shape[1] > 1 else np.hstack([np.zeros_like(totals), totals])


def softmax(totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scores in millionths as probabilities, row by row; the same bits on every machine."""
    return np.asarray(core.softmax(np.ascontiguousarray(totals, dtype=np.int64)))
