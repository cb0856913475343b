"""Impurities: values against the oracle, and what each says of itself."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import reference
from hypothesis import given

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ImpurityError
from impurity.known import ALL, EXACT, FLOAT, counts_lists


@pytest.mark.parametrize(("impurity", "oracle"), EXACT, ids=lambda value: repr(value)[:16])
@given(counts=counts_lists)
def test_exact_impurities_equal_the_oracle(impurity: bt.Impurity, oracle: Any, counts: list[int]) -> None:
    assert impurity(counts) == oracle(tuple(map(Fraction, counts)))


@pytest.mark.parametrize(("impurity", "oracle"), FLOAT, ids=lambda value: repr(value)[:16])
@given(counts=counts_lists)
def test_float_impurities_approach_the_oracle(impurity: bt.Impurity, oracle: Any, counts: list[int]) -> None:
    assert impurity(counts) == pytest.approx(float(oracle(tuple(map(Fraction, counts)))), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("impurity", ALL, ids=repr)
def test_what_an_impurity_says_of_its_zeros_is_true(impurity: bt.Impurity) -> None:
    counts = np.moveaxis(np.indices((9, 9, 9)), 0, -1).reshape(-1, 3)
    impure = counts[(counts > 0).sum(axis=1) > 1]
    smallest = min(float(value) for value in np.asarray(impurity(impure)))
    assert (smallest > 0) == (impurity.zero_only_if_pure or impurity == bt.HingedPairs(0))


def test_impurities_compare_by_value_and_print_as_written() -> None:
    for impurity in (bt.Pairs(), bt.Powers(3), bt.HingedPairs(2.5), bt.HingedProduct(8), bt.Gini(), bt.Entropy()):
        again = eval(repr(impurity), {name: getattr(bt, name) for name in dir(bt)})
        assert again == impurity
        assert hash(again) == hash(impurity)
    assert bt.Powers(3) != bt.Powers(4)
    assert bt.HingedPairs(1) != bt.HingedProduct(1)


def test_the_guarantee_is_the_papers_factor() -> None:
    assert bt.Pairs().guarantee([30, 30]) == pytest.approx(math.log(900) + 1)
    assert bt.Pairs().guarantee([30, 0]) == 1


def test_the_guarantee_of_huge_powers_is_a_number() -> None:
    assert bt.Powers(100).guarantee([10**6, 10**6]) == pytest.approx(100 * math.log(2e6) + 1)


@pytest.mark.parametrize("impurity", [impurity for impurity in ALL if impurity.admissible], ids=repr)
def test_every_value_for_whole_counts_is_a_multiple_of_the_unit(impurity: bt.Impurity) -> None:
    counts = np.moveaxis(np.indices((6, 6, 6)), 0, -1).reshape(-1, 3)
    assert impurity.unit is not None
    assert all((Fraction(value) / impurity.unit).denominator == 1 for value in np.asarray(impurity(counts)))


def test_the_guarantee_of_small_coefficients_is_that_of_whole_ones() -> None:
    small, whole = bt.Polynomial([(1e-6, (1, 1)), (3e-6, (2, 1))]), bt.Polynomial([(1, (1, 1)), (3, (2, 1))])
    assert small.guarantee([5, 4]) == pytest.approx(whole.guarantee([5, 4])) == pytest.approx(math.log(320) + 1)


def test_nothing_is_guaranteed_for_what_is_not_admissible_or_has_no_unit() -> None:
    class Mine(bt.Pairs):
        unit = None

    for impurity, subject in ((bt.Gini(), "admissible"), (Mine(), "unit")):
        with pytest.raises(ImpurityError) as error:
            impurity.guarantee([3, 3])
        assert error.value.subject == subject
    with pytest.raises(ImpurityError, match="whole class counts"):
        bt.Pairs().guarantee([1.5, 2])


def test_a_value_of_another_shape_is_refused() -> None:
    class Flat(bt.Impurity):
        def value(self, counts: Any) -> Any:
            return counts.sum()

    with pytest.raises(ImpurityError) as error:
        Flat()([[1, 2], [3, 4]])
    assert (error.value.found, error.value.expected) == ((), (2,))
    with pytest.raises(ImpurityError, match="value"):
        bt.grow(bt.datasets.load("figure1"), Flat())


def test_counts_beyond_64_bits_do_not_overflow() -> None:
    rng = random.Random(0)
    counts = [rng.randrange(10**12) for _ in range(3)]
    assert bt.Powers(5)(counts) == reference.powers(5)(tuple(map(Fraction, counts)))


def test_an_impurity_without_a_value_says_so() -> None:
    class Empty(bt.Impurity):
        pass

    with pytest.raises(TypeError, match="Empty has no value"):
        Empty()([1, 2])


def test_bad_counts_are_refused() -> None:
    with refused(ImpurityError, subject="counts", found=3):
        bt.Pairs()(3)
