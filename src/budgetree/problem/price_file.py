"""Price lists in TOML: `default`, a table [tests] and tables [shared.NAME] with `fee` and `tests`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from budgetree.problem.units import AMOUNTS


@dataclass(frozen=True, slots=True)
class PriceFile:
    """What a price list says, as Prices takes it; its amounts are not yet checked."""

    tests: Mapping[str, Any]
    shared: Mapping[str, tuple[Any, Any]]
    default: Any


def read_price_file(path: str | Path) -> PriceFile:
    """The file's content, decimals with all their digits; what is no price list is refused."""
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=_decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            f'{path}: not a TOML file: {error}. One price per line, as in: "blood test" = 12.50 '
            "(names with spaces or special letters need quotes)."
        ) from error
    except _BeyondError as error:
        raise ValueError(f"{path}: there is the number {error}; expected {AMOUNTS}.") from error
    except ValueError as error:  # Python reads no more than 4300 digits
        raise ValueError(f"{path}: there is a whole number of thousands of digits; expected {AMOUNTS}.") from error
    except RecursionError as error:
        raise ValueError(f"{path}: not a price list: brackets within brackets without end.") from error
    unknown = sorted(set(content) - {"default", "tests", "shared"})
    if unknown:
        raise ValueError(f"{path}: unknown entry {unknown[0]!r}; expected default, [tests] and [shared.NAME].")
    for table in ("tests", "shared"):
        if not isinstance(content.get(table, {}), dict):
            raise ValueError(f"{path}: {table!r} must be a table; write [{table}].")
    shared = {name: _shared_table(path, name, entry) for name, entry in content.get("shared", {}).items()}
    return PriceFile(content.get("tests", {}), shared, content.get("default"))


class _BeyondError(ValueError):
    """A number whose exponent no decimal can hold."""


def _decimal(text: str) -> Decimal:
    """A number of a TOML file with all its digits."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise _BeyondError(f"{text:.40}") from None


def _shared_table(path: Path, name: str, entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, dict) or set(entry) != {"fee", "tests"}:
        raise ValueError(f"{path}: [shared.{name}] must hold exactly `fee` and `tests`.")
    return entry["fee"], entry["tests"]
