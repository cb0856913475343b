"""The TOML file of a user: prices, losses, labels, or all of them; numbers with all their digits."""

from __future__ import annotations

import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal

from budgetree.problem.units import AMOUNTS

TABLES = ("tests", "shared", "losses", "answers", "labels")
EXAMPLES = {
    "price list": 'One price per line, as in: "blood test" = 12.50',
    "losses file": "One loss per line, as in: cancer = 50",
    "labels file": 'One label per line, as in: "blood test" = "Blood count"',
}


def read_toml(path: str | Path, kind: Literal["price list", "losses file", "labels file"]) -> dict[str, Any]:
    """The entries that a price list, a losses file or a labels file may have; the amounts are not yet checked.

    All are one kind of file, so that they may stand together: whoever asks for the one leaves the others.
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=_decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path}: not a TOML file: {error}. {EXAMPLES[kind]} (names with spaces or special letters need quotes)."
        ) from error
    except _BeyondError as error:
        raise ValueError(f"{path}: there is the number {error}; expected {AMOUNTS}.") from error
    except ValueError as error:  # Python reads no more than 4300 digits
        raise ValueError(f"{path}: there is a whole number of thousands of digits; expected {AMOUNTS}.") from error
    except RecursionError as error:
        raise ValueError(f"{path}: not a {kind}: brackets within brackets without end.") from error
    unknown = sorted(set(content) - {"default", *TABLES})
    if unknown:
        raise ValueError(
            f"{path}: unknown entry {unknown[0]!r}; "
            "expected default, [tests] and [shared.NAME], [losses] and [answers], or [labels]."
        )
    for table in TABLES:
        if not isinstance(content.get(table, {}), dict):
            raise ValueError(f"{path}: {table!r} must be a table; write [{table}].")
    return content


class _BeyondError(ValueError):
    """A number whose exponent no decimal can hold."""


def _decimal(text: str) -> Decimal:
    """A number of a TOML file with all its digits."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise _BeyondError(f"{text:.40}") from None
