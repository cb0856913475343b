"""Numbers that add up exactly: prices and weights become whole units before they are summed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import BudgetreeError, LossesError, PricesError, SettingError
from budgetree.services.words import counted, show_number

# Significant digits of the total that are kept when the given ones cannot all be.
DIGITS = 15
MAX_EXPONENT = 30
MAX_DECIMALS = 9  # of weights that are taken as they are written
AMOUNTS = f"0 or a number between 1e-{MAX_EXPONENT} and 1e{MAX_EXPONENT}"
MAX_DIGITS = 120  # of one amount
SMALLEST, LARGEST = Fraction(1, 10**100), Fraction(10**100)  # what a scale of units may be
SUMMED_AT_ONCE = 2**25  # halves of floats, of at most 27 bits, so that floats hold their sums
MAX_LOST = Fraction(1, 1000)  # the largest part of an amount that rounding may take or add
TOO_FAR_APART = "differ by too many orders of magnitude to be added exactly"

BITS_PER_DIGIT = math.log2(10)
NUMBERS = (float, Decimal, Rational, np.floating)  # whole numbers of any kind are rational


def non_negative(
    value: Any,
    what: str,
    rule: str,
    max_exponent: int = MAX_EXPONENT,
    *,
    error: type[BudgetreeError] = SettingError,
    subject: str | None = None,
) -> Fraction:
    """The number a person meant, 0.1 being one tenth and not the nearest binary fraction.

    What is below 0, not finite or not a number is refused with the rule; what is too large or too small by its range,
    which is known from the exponent before any arithmetic: 1e-999999999 written out would fill the memory.
    """
    if type(value) is int and 0 <= value <= LARGEST_EXACT:  # the usual case: growing a small tree takes microseconds
        return Fraction(value)

    def refused(expected: str) -> BudgetreeError:
        return error(f"{what} is {_shown(value)}; {expected}.", subject=subject or what, found=value, expected=expected)

    if isinstance(value, (bool, np.bool_)) or not isinstance(value, NUMBERS):
        raise refused(rule)
    is_finite, exponent, n_digits = True, 0, 1
    if isinstance(value, Decimal):
        is_finite, n_digits = value.is_finite(), len(value.as_tuple().digits)
        exponent = value.adjusted() if value else 0
    elif isinstance(value, Rational):
        top, bottom = _bits(value)
        n_digits = math.ceil(max(top, bottom) / BITS_PER_DIGIT)
        exponent = math.ceil(abs(top - bottom) / BITS_PER_DIGIT) if value else 0
    else:
        is_finite = math.isfinite(value)
    if not is_finite:
        raise refused(rule)
    in_range = f"expected 0 or a number between 1e-{max_exponent} and 1e{max_exponent}"
    if abs(exponent) > max_exponent + 1:
        raise refused(in_range)
    if n_digits > MAX_DIGITS:
        message = f"{what} has about {n_digits:,} digits; expected at most {MAX_DIGITS}. Round it."
        raise error(message, subject=subject or what, found=n_digits, expected=MAX_DIGITS)
    number = as_fraction(value)
    if number < 0:
        raise refused(rule)
    if number and not Fraction(1, 10**max_exponent) <= number <= 10**max_exponent:
        raise refused(in_range)
    return number


def check_weights(weights: Iterable[Any], what: str = "weights") -> None:
    """An error where a float would silently be 0 or infinity; what is not an exact number is left to others."""
    if isinstance(weights, np.ndarray) and weights.dtype.kind != "O":
        return
    for value in weights:
        if isinstance(value, (Decimal, Rational)) and not isinstance(value, bool):
            non_negative(value, f"{what}: there", "weights must be finite and at least 0", subject=what)


def is_unlimited(limit: Any) -> bool:
    """None, or infinity of any kind of number."""
    if isinstance(limit, Decimal):
        return limit.is_infinite() and limit > 0
    return limit is None or (isinstance(limit, (float, np.floating)) and limit == math.inf)


def common_scale(amounts: Sequence[Fraction]) -> Fraction:
    """What to multiply prices by, so that they are whole and their total stays exact in float64."""
    total, scale = sum(amounts, Fraction(0)), 1
    for denominator in {amount.denominator for amount in amounts}:
        scale = math.lcm(scale, denominator)
        if scale > LARGEST_EXACT:
            break
    if scale <= LARGEST_EXACT and total * scale <= LARGEST_EXACT:
        return Fraction(scale)
    grid = _grid(total)
    for amount in amounts:
        if abs(round(amount * grid) / grid - amount) > MAX_LOST * amount:
            message = f"prices: {show_number(amount)} and a total of {show_number(total)} {TOO_FAR_APART}"
            raise PricesError(f"{message}; round the prices to a common unit.", found=amount)
    return grid


@dataclass(frozen=True, slots=True)
class WeightFacts:
    """What weights have in common, found part by part: enough to say which unit makes all of them whole."""

    exact_total: Fraction  # so that it does not depend on the parts
    smallest: float  # of those above 0; infinity if it is missing
    largest: float
    decimals: int  # that say all of them exactly; MAX_DECIMALS + 1 where these are too few

    @classmethod
    def of(cls, weights: NDArray[np.float64]) -> WeightFacts:
        """Of an array of finite numbers of at least 0; an error where one is not."""
        _check_finite(weights)
        positive = weights[weights > 0]
        ends = (float(positive.min()), float(positive.max())) if len(positive) else (math.inf, 0.0)
        # Division rounds to the nearest float, so equality says: this decimal is what was given.
        exact = (d for d in range(MAX_DECIMALS + 1) if np.array_equal(np.rint(weights * 10.0**d) / 10.0**d, weights))
        return cls(exact_sum(weights), *ends, next(exact, MAX_DECIMALS + 1))

    @property
    def total(self) -> float:
        return float(self.exact_total)

    def __add__(self, other: WeightFacts) -> WeightFacts:
        return WeightFacts(
            self.exact_total + other.exact_total,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
            max(self.decimals, other.decimals),
        )

    def scale(self, max_total: int = LARGEST_EXACT) -> Fraction:
        """How many units make a weight of one."""
        if not self.exact_total:
            raise SettingError("weights: every weight is 0; at least one case must count.", subject="weights", found=0)
        for extreme in (self.smallest, self.largest):
            if 0 < extreme < math.inf and not 10.0**-MAX_EXPONENT <= extreme <= 10.0**MAX_EXPONENT:
                message = f"weights: there is {extreme:g}; expected {AMOUNTS}. Divide all by a common factor."
                raise SettingError(message, subject="weights", found=extreme, expected=AMOUNTS)
        if self.decimals <= MAX_DECIMALS and self.total * 10.0**self.decimals <= max_total:
            return Fraction(10**self.decimals)
        return _grid(self.total, min(DIGITS, len(str(max_total)) - 1))

    def units(self, weights: NDArray[np.float64], scale: Fraction) -> NDArray[np.int64]:
        """Some of the weights in whole units."""
        _check_finite(weights)
        exact = weights * float(scale)
        whole = np.rint(exact)
        is_exact = self.decimals <= MAX_DECIMALS and scale == 10**self.decimals
        if not is_exact and (np.abs(whole - exact) > float(MAX_LOST) * whole)[weights > 0].any():
            message = f"weights: {self.smallest:g} and a total of {self.total:g} {TOO_FAR_APART}"
            remedy = "leave out the smallest or scale them up"
            raise SettingError(f"{message}; {remedy}.", subject="weights", found=self.smallest)
        return whole.astype(np.int64)


def _check_finite(weights: NDArray[np.float64]) -> None:
    if len(bad := np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))):
        found = float(weights[bad[0]])
        message = f"weights: row {bad[0]} has weight {found}; weights must be finite and at least 0."
        raise SettingError(message, subject="weights", found=found)


def exact_sum(amounts: NDArray[np.float64]) -> Fraction:
    """The sum of finite floats, which are whole numbers of 53 bits times powers of two; no order changes it."""
    with np.errstate(over="ignore"):
        rounded = float(amounts.sum())
    if abs(rounded) < LARGEST_EXACT and (amounts >= 0).all() and (amounts == np.rint(amounts)).all():
        return Fraction(rounded)  # the usual case: whole numbers
    total = Fraction(0)
    for first in range(0, len(amounts), SUMMED_AT_ONCE):
        mantissas, exponents = np.frexp(amounts[first : first + SUMMED_AT_ONCE])
        digits, lowest = np.ldexp(mantissas, 53).astype(np.int64), int(exponents.min())
        for part, exponent in ((digits >> 27, lowest - 26), (digits & (2**27 - 1), lowest - 53)):
            sums = np.bincount(exponents - lowest, weights=part)
            total += sum(int(one) * Fraction(2) ** (exponent + bit) for bit, one in enumerate(sums.tolist()) if one)
    return total


def weights_to_units(
    weights: NDArray[np.float64], max_total: int = LARGEST_EXACT
) -> tuple[NDArray[np.int64], Fraction]:
    """The same for a long array: whole units and their scale, without a Fraction per case.

    A total below the largest leaves room to multiply the units, as losses do.
    """
    facts = WeightFacts.of(weights)
    scale = facts.scale(max_total)
    return facts.units(weights, scale), scale


def units_for_losses(
    units: NDArray[np.int64], scale: Fraction, largest_loss: int
) -> tuple[NDArray[np.int64], Fraction]:
    """Weight units and scale whose products with loss units stay exact: weights of many digits get fewer."""
    max_total = (LARGEST_EXACT - 1) // max(1, largest_loss)
    if (total := int(units.sum())) <= max_total or largest_loss <= 1:
        return units, scale
    try:
        fewer, scale = weights_to_units(units / float(scale), max_total)
    except SettingError:
        fewer = units
    if int(fewer.sum()) > max_total:
        raise too_fine_losses(largest_loss, total)
    return fewer, scale


def too_fine_losses(largest: int, total: int) -> LossesError:
    """For losses whose products with the cases' weight are beyond exact numbers."""
    return LossesError(
        f"losses: the largest is {largest:.4g} times the unit that makes all of them whole, and the cases count "
        f"{total:.4g} units of weight; expected a product below 9e15. Round the losses or the weights to fewer digits.",
        found=largest,
    )


def plain_number(amount: Fraction) -> int | float:
    """What a person wants to see: 3 rather than 3.0, 0.3 rather than 3/10."""
    return int(amount) if amount.denominator == 1 else float(amount)


def plain_numbers(value: Any) -> Any:
    """The same at any depth of mappings and tuples."""
    if isinstance(value, Mapping):
        return {key: plain_numbers(entry) for key, entry in value.items()}
    return list(map(plain_numbers, value)) if isinstance(value, tuple) else plain_number(value)


def _grid(total: Fraction | float, digits: int = DIGITS) -> Fraction:
    """The power of ten that makes the total a whole number of so many digits."""
    magnitude = len(str(math.ceil(total))) if total >= 1 else 1 - len(str(math.ceil(1 / Fraction(total))))
    return Fraction(10) ** (digits - magnitude)


def as_fraction(value: Any) -> Fraction:
    """The number that is written, exactly."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    # str() gives the shortest decimal that reads back as the same float.
    return Fraction(value if isinstance(value, Decimal) else str(value))


def finite_float(value: Any) -> float | None:
    """The value as a finite float; None where it is not one, nor is "1_000", which Python would take."""
    try:
        number = math.nan if isinstance(value, str) and "_" in value else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _bits(value: Rational) -> tuple[int, int]:
    """The lengths of numerator and denominator."""
    return abs(int(value.numerator)).bit_length(), int(value.denominator).bit_length()


def _shown(value: Any) -> str:
    """A value for a message, short; Python itself refuses to write numbers of thousands of digits."""
    try:
        return f"{value!s:.40}" if isinstance(value, NUMBERS) else f"{value!r:.60}"
    except ValueError:
        if not isinstance(value, Rational):
            return f"a {type(value).__name__}"
        top, bottom = _bits(value)
        return f"about {'-' if value < 0 else ''}1e{round((top - bottom) / BITS_PER_DIGIT)}"


def weight_units(weights: Any, n_cases: int) -> tuple[NDArray[np.int64], Fraction]:
    if weights is None:
        return np.ones(n_cases, dtype=np.int64), Fraction(1)

    def refused(found: object, message: str, expected: object = None) -> SettingError:
        return SettingError(f"weights: {message}.", subject="weights", found=found, expected=expected)

    try:
        given = np.asarray(weights)
    except ValueError:  # rows of several lengths
        raise refused(weights, "expected one number per case, but there are lists of several lengths") from None
    if given.shape != (n_cases,):
        message = f"shape {given.shape} for {counted(n_cases, 'case')}; expected one weight for each"
        raise refused(given.shape, message, (n_cases,))
    check_weights(given)
    try:
        array = given.astype(np.float64)
    except (TypeError, ValueError):
        wrong = next((value for value in given.tolist() if finite_float(value) is None), given[0])
        raise refused(wrong, f"there is {wrong!r:.60}; expected one number per case") from None
    return weights_to_units(array)
