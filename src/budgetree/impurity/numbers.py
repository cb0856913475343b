"""Parameters as the exact numbers a person meant."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

LARGEST = 10**100


def non_negative_fraction(value: Any, what: str) -> Fraction:
    """0.1 is one tenth; anything that is not a finite number of at least 0 is refused."""
    if type(value) is Fraction and value >= 0:
        return value
    try:
        valid = not isinstance(value, (bool, str, np.bool_)) and 0 <= value <= LARGEST
    except TypeError:
        valid = False
    if not valid:
        raise ValueError(f"{what} is {value!r}; expected a finite number of at least 0 (and at most 1e100).")
    return Fraction(str(value))
