"""Columns, values and conditions as SQL writes them."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from budgetree.problem import Schema
from budgetree.show.export.conditions import Condition


def column(name: str) -> str:
    """A column's name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def condition_words(quoted: str, taken: Condition) -> str:
    """When the value of a column takes a branch."""
    parts = [f"{quoted} IS NULL"] if taken.missing else []
    for span in taken.ranges:
        limits = [f"{quoted} >= {literal(span.low)}"] if span.low is not None else []
        limits += [f"{quoted} < {literal(span.high)}"] if span.high is not None else []
        parts.append(" AND ".join(limits) if limits else f"{quoted} IS NOT NULL")
    if taken.values:
        parts.append(f"{quoted} IN ({', '.join(map(literal, taken.values))})")
    return " OR ".join(parts) if parts else "FALSE"


def answer_literals(schema: Schema) -> list[str]:
    """The classes and other answers as values of one type, as those of one expression are."""
    names = schema.answer_names
    if len({str(name) for name in names}) < len(names):
        raise ValueError(f"classes {names!r:.80} look alike as text; SQL could not tell them apart.")
    kinds = {next(kind for kind in (bool, str, object) if isinstance(name, kind)) for name in names}
    return [literal(name if len(kinds) == 1 else str(name)) for name in names]


def literal(value: Any) -> str:
    """A value that reads back as the same one."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        # With an exponent the literal is a double; without, some engines make it a decimal and compare otherwise.
        if not math.isfinite(value):
            return f"CAST('{value}' AS DOUBLE PRECISION)"
        return repr(value) if "e" in repr(value) else f"{value!r}e0"
    if isinstance(value, (int, Decimal)):
        return str(value)
    if isinstance(value, datetime):
        kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMP WITH TIME ZONE"
        return f"{kind} '{value.isoformat(' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, time):
        return f"TIME '{value.isoformat()}'"
    if isinstance(value, timedelta):
        return f"INTERVAL '{value // timedelta(microseconds=1)} microseconds'"
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as SQL.")
    return "'" + value.replace("'", "''") + "'"
