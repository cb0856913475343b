"""Hinged functions: parameters that are refused."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ImpurityError

RANGE = "a finite number of at least 0 (and at most 1e100)"


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (-1, RANGE),
        (math.nan, RANGE),
        ("8", RANGE),
        (10**400, RANGE),
        (10**5000, RANGE),
        (np.True_, RANGE),
        # Written out, each of these would take minutes and gigabytes: the exponent alone must do.
        (Decimal("1e-999999999"), "0 or a number of at least 1e-100"),
        (Decimal("1e999999999"), RANGE),
        (Decimal("0." + "1" * 200), "at most 120 digits; round it"),
        (Decimal("sNaN"), RANGE),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("kind", [bt.HingedPairs, bt.HingedProduct])
def test_bad_parameters_are_refused(kind: Any, alpha: Any, expected: str) -> None:
    with refused(ImpurityError, subject="alpha", expected=expected) as caught:
        kind(alpha)
    assert caught.value.found is alpha
    assert len(str(caught.value)) < 200


def test_decimals_are_what_they_say() -> None:
    assert bt.HingedPairs(Decimal("0e-999999999")).alpha == 0
    assert bt.HingedPairs(Decimal("1e-100")).alpha == Fraction(1, 10**100)
    assert bt.HingedPairs(Decimal("2.50")).alpha == Fraction(5, 2)
