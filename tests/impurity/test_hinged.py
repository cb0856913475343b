"""Hinged functions: parameters that are refused."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import budgetree as bt


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.HingedPairs(-1), "HingedPairs: alpha is -1; expected a finite number of at least 0"),
        (lambda: bt.HingedProduct(math.nan), "HingedProduct: alpha is nan"),
        (lambda: bt.HingedPairs("8"), "alpha is '8'"),
        (lambda: bt.HingedPairs(10**400), "at most 1e100"),
        (lambda: bt.HingedPairs(10**5000), "alpha is a number of thousands of digits; expected .* at most 1e100"),
        (lambda: bt.HingedPairs(np.True_), f"alpha is {np.True_!r}"),
        # Written out, each of these would take minutes and gigabytes: the exponent alone must do.
        (lambda: bt.HingedPairs(Decimal("1e-999999999")), "expected 0 or a number of at least 1e-100"),
        (lambda: bt.HingedPairs(Decimal("1e999999999")), "at most 1e100"),
        (lambda: bt.HingedPairs(Decimal("0." + "1" * 200)), "at most 120 digits. Round it"),
        (lambda: bt.HingedPairs(Decimal("sNaN")), "HingedPairs: alpha is Decimal"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_decimals_are_what_they_say() -> None:
    assert bt.HingedPairs(Decimal("0e-999999999")).alpha == 0
    assert bt.HingedPairs(Decimal("1e-100")).alpha == Fraction(1, 10**100)
    assert bt.HingedPairs(Decimal("2.50")).alpha == Fraction(5, 2)
