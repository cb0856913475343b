"""The price list of a command, and what to type where it lacks a price."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from budgetree.cli.tables import Request
    from budgetree.errors import NoPriceError
    from budgetree.problem import Prices

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
EXAMPLE = 1  # a price to fill in


def given_prices(request: Request) -> Prices | None:
    """Those of --prices, with --default-price for the rest; None where neither is given."""
    from budgetree.problem import Prices

    default = request.default_price
    if request.prices is None:
        return None if default is None else Prices(default)
    prices = Prices.from_file(request.prices)
    if default is None:
        return prices
    if prices.default is not None:
        raise ValueError(f"{request.prices}: the list has a default of its own; leave out --default-price.")
    shared = {name: (entry.fee, entry.tests) for name, entry in prices.shared.items()}
    return Prices(prices.tests, shared=shared, default=default)


def advice(error: NoPriceError) -> str:
    """What a list lacks, and what to type."""
    from budgetree.services.words import listed

    if error.test is None:
        return (
            f"no price for {listed(error.names)}; add a line for each, or say what every test costs that is not in the "
            f"list: --default-price {EXAMPLE}."
        )
    gap = "rows where it is missing" if list(error.names) == ["missing"] else listed(error.names)
    lines = " and ".join(f"{_key(name)} = {EXAMPLE}" for name in error.names)
    place = f"[tests.{_key(error.test)}], or in the braces of {_key(error.test)} = {{…}}"
    return f"test {error.test!r} has a price per outcome, but none for {gap}; add below {place}: {lines}."


def _key(name: str) -> str:
    """A name as TOML writes it."""
    return name if BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
