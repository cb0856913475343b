"""Price lists in TOML: `default`, a table [tests] and tables [shared.NAME] with `fee` and `tests`; or as a table.

A price list in TOML may also say what answers cost, in the tables [losses] and [answers] (problem/loss_file.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from budgetree.data.column import Column, is_missing
from budgetree.data.source import read_table
from budgetree.problem.toml_file import read_toml

TABLES = (".csv", ".tsv", ".txt", ".gz", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet")
COLUMNS = ("test", "price")


@dataclass(frozen=True, slots=True)
class PriceFile:
    """What a price list says, as Prices takes it; its amounts are not yet checked."""

    tests: Mapping[str, Any]
    shared: Mapping[str, tuple[Any, Any]]
    default: Any


def read_price_file(path: str | Path) -> PriceFile:
    """The file's content, decimals with all their digits; what is no price list is refused."""
    content = read_toml(path, "price list")
    shared = {name: _shared_table(path, name, entry) for name, entry in content.get("shared", {}).items()}
    return PriceFile(content.get("tests", {}), shared, content.get("default"))


def _shared_table(path: str | Path, name: str, entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, dict) or set(entry) != {"fee", "tests"}:
        raise ValueError(f"{path}: [shared.{name}] must hold exactly `fee` and `tests`.")
    return entry["fee"], entry["tests"]


def is_table(path: str | Path) -> bool:
    """Whether a price list is a table, by the end of its name, and not TOML."""
    return Path(path).suffix.casefold() in TABLES


def read_price_table(path: str | Path) -> PriceFile:
    """A test and its price per row, in the columns `test` and `price`; other columns do not matter."""
    table = read_table(str(path)).without_empty_rows()
    by_name = {name.casefold(): name for name in table.names}
    if not set(COLUMNS) <= set(by_name):
        raise ValueError(
            f"{table.source}: a price list has the columns test and price; there are: {', '.join(table.names)}."
        )
    names, amounts = (table.column(by_name[name]) for name in COLUMNS)
    prices: dict[str, Any] = {}
    for row, (name, amount) in enumerate(zip(_cells(names), _cells(amounts), strict=True)):
        where = f"{table.source}, {table.where(row)}"
        if is_missing(name) or is_missing(amount):
            raise ValueError(f"{where}: there is no {'test' if is_missing(name) else 'price'}; expected both.")
        if str(name) in prices:
            raise ValueError(f"{where}: there is a second price for {str(name)!r}; expected one for each test.")
        prices[str(name)] = _amount(amounts, amount, where)
    return PriceFile(prices, {}, None)


def _cells(column: Column) -> list[Any]:
    """As they are written, where they are."""
    return list(column.texts) if column.texts is not None else column.to_list()


def _amount(column: Column, cell: Any, where: str) -> Any:
    """A price with all its digits."""
    if not isinstance(cell, str):
        return cell
    plain = column.written.plain(cell)
    if plain is None:
        raise ValueError(f"{where}: the price is {cell!r:.40}; expected a number such as 12.50, without a unit.")
    return Decimal(plain)
