"""How raw values become outcomes, and the prices, as entries of the model file."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from budgetree.data.encoders import Categories, ColumnEncoder, FineLevels, Levels
from budgetree.errors import ModelFileError
from budgetree.problem import Prices
from budgetree.problem.prices import OutcomePrices
from budgetree.services.words import counted, show_number

# A decimal or p/q, short enough that nothing can be hidden in it.
NUMBER = re.compile(r"\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?|\d{1,120}/\d{1,120}")


def _duration(text: str) -> timedelta:
    return timedelta(microseconds=int(text))


def _microseconds(value: timedelta) -> str:
    return str(value // timedelta(microseconds=1))


# What JSON has no type for: its name in the file, how it is written and read. A datetime is also a date: it goes first.
TAGGED: dict[str, tuple[type[Any], Callable[[Any], str], Callable[[str], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "microseconds": (timedelta, _microseconds, _duration),
    "decimal": (Decimal, str, Decimal),
    "float": (float, repr, float),  # the infinite ones
}


def encoding_content(encoder: ColumnEncoder) -> dict[str, Any]:
    """An encoder as JSON."""
    content: dict[str, Any]
    if isinstance(encoder, Levels):
        content = {"kind": "levels", "low": encoder.low, "high": encoder.high, "levels": int(encoder.levels)}
    elif isinstance(encoder, FineLevels):
        content = {"kind": "thresholds", "low": encoder.low, "high": encoder.high}
        content |= {"thresholds": list(encoder.thresholds), "means": list(encoder.values)}
    else:
        content = {"kind": "values", "values": [_value_content(encoder.name, value) for value in encoder.values]}
    return content | {"has_missing": encoder.has_missing}


def read_encoding(test: dict[str, Any]) -> ColumnEncoder:
    """The encoder of a test; its outcomes must be as many as the test's."""
    content, name = test["encoding"], test["name"]
    if content["kind"] != "values":
        low, high = float(content["low"]), float(content["high"])
        if not (low <= high and math.isfinite(high - low)):
            raise ModelFileError(f"test {name!r}: its levels run from {low} to {high}; expected a finite range.")
    encoder: ColumnEncoder
    if content["kind"] == "levels":
        encoder = Levels(name, low, high, int(content["levels"]), content["has_missing"])
        n_outcomes = encoder.levels + encoder.has_missing
    elif content["kind"] == "thresholds":
        encoder = FineLevels(name, *_read_thresholds(content, name), low, high, content["has_missing"])
        n_outcomes = encoder.levels + encoder.has_missing
    else:
        values = tuple(_read_value(name, value) for value in content["values"])
        if len(set(values)) < len(values):
            raise ModelFileError(f"test {name!r}: its encoding has a value twice; values must differ.")
        encoder = Categories(name, values, content["has_missing"])
        n_outcomes = len(values) + encoder.has_missing
    if n_outcomes != len(test["outcomes"]):
        raise ModelFileError(
            f"test {name!r} has {counted(len(test['outcomes']), 'outcome')}, but its encoding has {n_outcomes}; "
            "they must agree."
        )
    return encoder


def _read_thresholds(content: dict[str, Any], name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    thresholds, means = (tuple(map(float, content[key])) for key in ("thresholds", "means"))
    if not all(map(math.isfinite, (*thresholds, *means))):
        raise ModelFileError(f"test {name!r}: its thresholds and means must be finite numbers.")
    if any(after <= before for before, after in itertools.pairwise(thresholds)):
        raise ModelFileError(f"test {name!r}: its thresholds do not ascend.")
    if len(means) != len(thresholds) + 1:
        raise ModelFileError(
            f"test {name!r} has {counted(len(means), 'mean')} for {counted(len(thresholds), 'threshold')}; "
            "expected one more than thresholds."
        )
    return thresholds, means


def _value_content(column: str, value: Any) -> Any:
    if isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    for tag, (kind, write, read) in TAGGED.items():
        if isinstance(value, kind) and read(write(value)) == value:
            return {tag: write(value)}
    raise ValueError(
        f"column {column!r} holds {value!r:.60}, a {type(value).__name__}; a model file holds texts, numbers, "
        "booleans, dates and times. Convert the column before growing."
    )


def _read_value(column: str, value: Any) -> Any:
    if not isinstance(value, dict):
        if value != value or value in (math.inf, -math.inf):
            raise ModelFileError(f"test {column!r}: its encoding has the value {value}; expected a finite number.")
        return value
    ((tag, text),) = value.items()
    if tag not in TAGGED:
        raise ModelFileError(f"test {column!r}: a value is a {tag!r}; expected one of {', '.join(TAGGED)}.")
    try:
        found = TAGGED[tag][2](text)
        is_value = bool(found == found)  # a signalling NaN says so by an error
    except (ValueError, ArithmeticError) as error:
        raise ModelFileError(f"test {column!r}: {text!r:.40} is not a {tag}.") from error
    if not is_value:
        raise ModelFileError(f"test {column!r}: {text!r:.40} is not a value; a missing one is no entry of the list.")
    return found


def prices_content(prices: Prices) -> dict[str, Any]:
    """The prices as JSON."""

    def amount(price: OutcomePrices) -> Any:
        if isinstance(price, Fraction):
            return exact(price)
        return {outcome: exact(number) for outcome, number in price.items()}

    return {
        "tests": {name: amount(price) for name, price in prices.tests.items()},
        "default": None if prices.default is None else exact(prices.default),
        "shared": {
            name: {"fee": exact(entry.fee), "tests": list(entry.tests)} for name, entry in prices.shared.items()
        },
    }


def read_prices(content: dict[str, Any]) -> Prices:
    """Prices from a file's entry."""

    def amount(price: Any, what: str) -> Any:
        if isinstance(price, dict):
            return {outcome: read_number(number, f"{what}, outcome {outcome!r},") for outcome, number in price.items()}
        return read_number(price, what)

    default = content.get("default")
    return Prices(
        {name: amount(price, f"the price of test {name!r}") for name, price in content["tests"].items()},
        shared={
            name: (read_number(entry["fee"], f"the fee {name!r}"), entry["tests"])
            for name, entry in content["shared"].items()
        },
        default=None if default is None else read_number(default, "the default price"),
    )


def exact(number: Fraction) -> int | float | str:
    """A JSON number where it reads back as the same value, else "p/q"; an error where a file could not be read back."""
    written: int | float | str = str(number)
    if number.denominator == 1:
        written = int(number)
    elif Fraction(str(float(number))) == number:
        written = float(number)
    if not NUMBER.fullmatch(str(written)):
        raise ValueError(
            f"{show_number(number)} is written with {len(str(number))} digits, more than a model file holds; "
            "round prices and weights before growing."
        )
    return written


def read_number(value: Any, what: str) -> Fraction:
    """The fraction that `exact` wrote."""
    if not NUMBER.fullmatch(str(value)):
        raise ModelFileError(f"{what} is {value!r:.60}; expected a number of at least 0.")
    try:
        return Fraction(str(value))
    except ZeroDivisionError:
        raise ModelFileError(f"{what} is {value}; expected a number of at least 0.") from None
