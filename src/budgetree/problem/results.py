"""One answer to one test: from a raw value, or an outcome's name, to the outcome's code."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from budgetree.data.column import Column, is_missing
from budgetree.data.encoders import UNSEEN, Categories, NumberEncoder
from budgetree.errors import ResultError
from budgetree.problem.schema import Schema
from budgetree.problem.units import finite_float

MAX_SHOWN = 20  # of the possible answers, in a message
# 15,000: thousands where people write them so, and a decimal comma elsewhere.
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3},[0-9]{3}")


def code_of(schema: Schema, test: int, value: Any) -> int:
    """The code that encoding a table with this raw value would give, UNSEEN for a value that no known case had.

    As in a table, what is not a number where numbers were learned is refused.
    """
    if hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
        name = schema.test_names[test]
        raise ResultError(f"test {name!r}: {value!r:.60} is not a single value.", subject=name, found=value)
    if schema.encoders is None:
        known = isinstance(value, (int, np.integer)) and 0 <= value < schema.n_outcomes[test]
        return int(value) if known and not isinstance(value, bool) else UNSEEN
    encoder = schema.encoders[test]
    if isinstance(encoder, NumberEncoder):
        is_text = isinstance(value, (bool, np.bool_, str, bytes))
        number = math.nan if is_missing(value) else finite_float(value)
        if number is None or is_text:
            raise _refusal(schema, test, value)
        return int(encoder.encode(Column(encoder.name, "number", numbers=np.array([number])))[0])
    if isinstance(value, Decimal) and not any(isinstance(known, Decimal) for known in encoder.values):
        value = float(value)  # as reading a table of decimals does
    return int(encoder.encode(Column(encoder.name, "value", values=[value]))[0])


def read_answer(schema: Schema, test: int, value: Any, *, any_number: bool = False) -> int:
    """code_of, and beyond it whatever a person may type: an outcome's name or label, a number as text.

    A value that stands for no outcome is refused with the list of the possible ones; so is, unless `any_number` will
    do, a number far beyond the known ones.
    """

    def code_as(kind: Callable[[Any], Any], given: Any) -> int:
        try:
            return code_of(schema, test, kind(given))
        except (ValueError, OverflowError):  # not read in this way
            return UNSEEN

    code, text = code_as(lambda given: given, value), _text(value)
    if code == UNSEEN and text is not None:
        for called in (schema.outcome_names[test], schema.wording.outcomes[test]):
            folded = [name.casefold() for name in called]
            if text in called:
                return called.index(text)
            if folded.count(text.casefold()) == 1:
                return folded.index(text.casefold())
        if THOUSANDS.fullmatch(text):
            whole, part = text.replace(",", ""), text.replace(",", ".")
            message = f"{text!r} is {whole} or {part}; write it without the comma, or with a decimal point."
            raise ResultError(message, subject=schema.test_names[test], found=value)
        plain = text.replace(",", ".") if text.count(",") == 1 else text  # 37,5 is a number where people write it so
        if "_" not in plain:  # which Python would take
            code = next((code for kind in (int, float) if (code := code_as(kind, plain)) != UNSEEN), UNSEEN)
    number, limits = finite_float((text or "").replace(",", ".")), schema.plausible_range(test)
    is_plausible = any_number or number is None or limits is None or limits[0] <= number <= limits[1]
    if code == UNSEEN or not is_plausible:
        raise _refusal(schema, test, value)
    return code


def _text(value: Any) -> str | None:
    """What a person typed, or a number that a program gave for a text."""
    if isinstance(value, str):
        return value.strip()
    is_short = isinstance(value, (float, np.number)) or (isinstance(value, int) and abs(value) < 10**18)
    return str(value) if is_short else None


def _refusal(schema: Schema, test: int, value: Any) -> ResultError:
    try:
        shown = f"{value!r:.60}"
    except ValueError:  # a number of thousands of digits
        shown = "that number"
    expected = possible_answers(schema, test)
    # It could be a result but for its size.
    is_numeric = isinstance(schema.encoder(test), NumberEncoder) and not isinstance(value, (bool, np.bool_))
    is_number = is_numeric and finite_float((_text(value) or "").replace(",", ".")) is not None
    found = "is far beyond the known values" if is_number else "is not one of its outcomes"
    message = f"test {schema.wording.tests[test]!r}: {shown} {found}; expected {expected}."
    return ResultError(message, subject=schema.test_names[test], found=value, expected=expected)


def possible_answers(schema: Schema, test: int) -> str:
    """What may be answered, in words."""
    encoder, names = schema.encoder(test), schema.wording.outcomes[test]
    if isinstance(encoder, NumberEncoder) and schema.is_measured(test):
        labelled = schema.wording.labelled[test] | ({encoder.levels} if encoder.has_missing else set())
        others = "".join(f", or {names[place]!r}" for place in sorted(labelled))
        return f"a number (the known ones run from {encoder.low:g} to {encoder.high:g}){others}"
    shown = ", ".join(repr(name) for name in names[:MAX_SHOWN])
    shown += f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
    missing = f" (None means {names[-1]})" if isinstance(encoder, Categories) and encoder.has_missing else ""
    return f"{shown}{missing}" if len(names) == 1 else f"one of {shown}{missing}"
