"""Impurity: how far the cases of a node are from being of one class, as a function of its class counts.

A form is an impurity multiplied by `stretch`, so that whole weight units give whole values: comparisons are then
exact, and multiplying by a constant changes no choice. The native core knows some functions by their `kernel`; every
other one is computed by the Python grower only.

    a user's weights   0.5  0.5  1        HingedPairs(0.75), on counts
          × scale 2  ↓                          × stretch  ↓
    weight units       1    1    2        a form with whole q, p and b, on weight units

                       form(units) = stretch × impurity(units / scale)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import ImpurityError

Counts = NDArray[Any]
MAX_EXPONENT, MAX_DIGITS = 100, 120
LARGEST = 10**MAX_EXPONENT


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A function of class counts in whole weight units."""

    # On the last axis; counts are int64, or Python integers (dtype object) when those could overflow.
    value: Callable[[NDArray[Any]], Any]
    stretch: Fraction | int  # it is so many times the impurity
    exact: bool = True
    # No intermediate result exceeds this on sets of so many units; None when unknown.
    largest: Callable[[int], int | None] = lambda _: None
    kernel: str | None = None  # what the core calls it
    numbers: Callable[[], tuple[Any, ...]] = tuple  # by which the core computes


class Impurity:
    """A function of class counts that is 0 for pure sets. Subclass it, write `value`, declare its properties.

    Written with plain arithmetic, `value` works on whole numbers and on fractions alike; then say exact = True and
    trees are grown without any rounding. An impurity is called with class counts: `Pairs()([30, 30])`.

    Attributes
    ----------
    admissible : bool
        The paper's five properties hold; `check_admissible` tries to refute it.
    zero_only_if_pure : bool
        False for hinged functions: it is 0 for some impure sets.
    exact : bool
        Values are whole or rational for whole or rational counts.
    unit : Fraction or None
        Every value for whole counts is a multiple of it; `guarantee` needs it.

    Examples
    --------
    >>> import budgetree as bt
    >>> import numpy as np
    >>> class SecondLargest(bt.Impurity):
    ...     "The size of the second largest class: zero when pure."
    ...     def value(self, counts):
    ...         return np.sort(counts, axis=-1)[..., -2]
    >>> SecondLargest()([5, 3, 1])
    3
    >>> bt.Pairs().value(np.array([[30, 30], [60, 0]])).tolist(), round(bt.Pairs().guarantee([30, 30]), 2)
    ([900, 0], 7.8)
    >>> bt.Pairs().form(scale=1, n_classes=2).kernel  # what the native core knows it by
    'hinge'
    """

    admissible: ClassVar[bool] = False
    zero_only_if_pure: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    unit: Fraction | None = None

    def value(self, counts: Counts) -> Any:
        """The impurity of each vector of class counts.

        Parameters
        ----------
        counts : array
            Its last axis runs over the classes.

        Returns
        -------
        array
            One number for each vector.

        Raises
        ------
        TypeError
            Where a class of your own does not define it.
        """
        raise TypeError(f"{type(self).__name__} has no value(counts); an impurity must define it.")

    def form(self, scale: Fraction, n_classes: int) -> Form:
        """The function as the growers use it, on counts in weight units (count = units / scale).

        A function that the core knows returns its form here and runs at full speed; by default it is computed by
        `value` on true counts: fractions where it is exact, else floats.

        Parameters
        ----------
        scale : Fraction
            Weight units per case.
        n_classes : int
            The number of classes.
        """

        def value(counts: NDArray[Any]) -> NDArray[Any]:
            if not self.exact:
                return np.asarray(self._checked_value(counts.astype(np.float64) / float(scale)), dtype=np.float64)
            whole = counts.astype(object)
            return np.asarray(self._checked_value(whole if scale == 1 else whole * (1 / scale)), dtype=object)

        return Form(value, Fraction(1), self.exact)

    def guarantee(self, counts: Any) -> float:
        """The paper's a-priori factor for a tree grown from these class counts: ln(F(S) / unit) + 1.

        The paper's F are whole numbers; others are counted in their unit, since the proof needs that no value lies
        between 0 and 1.

        Parameters
        ----------
        counts : array-like of int
            A number per class.

        Raises
        ------
        ValueError
            Where the function is not admissible or declares no unit: then the paper promises nothing.
        """
        if not self.admissible or self.unit is None:
            subject, lacks, remedy = "admissible", "is not declared admissible", "Use Pairs()"
            if self.admissible:
                subject, lacks = "unit", "declares no unit"
                remedy = "Set `unit`, of which every value for whole counts is a multiple"
            message = f"{self!r} {lacks}, so the paper guarantees nothing for its trees. {remedy}."
            raise ImpurityError(message, subject=subject, found=self)
        whole = np.asarray(counts)
        if whole.dtype.kind not in "iuO" or any(count != int(count) for count in whole.ravel()):
            raise ImpurityError(f"{self!r}: the guarantee is for whole class counts; got {counts!r}.", found=counts)
        start = Fraction(self(counts)) / self.unit
        # The logarithm of a quotient, which may be beyond any float.
        return math.log(start.numerator) - math.log(start.denominator) + 1.0 if start > 1 else 1.0

    def _checked_value(self, counts: Counts) -> Any:
        result = self.value(counts)
        if np.shape(result) != counts.shape[:-1]:
            message = (
                f"{self!r}: value() returned shape {np.shape(result)} for counts of shape {counts.shape}; expected "
                f"{counts.shape[:-1]}, a number for each vector on the last axis."
            )
            raise ImpurityError(message, subject="value", found=np.shape(result), expected=counts.shape[:-1])
        return result

    def __call__(self, counts: Any) -> Any:
        array = np.asarray(counts)
        if array.ndim == 0:
            message = f"{self!r}: expected class counts, one number per class, but got {counts!r}."
            raise ImpurityError(message, subject="counts", found=counts)
        if self.exact and array.dtype.kind in "iu":
            array = array.astype(object)  # Python's whole numbers do not overflow
        result = self._checked_value(array)
        if array.ndim > 1:
            return result
        number = result.item() if isinstance(result, (np.generic, np.ndarray)) else result
        return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def non_negative_fraction(value: Any, what: str, subject: str) -> Fraction:
    """0.1 is one tenth; anything that is not a finite number of at least 0 is refused.

    A decimal is judged by its exponent before any arithmetic: 1e-999999999 written out would fill the memory.
    """
    if type(value) is Fraction and value >= 0:
        return value
    expected = ""
    try:
        if isinstance(value, (bool, str, np.bool_)) or not 0 <= value <= LARGEST:
            expected = "a finite number of at least 0 (and at most 1e100)"
        elif value and isinstance(value, Decimal) and value.adjusted() < -MAX_EXPONENT:
            expected = f"0 or a number of at least 1e-{MAX_EXPONENT}"
        elif value and isinstance(value, Decimal) and len(value.as_tuple().digits) > MAX_DIGITS:
            expected = f"at most {MAX_DIGITS} digits; round it"
    except (TypeError, ArithmeticError):
        expected = "a finite number of at least 0 (and at most 1e100)"
    if not expected:
        return Fraction(str(value)) if value else Fraction(0)
    try:
        shown = f"{value!r:.60}"
    except ValueError:  # Python itself refuses to write whole numbers of thousands of digits
        shown = "a number of thousands of digits"
    raise ImpurityError(f"{what} is {shown}; expected {expected}.", subject=subject, found=value, expected=expected)
