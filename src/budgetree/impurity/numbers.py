"""Parameters as the exact numbers a person meant."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any


def non_negative_fraction(value: Any, what: str) -> Fraction:
    """0.1 is one tenth; anything that is not a finite number of at least 0 is refused."""
    try:
        valid = not isinstance(value, (bool, str)) and math.isfinite(value) and value >= 0
    except TypeError:
        valid = False
    if not valid:
        raise ValueError(f"{what} is {value!r}; expected a finite number of at least 0.")
    return Fraction(str(value))
