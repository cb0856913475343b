"""Parameters as the exact numbers a person meant."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

MAX_EXPONENT, MAX_DIGITS = 100, 120
LARGEST = 10**MAX_EXPONENT


def non_negative_fraction(value: Any, what: str) -> Fraction:
    """0.1 is one tenth; anything that is not a finite number of at least 0 is refused.

    A decimal is judged by its exponent before any arithmetic: 1e-999999999 written out would fill the memory.
    """
    if type(value) is Fraction and value >= 0:
        return value
    try:
        valid = not isinstance(value, (bool, str, np.bool_)) and 0 <= value <= LARGEST
    except (TypeError, ArithmeticError):
        valid = False
    if not valid:
        raise ValueError(f"{what} is {_shown(value)}; expected a finite number of at least 0 (and at most 1e100).")
    if not value:
        return Fraction(0)
    if isinstance(value, Decimal) and (value.adjusted() < -MAX_EXPONENT or len(value.as_tuple().digits) > MAX_DIGITS):
        raise ValueError(
            f"{what} is {value!r:.60}; expected 0 or a number of at least 1e-{MAX_EXPONENT}, of at most {MAX_DIGITS} "
            "digits. Round it."
        )
    return Fraction(str(value))


def _shown(value: Any) -> str:
    """A value for a message; Python itself refuses to write whole numbers of thousands of digits."""
    try:
        return f"{value!r:.60}"
    except ValueError:
        return "a number of thousands of digits"
