"""The core's impurities, in vectors and in whole numbers, against budgetree.impurity.functions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree._core import parts
from budgetree.learn.greedy.native import core_form

TERMS = [(Fraction(1, 2), (1, 1, 0)), (Fraction(3), (0, 2, 1)), (Fraction(1), (1, 1, 4))]
EXACT = [
    bt.Pairs(), bt.Powers(2), bt.Powers(3), bt.Powers(5), bt.HingedPairs(0), bt.HingedPairs(2.5), bt.HingedPairs(0.1),
    bt.HingedProduct(7), bt.HingedProduct(0.25), bt.Polynomial(TERMS),
]  # fmt: skip
FLOAT = [bt.Gini(), bt.Entropy()]

small = st.lists(st.lists(st.integers(0, 60), min_size=3, max_size=3), min_size=1, max_size=40)
large = st.lists(st.integers(0, 2**40), min_size=3, max_size=3)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("impurity", EXACT + FLOAT, ids=repr)
@given(sets=small)
def test_vectors_compute_what_the_form_says(impurity: bt.Impurity, is_weighted: bool, sets: list[list[int]]) -> None:
    form = impurity.form(Fraction(1), 3)
    native = core_form(form, 3)
    counts = np.array(sets)
    expected = np.asarray(form.value(counts), dtype=np.float64)
    found = parts.values(native, counts, is_weighted)
    single = [parts.value(native, row) for row in counts]
    if form.exact:
        assert (found == expected).all()
        assert (single == expected).all()
    else:
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-9)
        assert single == pytest.approx(expected, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("impurity", [*EXACT, bt.Powers(20), bt.HingedPairs(1e9 + 0.1)], ids=repr)
@given(counts=large)
def test_whole_numbers_are_exact(impurity: bt.Impurity, counts: list[int]) -> None:
    form = impurity.form(Fraction(1), 3)
    found = int.from_bytes(parts.exact_value(core_form(form, 3), np.array(counts)), "little")
    assert found == form.value(np.array(counts, dtype=object))


@pytest.mark.parametrize("impurity", [*EXACT, bt.Powers(20)], ids=repr)
@given(counts=large)
def test_floats_are_within_their_error_bound(impurity: bt.Impurity, counts: list[int]) -> None:
    form = impurity.form(Fraction(1), 3)
    native = core_form(form, 3)
    error = parts.error_bound(native, float(sum(counts)), 1.0)
    exact = int(form.value(np.array(counts, dtype=object)))
    assert abs(Fraction(parts.value(native, np.array(counts))) - exact) <= Fraction(error)
    largest = form.largest(sum(counts))
    assert largest is not None
    assert (error == 0) == (largest <= 2**53)


@given(counts=st.lists(st.integers(0, 30), min_size=500, max_size=500))
def test_five_hundred_classes(counts: list[int]) -> None:
    for impurity in (bt.Pairs(), bt.HingedPairs(20), bt.Powers(3)):
        form = impurity.form(Fraction(1), 500)
        assert parts.values(core_form(form, 500), np.array([counts]), False)[0] == form.value(np.array(counts))
