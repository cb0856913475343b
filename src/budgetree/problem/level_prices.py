"""Prices that name numbers, of a test that is rounded to levels: each level costs what its costliest does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, NumberEncoder
from budgetree.data.number_format import POINTS
from budgetree.problem.prices import Prices


def for_levels(prices: Prices, encoders: Sequence[ColumnEncoder]) -> Prices:
    """The same prices by the names of outcomes, also where they name numbers that are rounded to levels."""
    found = {
        encoder.name: _by_level(price, encoder)
        for encoder in encoders
        if isinstance(encoder, NumberEncoder) and isinstance(price := prices.tests.get(encoder.name), Mapping)
    }
    if all(prices.tests[name] == price for name, price in found.items()):
        return prices
    shared = {name: (entry.fee, entry.tests) for name, entry in prices.shared.items()}
    return Prices({**prices.tests, **found}, shared=shared, default=prices.default)


def _by_level(price: Mapping[str, Fraction], encoder: NumberEncoder) -> dict[str, Fraction]:
    """What is neither an outcome nor a number stays, and is refused as any other wrong name."""
    names, by_level = encoder.outcome_names, dict[str, Fraction]()
    for name, amount in price.items():
        outcome = name
        if name not in names and POINTS.is_number(name):
            column = Column(encoder.name, "number", numbers=np.array([POINTS.number(name)]))
            outcome = names[int(encoder.encode(column)[0])]
        by_level[outcome] = max(amount, by_level.get(outcome, amount))
    return by_level
