"""Numbers that add up exactly: prices and weights become whole units before anyone sums them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_EXACT = 2**53  # float64 holds every whole number up to here, so sums below it are exact everywhere
# Significant digits of the total that are kept when the given ones cannot all be.
DIGITS = 15
SMALLEST, LARGEST = Fraction(1, 10**100), Fraction(10**100)  # beyond these, floats end
MAX_LOST = Fraction(1, 1000)  # the largest part of an amount that rounding may take or add


def as_fraction(value: Any, what: str) -> Fraction:
    """The number a person meant: 0.1 is one tenth, not the nearest binary fraction."""
    if type(value) is int:  # the usual case, and worth a short cut: growing a small tree takes microseconds
        return Fraction(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, Decimal, Rational, np.integer, np.floating)
    ):
        raise ValueError(f"{what} is {value!r}; expected a number.")
    if isinstance(value, (int, Rational, np.integer)):
        return Fraction(int(value.numerator), int(value.denominator))
    if not math.isfinite(value):
        raise ValueError(f"{what} is {value}; expected a finite number.")
    # str() gives the shortest decimal that reads back as the same float.
    return Fraction(str(value))


def non_negative(value: Any, what: str, rule: str) -> Fraction:
    """as_fraction, refusing what is below 0; `rule` says what would have been right."""
    if type(value) is int and 0 <= value <= LARGEST_EXACT:  # as above, a short cut for the usual case
        return Fraction(value)
    try:
        number = as_fraction(value, what)
    except ValueError as error:
        raise ValueError(f"{what} is {value!r}; {rule}.") from error
    if number < 0:
        raise ValueError(f"{what} is {value}; {rule}.")
    if number and not SMALLEST <= number <= LARGEST:
        raise ValueError(f"{what} is {value!r:.40}; expected 0 or a number between 1e-100 and 1e100.")
    return number


def common_scale(amounts: Sequence[Fraction]) -> Fraction:
    """What to multiply prices by, so that they are whole and their total stays exact in float64."""
    total = sum(amounts, Fraction(0))
    scale = _common_denominator(amounts, LARGEST_EXACT)
    if scale is not None and total * scale <= LARGEST_EXACT:
        return Fraction(scale)
    grid = _grid(total)
    for amount in amounts:
        if abs(round(amount * grid) - amount * grid) > MAX_LOST * amount * grid:
            raise ValueError(
                f"prices: {show_number(amount)} and a total of {show_number(total)} differ by too many orders of "
                "magnitude to be added exactly; round the prices to a common unit."
            )
    return grid


def weights_to_units(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], Fraction]:
    """The same for a long array: whole units and their scale, without a Fraction per object."""
    positive = weights[weights > 0]
    if positive.min() < float(SMALLEST) or positive.max() > float(LARGEST):
        raise ValueError("weights: expected 0 or numbers between 1e-100 and 1e100; divide all by a common factor.")
    total = float(weights.sum())
    for digits in range(10):
        power = 10.0**digits
        if total * power > LARGEST_EXACT:
            break
        whole = np.rint(weights * power)
        # Division rounds to the nearest float, so equality says: this decimal is what was given.
        if np.array_equal(whole / power, weights):
            return whole.astype(np.int64), Fraction(10**digits)
    grid = _grid(total)
    whole = np.rint(weights * float(grid))
    if (np.abs(whole - weights * float(grid)) > float(MAX_LOST) * whole)[weights > 0].any():
        raise ValueError(
            f"weights: {positive.min():g} and a total of {total:g} differ by too many orders of magnitude to be added "
            "exactly; leave out the smallest or scale them up."
        )
    return whole.astype(np.int64), grid


def plain_number(amount: Fraction) -> int | float:
    """What a person wants to see: 3 rather than 3.0, 0.3 rather than 3/10."""
    return int(amount) if amount.denominator == 1 else float(amount)


def show_number(amount: Fraction | float) -> str:
    """A short text: 2, 17.61, 0.3333, 193457.2."""
    number = float(amount)
    if float(f"{number:.10g}") == number:
        return f"{number:.10g}"
    return f"{number:.4g}" if abs(number) < 1000 else f"{number:.1f}"


def show_count(amount: Fraction | float, noun: str) -> str:
    """A number with what it counts: 1 error, 2 errors."""
    return f"{show_number(amount)} {noun if amount == 1 else noun + 's'}"


def _grid(total: Fraction | float) -> Fraction:
    """The power of ten that makes the total a whole number of DIGITS digits."""
    magnitude = len(str(math.ceil(total))) if total >= 1 else 1 - len(str(math.ceil(1 / Fraction(total))))
    return Fraction(10) ** (DIGITS - magnitude)


def _common_denominator(amounts: Iterable[Fraction], limit: int) -> int | None:
    common = 1
    for denominator in {amount.denominator for amount in amounts}:
        common = math.lcm(common, denominator)
        if common > limit:
            return None
    return common
