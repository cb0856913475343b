"""The settings file of a user: prices, losses, orders and labels, parsed once; in TOML, or prices alone as a table.

docs/guide/prices.md, rules.md, losses.md and labels.md say what may be in it; [order_of] lists what a test shows, from
the least to the greatest.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from budgetree.data.column import first_row, is_missing
from budgetree.data.source import Reading, read_table
from budgetree.data.table import check_column
from budgetree.errors import BudgetreeError, FileError, LossesError, PricesError, Where
from budgetree.problem.labels import Labels
from budgetree.problem.losses import Losses
from budgetree.problem.prices import PRICE_ENTRIES, PRICE_TABLES, PRICE_VALUES, Prices
from budgetree.problem.units import AMOUNTS

TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".gz", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet")
TABLES = (*PRICE_TABLES, "losses", "answers", "order_of", "labels")
ENTRIES = f"{PRICE_ENTRIES}, [losses] and [answers], [order_of], or [labels]"
EXAMPLE = (
    'One entry per line, as in: "blood test" = 12.50 (a price), cancer = 50 (a loss) or 1 = "ill" (a label); names '
    "with spaces or special letters need quotes."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says; None for what it says nothing about."""

    prices: Prices | None = None
    losses: Losses | None = None
    labels: Labels | None = None
    order_of: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # per test named, its values in order
    left_out: Sequence[str] = ()  # columns that are not tests, with what may only follow some of them

    def leaving_out(self, columns: Sequence[str]) -> tuple[Settings, tuple[str, ...]]:
        """What it says of others, and the tests that are left out, too, as they may only follow some of these."""
        prices, needing = (None, ()) if self.prices is None else self.prices.leaving_out(columns)
        left_out = (*columns, *needing)
        labels = None if self.labels is None else self.labels.without(left_out)
        order_of = {name: values for name, values in self.order_of.items() if name not in left_out}
        return replace(self, prices=prices, labels=labels, order_of=order_of, left_out=left_out), needing


def read_settings(path: str | Path, reading: Reading | None = None) -> Settings:
    """A file of any kind: a table of prices by the end of its name, and else TOML; with the marks in its numbers."""
    if Path(path).suffix.casefold() in TABLE_SUFFIXES:
        return Settings(_price_table(path, reading or Reading()))
    return read_toml(path)


def read_toml(path: str | Path) -> Settings:
    """A file in TOML; numbers keep all their digits."""
    try:
        content = _parse(Path(path))
        return Settings(_prices(content), _losses(content), Labels.of(content.get("labels")), _orders(content))
    except BudgetreeError as error:
        error.at(Where(str(path)))
        raise


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:  # an exponent that no decimal can hold
        raise FileError(f"there is the number {text:.40}; expected {AMOUNTS}.", expected=AMOUNTS) from error


def _parse(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=_decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"not a TOML file: {error}. {EXAMPLE}") from error
    except FileError:
        raise
    except ValueError as error:  # Python reads no more than 4300 digits
        message = f"there is a whole number of thousands of digits; expected {AMOUNTS}."
        raise FileError(message, expected=AMOUNTS) from error
    except RecursionError as error:
        raise FileError(f"there are brackets within brackets without end; expected {ENTRIES}.") from error
    for name, entry in content.items():
        if name not in (*PRICE_VALUES, *TABLES):
            hint = " The unit of prices stands in [labels]." if name == "unit" else ""
            raise FileError(f"unknown entry {name!r}; expected {ENTRIES}.{hint}", subject=name, expected=ENTRIES)
        if name in TABLES and not isinstance(entry, dict):
            raise FileError(f"{name!r} must be a table; write [{name}].", subject=name, found=entry)
    return content


def _prices(content: dict[str, Any]) -> Prices | None:
    given = {name: content[name] for name in (*PRICE_VALUES, *PRICE_TABLES) if name in content}
    return Prices(**{"tests": {}} | given) if given else None


def _losses(content: dict[str, Any]) -> Losses | None:
    if content.keys().isdisjoint(("losses", "answers")):
        return None
    for name, entry in content.get("answers", {}).items():
        if isinstance(entry, list):  # whose order would be that of the classes
            expected = f"{name} = 4, or a table [answers.{name}] with a number for each class"
            raise LossesError(f"[answers] has a list at {name!r}; expected {expected}.", subject=name, found=entry)
    return Losses(content.get("losses", {}), answers=content.get("answers", {}))


def _orders(content: dict[str, Any]) -> dict[str, list[Any]]:
    orders: dict[str, list[Any]] = content.get("order_of", {})
    for name, values in orders.items():
        if not isinstance(values, list) or not values or any(isinstance(value, (dict, list)) for value in values):
            expected = f'{name} = ["mild", "severe"], its values from the least to the greatest'
            message = f"[order_of] has {values!r:.60} at {name!r}; expected {expected}."
            raise FileError(message, subject=name, found=values, expected=expected)
    return orders


def _price_table(path: str | Path, reading: Reading) -> Prices:
    """A test and its price per row, in the columns `test` and `price`; other columns do not matter.

    The marks of the reading count where the list leaves open what its own mean: it may be written as no table is.
    """
    table = read_table(str(path)).without_empty_rows()
    by_name = {name.casefold(): name for name in table.names}
    if not {"test", "price"} <= set(by_name):
        message = f"a price list has the columns test and price; there are: {', '.join(table.names)}."
        raise PricesError(message, found=tuple(table.names), expected=("test", "price"), where=Where(table.source))
    columns = [table.column(by_name[name]) for name in ("test", "price")]
    cells = (column.to_list() if column.texts is None else column.texts for column in columns)  # as they are written
    prices: dict[str, Any] = {}
    written = columns[1].written
    if first_row(columns[1], written.is_ambiguous) is not None and (reading.decimal or reading.thousands):
        written = reading.number_format()
    else:
        check_column(table, columns[1])
    for row, (name, amount) in enumerate(zip(*cells, strict=True)):
        where = table.where(row)
        if is_missing(name) or is_missing(amount):
            absent = "test" if is_missing(name) else "price"
            raise PricesError(f"there is no {absent}; expected both.", subject=absent, where=where)
        if str(name) in prices:
            message = f"there is a second price for {str(name)!r}; expected one for each test."
            raise PricesError(message, subject=str(name), where=where)
        try:
            prices[str(name)] = Decimal(written.plain(amount) or "") if isinstance(amount, str) else amount
        except InvalidOperation as error:
            message = f"the price is {amount!r:.40}; expected a number such as 12.50, without a unit."
            raise PricesError(message, subject=str(name), found=amount, where=where) from error
    try:
        return Prices(prices)
    except PricesError as error:
        error.at(Where(table.source))
        raise
