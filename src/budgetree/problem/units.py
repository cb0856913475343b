"""Numbers that add up exactly: prices and weights become whole units before anyone sums them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_EXACT = 2**53  # float64 holds every whole number up to here, so sums below it are exact everywhere
# Significant digits of the total that are kept when the given ones cannot all be. Prices keep fewer, so that a budget
# written as a sum of floats still meets the sum of the prices.
PRICE_DIGITS = 12
WEIGHT_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Units:
    """Whole numbers that stand for amounts: amount = whole / scale."""

    whole: tuple[int, ...]
    scale: Fraction
    rounded: bool  # True when the amounts had more digits than fit and were rounded


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
    try:
        number = as_fraction(value, what)
    except ValueError as error:
        raise ValueError(f"{what} is {value!r}; {rule}.") from error
    if number < 0:
        raise ValueError(f"{what} is {value}; {rule}.")
    return number


def to_units(amounts: Sequence[Fraction]) -> Units:
    """Scale the amounts to whole numbers whose total stays exact in float64."""
    total = sum(amounts, Fraction(0))
    scale = _common_denominator(amounts, LARGEST_EXACT)
    if scale is not None and total * scale <= LARGEST_EXACT:
        return Units(tuple(int(a * scale) for a in amounts), Fraction(scale), rounded=False)
    grid = _grid(total, PRICE_DIGITS)
    return Units(tuple(round(a * grid) for a in amounts), grid, rounded=True)


def weights_to_units(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], Fraction]:
    """The same for a long array: whole units and their scale, without a Fraction per object."""
    total = float(weights.sum())
    for digits in range(10):
        power = 10.0**digits
        if total * power > LARGEST_EXACT:
            break
        whole = np.rint(weights * power)
        # Division rounds to the nearest float, so equality says: this decimal is what was given.
        if np.array_equal(whole / power, weights):
            return whole.astype(np.int64), Fraction(10**digits)
    grid = _grid(total, WEIGHT_DIGITS)
    return np.rint(weights * float(grid)).astype(np.int64), grid


def plain_number(amount: Fraction) -> int | float:
    """What a person wants to see: 3 rather than 3.0, 0.3 rather than 3/10."""
    return int(amount) if amount.denominator == 1 else float(amount)


def show_number(amount: Fraction | float) -> str:
    """A short text: 2, 17.61, 0.3333."""
    return f"{float(amount):.10g}" if _has_few_digits(amount) else f"{float(amount):.4g}"


def _grid(total: Fraction | float, digits: int) -> Fraction:
    """The power of ten that makes the total a whole number of about so many digits."""
    magnitude = len(str(math.ceil(total))) if total >= 1 else 1 - len(str(math.ceil(1 / Fraction(total))))
    return Fraction(10) ** (digits - magnitude)


def _has_few_digits(amount: Fraction | float) -> bool:
    return float(f"{float(amount):.10g}") == float(amount)


def _common_denominator(amounts: Iterable[Fraction], limit: int) -> int | None:
    common = 1
    for denominator in {amount.denominator for amount in amounts}:
        common = math.lcm(common, denominator)
        if common > limit:
            return None
    return common
