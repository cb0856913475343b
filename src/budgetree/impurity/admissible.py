"""The admissibility checker: tries to refute the paper's five properties by enumerating class counts."""

from __future__ import annotations

import itertools
import math
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
    """Which property breaks, at which class counts, and by which numbers.

    `check_admissible` makes one; `print` shows it.

    Attributes
    ----------
    property : str
        The name of the property.
    counts : tuple of tuples of int
        The class counts at which it breaks.
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
        The first that was found; None where nothing refutes it.

    Raises
    ------
    ValueError
        Where it is no impurity, its values are not finite, or there are too many vectors to try.

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
        raise SettingError(
            f"{n_classes} classes up to {max_count} make {(max_count + 1) ** n_classes:,} vectors; "
            f"about {MAX_VECTORS // n_classes**2:,} can be enumerated. Lower max_count.",
            subject="max_count",
            found=max_count,
        )
    grid = np.indices((max_count + 1,) * n_classes)
    counts = np.moveaxis(grid, 0, -1)
    values = np.asarray(impurity(counts) if n_classes > 1 else impurity(counts.reshape(-1, 1)))
    if not impurity.exact and not np.isfinite(values).all():
        raise ImpurityError(f"{impurity!r}: some value is not a finite number.", subject=repr(impurity))
    slack = np.zeros((), dtype=values.dtype) if impurity.exact else ROUNDING * np.abs(values).max()
    return (
        _negative(values, slack)
        or _impure_when_pure(values, slack)
        or _not_monotone(values, slack)
        or _not_supermodular(values, slack)
        or _grows_too_fast(impurity, n_classes)
    )


def _negative(values: NDArray[Any], slack: Any) -> Counterexample | None:
    at = _first(values < -slack)
    return None if at is None else Counterexample("non-negativity", (at,), f"F{at} = {_show(values[at])}")


def _impure_when_pure(values: NDArray[Any], slack: Any) -> Counterexample | None:
    positive = np.indices(values.shape) > 0
    pure = positive.sum(axis=0) <= 1
    at = _first(pure & (np.abs(values) > slack))
    if at is None:
        return None
    return Counterexample("purity", (at,), f"F{at} = {_show(values[at])}, but at most one class is present")


def _not_monotone(values: NDArray[Any], slack: Any) -> Counterexample | None:
    for axis in range(values.ndim):
        at = _first(np.diff(values, axis=axis) < -slack)
        if at is not None:
            more = _plus(at, axis)
            return Counterexample(
                "monotonicity", (at, more), f"F{at} = {_show(values[at])}, but F{more} = {_show(values[more])}"
            )
    return None


def _not_supermodular(values: NDArray[Any], slack: Any) -> Counterexample | None:
    """Whether one more case of a class ever raises F less on a larger set than on a smaller one.

    Two classes, F on a grid of counts; `gain` is what one more case of the first class adds, and a second difference
    compares the gains of neighbours along the other class:

        F(0,1) ──gain──► F(1,1)        adding class 0 at (0, 1)
          ▲ one more of class 1
        F(0,0) ──gain──► F(1,0)        adding class 0 at (0, 0): may not be the larger gain

    Neighbours suffice: a larger set is reached by adding one case after another.
    """
    for added, other in itertools.product(range(values.ndim), repeat=2):
        gain = np.diff(values, axis=added)
        at = _first(np.diff(gain, axis=other) < -slack)
        if at is not None:
            larger = _plus(at, other)
            return Counterexample(
                "supermodularity",
                (at, larger),
                f"adding class {added} to {larger} raises F by {_show(gain[larger])}, "
                f"but adding it to {at} raises F by {_show(gain[at])}",
            )
    return None


def _grows_too_fast(impurity: Impurity, n_classes: int) -> Counterexample | None:
    """log F(S) = O(log n) fails when doubling all counts multiplies F by ever larger factors."""
    if n_classes < 2:
        return None
    exponents = [_doubling_exponent(impurity, count, n_classes) for count in GROWTH_COUNTS]
    # A polynomial's exponent settles at its degree, from above where a hinge holds it back at first.
    if exponents[-1] <= 2 * exponents[-2] + 1 or exponents[-2] == 0:
        return None
    counts = (GROWTH_COUNTS[-1],) * n_classes
    return Counterexample(
        "polynomial growth", (counts,), f"doubling {counts} multiplies F by 2 to the power {exponents[-1]:.4g}"
    )


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


def _first(broken: NDArray[Any]) -> tuple[int, ...] | None:
    positions = np.argwhere(np.asarray(broken, dtype=bool))
    if not len(positions):
        return None
    smallest = positions[np.lexsort((*positions.T[::-1], positions.sum(axis=1)))[0]]  # the fewest cases
    return tuple(int(count) for count in smallest)


def _plus(counts: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*counts[:axis], counts[axis] + 1, *counts[axis + 1 :])


def _show(value: Any) -> str:
    return f"{float(value):.4g}"
