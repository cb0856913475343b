"""How raw values become outcomes, prices, losses and labels, as entries of the model file."""

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
from budgetree.errors import ModelFileError, TableError, TreeError, Where
from budgetree.problem import Labels, Losses, Prices, Schema
from budgetree.problem.prices import AmountList, Limit, OutcomePrices
from budgetree.services.words import counted, show_number

# A decimal or p/q, short enough that nothing can be hidden in it.
NUMBER = re.compile(r"\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?|\d{1,120}/\d{1,120}")


def flaw(entry: str, found: Any, expected: str) -> ModelFileError:
    """What is wrong with an entry of a file."""
    message = f"{found!r:.60} is not allowed; expected {expected}."
    return ModelFileError(message, found=found, expected=expected, where=Where(entry=entry))


MICROSECOND = timedelta(microseconds=1)
# What JSON has no type for: its name in the file, how it is written and read. A datetime is also a date: it goes first.
TAGGED: dict[str, tuple[type[Any], Callable[[Any], str], Callable[[str], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "microseconds": (timedelta, lambda value: str(value // MICROSECOND), lambda text: int(text) * MICROSECOND),
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
        content |= {"ordered": True} if encoder.is_ordered else {}
    return content | {"has_missing": encoder.has_missing}


def read_encoding(test: dict[str, Any], entry: str) -> ColumnEncoder:
    """The encoder of a test; its outcomes must be as many as the test's, where these are named."""
    content, name = test["encoding"], test["name"]
    has_missing = content["has_missing"]
    encoder: ColumnEncoder
    if content["kind"] == "values":
        values = tuple(_read_value(value, f"{entry}.values[{k}]") for k, value in enumerate(content["values"]))
        if len(set(values)) < len(values):
            raise flaw(f"{entry}.values", content["values"], "values that differ")
        encoder = Categories(name, values, has_missing, content.get("ordered", False))
        n_outcomes = len(values) + has_missing
    else:
        low, high = float(content["low"]), float(content["high"])
        if not (low <= high and math.isfinite(high - low)):
            raise flaw(entry, (low, high), "a finite range from low to high")
        if content["kind"] == "levels":
            encoder = Levels(name, low, high, int(content["levels"]), has_missing)
        else:
            encoder = FineLevels(name, *_read_thresholds(content, entry), low, high, has_missing)
        n_outcomes = encoder.levels + has_missing
    if n_outcomes != len(test.get("outcomes", encoder.outcome_names)):
        raise flaw(entry, n_outcomes, f"{counted(len(test['outcomes']), 'outcome')}, as many as the test has")
    return encoder


def _read_thresholds(content: dict[str, Any], entry: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    thresholds, means = (tuple(map(float, content[key])) for key in ("thresholds", "means"))
    if not all(map(math.isfinite, (*thresholds, *means))):
        raise flaw(entry, (thresholds, means), "thresholds and means that are finite numbers")
    if any(after <= before for before, after in itertools.pairwise(thresholds)):
        raise flaw(f"{entry}.thresholds", thresholds, "ascending numbers")
    if len(means) != len(thresholds) + 1:
        raise flaw(f"{entry}.means", len(means), f"{len(thresholds) + 1} means, one more than thresholds")
    return thresholds, means


def _value_content(column: str, value: Any) -> Any:
    if isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    for tag, (kind, write, read) in TAGGED.items():
        if isinstance(value, kind) and read(write(value)) == value:
            return {tag: write(value)}
    message = f"column {column!r} holds {value!r:.60}, a {type(value).__name__}; a model file holds texts, numbers, "
    message += "booleans, dates and times. Convert the column before growing."
    raise TableError(message, subject=column, found=value)


def _read_value(value: Any, entry: str) -> Any:
    if not isinstance(value, dict):
        if value != value or value in (math.inf, -math.inf):
            raise flaw(entry, value, "a finite number")
        return value
    ((tag, text),) = value.items()
    if tag not in TAGGED:
        raise flaw(entry, tag, f"one of {', '.join(TAGGED)}")
    try:
        found = TAGGED[tag][2](text)
        is_value = bool(found == found)  # a signalling NaN says so by an error
    except (ValueError, ArithmeticError) as error:
        raise flaw(entry, text, f"a {tag}") from error
    if not is_value:
        raise flaw(entry, text, "a value; a missing one is not listed")
    return found


def prices_content(prices: Prices) -> dict[str, Any]:
    """The prices as JSON, with the rules that there are."""
    limits = {
        name: {"max": exact(limit.max), "unit": limit.unit, **_amounts_content(limit)}
        for name, limit in prices.limits.items()
    }
    panels = {
        name: {"tests": list(panel.tests), "amounts": {of: exact(amount) for of, amount in panel.amounts.items()}}
        for name, panel in prices.panels.items()
    }
    order = {name: after.written for name, after in prices.order.items()}
    rules = {"limits": limits, "panels": panels, "order": order, "first": list(prices.first)}
    return _amounts_content(prices) | {name: rule for name, rule in rules.items() if rule}


def _amounts_content(amounts: AmountList) -> dict[str, Any]:
    def amount(price: OutcomePrices) -> Any:
        return exact(price) if isinstance(price, Fraction) else {name: exact(number) for name, number in price.items()}

    tests = {name: amount(price) for name, price in amounts.tests.items()}
    shared = {name: {"fee": exact(entry.fee), "tests": list(entry.tests)} for name, entry in amounts.shared.items()}
    return {"tests": tests, "default": exact(amounts.default), "shared": shared}


def read_prices(content: dict[str, Any]) -> Prices:
    """Prices from a file's entry."""
    limits = dict[str, Limit]()
    for name, entry in content.get("limits", {}).items():
        where = f"prices.limits.{name}"
        most = read_number(entry["max"], f"{where}.max")
        limits[name] = Limit(most, **_read_amounts(entry, where), unit=entry["unit"])
    panels = {
        name: {"tests": entry["tests"]}
        | {of: read_number(amount, f"prices.panels.{name}.{of}") for of, amount in entry["amounts"].items()}
        for name, entry in content.get("panels", {}).items()
    }
    rules = {"limits": limits, "panels": panels, "order": content.get("order"), "first": content.get("first")}
    return Prices(**_read_amounts(content, "prices") | rules)


def _read_amounts(content: dict[str, Any], where: str) -> dict[str, Any]:
    def amount(price: Any, entry: str) -> Any:
        if isinstance(price, dict):
            return {outcome: read_number(number, f"{entry}.{outcome}") for outcome, number in price.items()}
        return read_number(price, entry)

    shared = {
        name: (read_number(entry["fee"], f"{where}.shared.{name}.fee"), entry["tests"])
        for name, entry in content["shared"].items()
    }
    tests = {name: amount(price, f"{where}.tests.{name}") for name, price in content["tests"].items()}
    return {"tests": tests, "shared": shared, "default": read_optional(content["default"], f"{where}.default")}


def losses_content(schema: Schema) -> dict[str, Any] | None:
    """The losses as JSON, a row per class: the answers that are not classes, and a loss per class and answer."""
    if schema.losses is None:
        return None
    table = schema.loss_table
    rows = [[exact(Fraction(units) / table.scale) for units in row] for row in table.units.tolist()]
    return {"answers": list(table.answers[table.n_classes :]), "losses": rows}


def read_losses(content: dict[str, Any] | None, n_classes: int) -> Losses | None:
    """Losses from a file's entry; there must be as many as classes and answers ask for."""
    if content is None:
        return None
    answers, rows = content["answers"], content["losses"]
    width = n_classes + len(answers)
    if len(set(answers)) < len(answers):
        raise flaw("losses.answers", answers, "names that differ")
    if len(rows) != n_classes or any(len(row) != width for row in rows):
        shape = f"a row for each of {n_classes} classes, with {width} numbers: one per class, then per further answer"
        raise flaw("losses.losses", rows, shape)
    numbers = [
        [read_number(loss, f"losses.losses[{true}][{answer}]") for answer, loss in enumerate(row)]
        for true, row in enumerate(rows)
    ]
    extra = {name: [row[n_classes + number] for row in numbers] for number, name in enumerate(answers)}
    return Losses([row[:n_classes] for row in numbers], answers=extra)


def labels_content(schema: Schema) -> dict[str, Any] | None:
    """The labels of tests and answers, as JSON; null for one that has none."""
    if schema.labels is None:
        return None
    words = schema.wording

    def entry(name: str, label: str, explained: str) -> dict[str, Any]:
        return ({} if label == name else {"name": label}) | ({"help": explained} if explained else {})

    tests = []
    for test, labelled in enumerate(words.labelled):
        outcomes = {schema.outcome_names[test][k]: words.outcomes[test][k] for k in sorted(labelled)}
        named = entry(schema.test_names[test], words.tests[test], words.test_help[test])
        tests.append(named | ({"outcomes": outcomes} if outcomes else {}) or None)
    answers = zip(map(str, schema.answer_names), words.answers, words.answer_help, strict=True)
    return {"unit": words.unit, "tests": tests, "answers": [entry(*answer) or None for answer in answers]}


def read_labels(content: dict[str, Any] | None, schema: Schema) -> Schema:
    """The schema with the labels of a file's entry, which must fit."""
    if content is None:
        return schema
    entries = []
    for what, names in (("tests", schema.test_names), ("answers", schema.answer_names)):
        if len(content[what]) != len(names):
            raise flaw(f"labels.{what}", len(content[what]), f"{len(names)} entries, one for each (null: no label)")
        entries.append({name: entry for name, entry in zip(names, content[what], strict=True) if entry is not None})
    return schema.labelled(Labels(*entries, unit=content["unit"]))


def exact(number: Fraction | None) -> int | float | str | None:
    """A JSON number where it reads back as the same value, else "p/q"; an error where a file could not be read back."""
    if number is None:
        return None
    written: int | float | str = str(number)
    if number.denominator == 1:
        written = int(number)
    elif Fraction(str(float(number))) == number:
        written = float(number)
    if not NUMBER.fullmatch(str(written)):
        message = f"{show_number(number)} is written with {len(str(number))} digits, more than a model file holds; "
        raise TreeError(message + "round prices and weights before growing.", found=number)
    return written


def read_number(value: Any, entry: str) -> Fraction:
    """The fraction that `exact` wrote."""
    try:
        if NUMBER.fullmatch(str(value)):
            return Fraction(str(value))
    except ZeroDivisionError:
        pass
    raise flaw(entry, value, "a number of at least 0")


def read_optional(value: Any, entry: str) -> Fraction | None:
    """The same, or None."""
    return None if value is None else read_number(value, entry)
