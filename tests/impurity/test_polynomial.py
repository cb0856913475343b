"""Polynomial: terms that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Polynomial([]), "no terms"),
        (lambda: bt.Polynomial([(1, (2, 0))]), r"term 0 with exponents \(2, 0\) involves fewer than two classes"),
        (lambda: bt.Polynomial([(-1, (1, 1))]), "the coefficient of term 0 is -1"),
        (lambda: bt.Polynomial([(1, (1, -1))]), "term 0 has the exponent -1"),
        (lambda: bt.Polynomial([(1, (1, 1)), (1, (1, 1, 1))]), "all must have one length"),
        (lambda: bt.Polynomial([3]), "term 0 is 3; expected"),
        (lambda: bt.Polynomial([(1, (1, 1))])([1, 2, 3]), "2 exponents, but there are 3 classes"),
        (lambda: bt.Polynomial(None), "terms is None; expected a list"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
