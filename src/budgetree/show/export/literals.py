"""Values as Python writes them."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any


def literal(value: Any) -> str:
    """The source of a value; datetime and decimal are modules there."""
    if isinstance(value, float) and math.isinf(value):
        return f"float('{value}')"
    if isinstance(value, Decimal):
        return f"decimal.Decimal('{value}')"
    if isinstance(value, timedelta):
        return f"datetime.timedelta(microseconds={value // timedelta(microseconds=1)})"
    for kind in (datetime, date, time):  # a datetime is also a date
        # Python's own kinds know no nanoseconds, of which a text has nine digits.
        if isinstance(value, kind) and not getattr(value, "nanosecond", 0):
            return f"datetime.{kind.__name__}.fromisoformat('{value.isoformat()}')"
    if type(value) not in (str, bytes, bool, int, float):
        raise ValueError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as Python.")
    return repr(value)
