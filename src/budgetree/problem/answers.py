"""One answer to one test: from a raw value, or an outcome's name, to the outcome's code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from budgetree.problem.columns import Column, is_missing
from budgetree.problem.encoding import MISSING, UNSEEN, Categories, Levels
from budgetree.problem.schema import Schema

MOST_SHOWN = 20  # of the possible answers, in a message


def code_of(schema: Schema, test: int, value: Any) -> int:
    """The code that encoding a table with this raw value would give, UNSEEN for a value that no known case had."""
    if schema.encoders is None:
        known = isinstance(value, (int, np.integer)) and 0 <= value < schema.n_outcomes[test]
        return int(value) if known and not isinstance(value, bool) else UNSEEN
    encoder = schema.encoders[test]
    if isinstance(encoder, Levels):
        number = math.nan if is_missing(value) else _number(value)
        if number is None:
            return UNSEEN
        return int(encoder.encode(Column(encoder.name, "number", numbers=np.array([number])))[0])
    try:
        return int(encoder.encode(Column(encoder.name, "value", values=[value]))[0])
    except TypeError:  # a list or a dict is no key
        return UNSEEN


def read_answer(schema: Schema, test: int, value: Any) -> int:
    """code_of, and beyond it whatever a person may type: an outcome's name, a number as text.

    A value that stands for no outcome is refused with the list of the possible ones.
    """
    code = code_of(schema, test, value)
    names = schema.outcome_names[test]
    if code == UNSEEN and isinstance(value, (str, int, float, np.number)):
        text = str(value).strip()
        folded = [name.casefold() for name in names]
        if text in names:
            code = names.index(text)
        elif folded.count(text.casefold()) == 1:
            code = folded.index(text.casefold())
        elif (number := _parsed(text)) is not None:
            code = code_of(schema, test, number)
    if code == UNSEEN:
        raise ValueError(
            f"test {schema.test_names[test]!r}: {value!r:.60} is not one of its outcomes; "
            f"expected {possible_answers(schema, test)}."
        )
    return code


def _number(value: Any) -> float | None:
    """The value as a finite float; None where it is no number."""
    if isinstance(value, (bool, np.bool_, str, bytes)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _parsed(text: str) -> float | int | None:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if math.isfinite(number) else None
    return None


def possible_answers(schema: Schema, test: int) -> str:
    """What may be answered, in words."""
    encoder = schema.encoders[test] if schema.encoders is not None else None
    if isinstance(encoder, Levels):
        missing = f", or {MISSING!r}" if encoder.has_missing else ""
        return f"a number (the known ones run from {encoder.low:g} to {encoder.high:g}){missing}"
    names = schema.outcome_names[test]
    shown = ", ".join(repr(name) for name in names[:MOST_SHOWN])
    shown += f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    missing = f" (None means {MISSING})" if isinstance(encoder, Categories) and encoder.has_missing else ""
    return f"{shown}{missing}" if len(names) == 1 else f"one of {shown}{missing}"
