"""The admissibility checker: tries to refute the paper's five properties by enumerating class counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import ImpurityError, SettingError
from budgetree.impurity.base import Impurity

ROUNDING = 1e-9  # a float function is refuted only by more than this, relative to its size
GROWTH_COUNTS = (2**10, 2**14)  # where the fifth property, growth, is sampled
MAX_VECTORS = 5_000_000


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A property that an impurity violates, with the class counts at which it does.

    `check_admissible` makes one; `print` shows it.

    Attributes
    ----------
    property : str
        The name of the property.
    counts : tuple of tuples of int
        The class counts at which it is violated.
    explanation : str
        The numbers, in words.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.check_admissible(bt.Gini(), 2, 3).counts
    ((0, 1), (1, 1))
    """

    property: str
    counts: tuple[tuple[int, ...], ...]
    explanation: str

    def __str__(self) -> str:
        return f"{self.property} breaks: {self.explanation}"


def check_admissible(impurity: Impurity, n_classes: int, max_count: int) -> Counterexample | None:
    """Try to refute the paper's five properties on every vector of class counts up to a limit.

    Parameters
    ----------
    impurity : Impurity
        The function.
    n_classes : int
        The number of classes.
    max_count : int
        The largest count of a class.

    Returns
    -------
    Counterexample or None
        The first one found; None if there is none.

    Raises
    ------
    ValueError
        If it is not an impurity, its values are not finite, or there are too many vectors to try.

    Examples
    --------
    >>> import budgetree as bt
    >>> print(bt.check_admissible(bt.Gini(), 2, 3))
    supermodularity breaks: adding class 0 to (1, 1) raises F by 0.3333, but adding it to (0, 1) raises F by 1
    """
    if not isinstance(impurity, Impurity):
        message = f"impurity is {impurity!r}; expected an object such as Pairs()."
        raise SettingError(message, subject="impurity", found=impurity)
    for name, number in (("n_classes", n_classes), ("max_count", max_count)):
        if not isinstance(number, int) or number < 1:
            message = f"{name} is {number!r}; expected a whole number of at least 1."
            raise SettingError(message, subject=name, found=number)
    if (max_count + 1) ** n_classes * n_classes**2 > MAX_VECTORS:
        size = f"{n_classes} classes up to {max_count} make {(max_count + 1) ** n_classes:,} vectors"
        message = f"{size}; about {MAX_VECTORS // n_classes**2:,} can be enumerated. Lower max_count."
        raise SettingError(message, subject="max_count", found=max_count)
    grid = np.indices((max_count + 1,) * n_classes)
    counts = np.moveaxis(grid, 0, -1)
    values = np.asarray(impurity(counts) if n_classes > 1 else impurity(counts.reshape(-1, 1)))
    if not impurity.exact and not np.isfinite(values).all():
        raise ImpurityError(f"{impurity!r}: some value is not a finite number.", subject=repr(impurity))
    slack = np.zeros((), dtype=values.dtype) if impurity.exact else ROUNDING * np.abs(values).max()
    return next(_counterexamples(impurity, values, slack), None)


def _counterexamples(impurity: Impurity, values: NDArray[Any], slack: Any) -> Iterator[Counterexample]:
    """One for each property that breaks.

    Supermodularity breaks where one more case of a class raises F less on a larger set than on a smaller one. Two
    classes, F on a grid of counts; `gain` is what one more case of the first class adds, and a second difference
    compares the gains of neighbours along the other class:

        F(0,1) ──gain──► F(1,1)        adding class 0 at (0, 1)
          ▲ one more of class 1
        F(0,0) ──gain──► F(1,0)        adding class 0 at (0, 0): may not be the larger gain

    Neighbours suffice: a larger set is reached by adding one case after another.
    """
    classes = range(values.ndim)
    for at in _first(values < -slack):
        yield Counterexample("non-negativity", (at,), f"F{at} = {_show(values[at])}")
    is_pure = (np.indices(values.shape) > 0).sum(axis=0) <= 1
    for at in _first(is_pure & (np.abs(values) > slack)):
        yield Counterexample("purity", (at,), f"F{at} = {_show(values[at])}, but at most one class is present")
    for axis in classes:
        for at in _first(np.diff(values, axis=axis) < -slack):
            more = _plus(at, axis)
            numbers = f"F{at} = {_show(values[at])}, but F{more} = {_show(values[more])}"
            yield Counterexample("monotonicity", (at, more), numbers)
    for added, other in itertools.product(classes, repeat=2):
        gain = np.diff(values, axis=added)
        for at in _first(np.diff(gain, axis=other) < -slack):
            larger = _plus(at, other)
            numbers = (
                f"adding class {added} to {larger} raises F by {_show(gain[larger])}, "
                f"but adding it to {at} raises F by {_show(gain[at])}"
            )
            yield Counterexample("supermodularity", (at, larger), numbers)
    if len(classes) > 1:
        yield from _too_fast_growth(impurity, len(classes))


def _too_fast_growth(impurity: Impurity, n_classes: int) -> Iterator[Counterexample]:
    """log F(S) = O(log n) fails when doubling all counts multiplies F by ever larger factors."""
    before, last = (_doubling_exponent(impurity, count, n_classes) for count in GROWTH_COUNTS)
    # A polynomial's exponent settles at its degree, from above where a hinge holds it back at first.
    if last > 2 * before + 1 and before != 0:
        counts = (GROWTH_COUNTS[-1],) * n_classes
        numbers = f"doubling {counts} multiplies F by 2 to the power {last:.4g}"
        yield Counterexample("polynomial growth", (counts,), numbers)


def _doubling_exponent(impurity: Impurity, count: int, n_classes: int) -> float:
    """log2 of F(2n) / F(n): a polynomial's degree, but without bound for what grows faster."""
    with np.errstate(over="ignore", invalid="ignore"):
        small, large = (impurity([size] * n_classes) for size in (count, 2 * count))
    if not small > 0:
        return 0.0
    if not impurity.exact:
        return math.log2(large / small) if math.isfinite(large) else math.inf
    ratio = Fraction(large) / Fraction(small)
    return math.log2(ratio.numerator) - math.log2(ratio.denominator)


def _first(broken: NDArray[Any]) -> list[tuple[int, ...]]:
    """Where it is broken with the fewest cases, if anywhere."""
    positions = np.argwhere(np.asarray(broken, dtype=bool))
    order = np.lexsort((*positions.T[::-1], positions.sum(axis=1)))
    return [tuple(map(int, position)) for position in positions[order[:1]]]


def _plus(counts: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*counts[:axis], counts[axis] + 1, *counts[axis + 1 :])


def _show(value: Any) -> str:
    return f"{float(value):.4g}"
