"""What a lower bound is: a value, and the witness from which anyone can compute it again."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Instance, Schema


@dataclass(frozen=True, slots=True)
class Bound:
    """No tree with at most so many errors, or so much loss, costs a known case less at worst.

    It is about all trees, however few cases their leaves have: so it also holds among those with min_cases.
    """

    kind: str  # "ratio", "cover" or "search"
    value: Fraction  # in the user's own currency
    witness: dict[str, Any]  # the rest of its entry in a certificate
    final: bool = False  # no higher bound exists: a tree that good with this cost does


def price_unit(schema: Schema) -> Fraction:
    """Every path costs a multiple of this: the greatest common divisor of all prices and fees."""
    table = schema.table
    units = gcd(*(int(price) for price in table.own.ravel()), *(int(fee) for fee in table.fees))
    return Fraction(units) / table.scale


def rounded_up(value: Fraction, unit: Fraction) -> Fraction:
    """The least multiple of the unit that is no less than the value."""
    return -(-value // unit) * unit if unit else value


def present_rows(instance: Instance) -> NDArray[np.int32]:
    """The cases that count, in the order of the table."""
    return np.sort(instance.class_order.order)


def text_of(number: Fraction) -> str:
    """A fraction as a certificate writes it."""
    return str(number)
