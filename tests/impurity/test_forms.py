"""Forms: the impurity stretched to whole numbers, and never beyond what they say is the largest."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.impurity.functions import hinge
from impurity.known import ALL, counts_lists


@pytest.mark.parametrize("impurity", ALL, ids=repr)
@given(units=counts_lists, scale=st.sampled_from([Fraction(1), Fraction(10), Fraction(100)]))
def test_a_form_is_the_impurity_stretched(impurity: bt.Impurity, units: list[int], scale: Fraction) -> None:
    form = impurity.form(scale, 3)
    true = np.array([Fraction(unit) / scale for unit in units], dtype=object)
    expected = form.stretch * Fraction(np.asarray(impurity.value(true)).item())
    assert float(form.value(np.array(units))) == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
    if form.exact:
        value = form.value(np.array(units, dtype=object))
        assert value == expected
        assert form.kernel is None or Fraction(int(value)) == value
        largest = form.largest(sum(units))
        assert largest is None or value <= largest


@pytest.mark.parametrize("subtracted", [0, 4, Fraction(9, 4)])
def test_hinges_in_whole_numbers_are_those_in_floats(subtracted: Any) -> None:
    counts = np.random.default_rng(0).integers(0, 9, (5, 3, 7))
    in_floats = hinge(counts.astype(np.float64), 1.5, float(subtracted))
    exact = hinge(counts.astype(object), Fraction(3, 2), subtracted)
    assert exact.shape == (5, 3)
    assert (exact.astype(np.float64) == in_floats).all()
    assert hinge(counts[0, 0].astype(object), Fraction(3, 2), subtracted) == in_floats[0, 0]
    assert hinge(np.array([5], dtype=object), 1, subtracted) == 0
