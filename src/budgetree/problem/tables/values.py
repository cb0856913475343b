"""Single values as people and libraries write them: which are missing, which are the same, which comes first."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from budgetree.problem.units import LARGEST_EXACT


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA: the values that are not equal to themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA refuses to be a truth value; so does a whole column, which is none
        return type(value).__name__ == "NAType"


def int_if_whole(number: float) -> float | int:
    """3 rather than 3.0."""
    return int(number) if number.is_integer() and abs(number) < LARGEST_EXACT else number


def plain_decimal(number: Decimal | str) -> int | Decimal:
    """A whole number as an int, with all of its digits."""
    exact = Decimal(number)
    return int(exact) if exact == exact.to_integral_value() else exact


def plain_value(value: Any) -> Any:
    """Python's own kind of value, where NumPy's or pandas' was in a table of objects."""
    if isinstance(value, timedelta) and not getattr(value, "nanoseconds", 0):
        return timedelta(value.days, value.seconds, value.microseconds)  # as which all libraries write it alike
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufUS" else value


def same_text(value: object, text: str) -> bool:
    """Whether a value of another kind would be written like that: true for True, a date with or without its time."""
    if isinstance(value, date):
        try:
            return datetime.fromisoformat(str(value)) == datetime.fromisoformat(text)
        except (TypeError, ValueError):  # no date, or only one of them with a time zone
            return False
    return str(value).casefold() == text.casefold()


def sort_key(value: Any) -> tuple[str, Any]:
    """Numbers among numbers, texts among texts; anything else by its text."""
    if isinstance(value, (bool, int, float, np.number)):
        return ("", value)
    return (type(value).__name__, value if isinstance(value, str) else str(value))
