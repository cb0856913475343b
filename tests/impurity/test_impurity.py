"""Impurities: values against the oracle, forms against values."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.impurity.forms import GENERAL

counts_lists = st.lists(st.integers(0, 60), min_size=3, max_size=3)
TERMS = [(Fraction(1, 2), (1, 1, 0)), (Fraction(3), (0, 2, 1)), (Fraction(1), (1, 1, 4))]
EXACT = [
    (bt.Pairs(), reference.pairs),
    (bt.Powers(2), reference.powers(2)),
    (bt.Powers(5), reference.powers(5)),
    (bt.HingedPairs(2.5), reference.hinged_pairs(Fraction(5, 2))),
    (bt.HingedPairs(0), reference.hinged_pairs(Fraction(0))),
    (bt.HingedProduct(7), reference.hinged_product(Fraction(7))),
    (bt.Polynomial(TERMS), reference.polynomial(TERMS)),
]


class ErrorCount(bt.Impurity):
    """A user's own: exact, without a form of its own, and not admissible."""

    exact = True

    def value(self, counts: Any) -> Any:
        return counts.sum(axis=-1) - counts.max(axis=-1)


EXACT.append((bt.ObjectPairs(), lambda counts: sum(counts) * (sum(counts) - 1)))
EXACT.append((ErrorCount(), lambda counts: sum(counts) - max(counts)))
FLOAT = [(bt.Gini(), reference.gini), (bt.Entropy(), reference.entropy)]


@pytest.mark.parametrize(("impurity", "oracle"), EXACT, ids=lambda each: repr(each)[:16])
@given(counts=counts_lists)
def test_exact_impurities_equal_the_oracle(impurity: bt.Impurity, oracle: Any, counts: list[int]) -> None:
    assert impurity(counts) == oracle(tuple(map(Fraction, counts)))


@pytest.mark.parametrize(("impurity", "oracle"), FLOAT, ids=lambda each: repr(each)[:16])
@given(counts=counts_lists)
def test_float_impurities_approach_the_oracle(impurity: bt.Impurity, oracle: Any, counts: list[int]) -> None:
    assert impurity(counts) == pytest.approx(float(oracle(tuple(map(Fraction, counts)))), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("impurity", [each for each, _ in EXACT + FLOAT], ids=repr)
@given(units=counts_lists, scale=st.sampled_from([Fraction(1), Fraction(10), Fraction(100)]))
def test_a_form_is_the_impurity_stretched(impurity: bt.Impurity, units: list[int], scale: Fraction) -> None:
    form = impurity.form(scale, 3)
    true = np.array([Fraction(unit) / scale for unit in units], dtype=object)
    expected = form.stretch * Fraction(np.asarray(impurity.value(true)).item())
    assert float(form.value(np.array(units))) == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
    if form.exact:
        value = form.value(np.array(units, dtype=object))
        assert value == expected
        assert form.kind == GENERAL or Fraction(int(value)) == value
        largest = form.largest(sum(units))
        assert largest is None or value <= largest


@pytest.mark.parametrize("impurity", [each for each, _ in EXACT + FLOAT if each.admissible], ids=repr)
def test_admissible_impurities_are_not_refuted(impurity: bt.Impurity) -> None:
    assert bt.check_admissible(impurity, 3, 9) is None
    if not isinstance(impurity, bt.Polynomial):
        assert bt.check_admissible(impurity, 2, 25) is None
        assert bt.check_admissible(impurity, 4, 4) is None
        assert bt.check_admissible(impurity, 1, 4) is None


@pytest.mark.parametrize("alpha", [32, 100, 500, 2000, 10**6])
@pytest.mark.parametrize("family", [bt.HingedPairs, bt.HingedProduct])
def test_large_hinges_are_not_refuted_for_their_growth(family: type[bt.Impurity], alpha: int) -> None:
    assert bt.check_admissible(family(alpha), 2, 6) is None  # type: ignore[call-arg]


@pytest.mark.parametrize("impurity", [each for each, _ in EXACT + FLOAT], ids=repr)
def test_what_an_impurity_says_of_its_zeros_is_true(impurity: bt.Impurity) -> None:
    counts = np.moveaxis(np.indices((9, 9, 9)), 0, -1).reshape(-1, 3)
    impure = counts[(counts > 0).sum(axis=1) > 1]
    smallest = min(float(value) for value in np.asarray(impurity(impure)))
    assert (smallest > 0) == (impurity.zero_only_if_pure or impurity == bt.HingedPairs(0))


@pytest.mark.parametrize("impurity", [bt.Gini(), bt.Entropy(), ErrorCount()], ids=repr)
def test_the_usual_impurities_are_refuted(impurity: bt.Impurity) -> None:
    assert not impurity.admissible
    found = bt.check_admissible(impurity, 2, 5)
    assert found is not None
    assert found.property == "supermodularity"
    assert "raises F by" in str(found)
    smaller, larger = found.counts
    # The counterexample itself, computed by hand: some class whose addition gains less on the larger set.
    gains = [
        (impurity(_plus(larger, c)) - impurity(larger), impurity(_plus(smaller, c)) - impurity(smaller)) for c in (0, 1)
    ]
    assert any(on_larger < on_smaller for on_larger, on_smaller in gains)


def _plus(counts: tuple[int, ...], place: int) -> list[int]:
    return [count + (i == place) for i, count in enumerate(counts)]


@pytest.mark.parametrize(
    ("function", "broken"),
    [
        (lambda counts: -counts.sum(axis=-1), "non-negativity"),
        (lambda counts: counts.sum(axis=-1), "purity"),
        (lambda counts: np.where((counts > 0).all(axis=-1), 10 - counts.sum(axis=-1), 0), "monotonicity"),
        (lambda counts: 2 ** counts.sum(axis=-1) * (counts.min(axis=-1) > 0), "polynomial growth"),
    ],
)
def test_each_property_can_be_refuted(function: Any, broken: str) -> None:
    class Custom(bt.Impurity):
        exact = True

        def value(self, counts: Any) -> Any:
            return function(counts)

    found = bt.check_admissible(Custom(), 2, 4)
    assert found is not None
    assert found.property == broken


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Powers(1), "l is 1; expected a whole number of at least 2"),
        (lambda: bt.Powers(2.5), "l is 2.5"),
        (lambda: bt.HingedPairs(-1), "HingedPairs: alpha is -1; expected a finite number of at least 0"),
        (lambda: bt.HingedProduct(math.nan), "HingedProduct: alpha is nan"),
        (lambda: bt.HingedPairs("8"), "alpha is '8'"),
        (lambda: bt.Polynomial([]), "no terms"),
        (lambda: bt.Polynomial([(1, (2, 0))]), r"term 0 with exponents \(2, 0\) involves fewer than two classes"),
        (lambda: bt.Polynomial([(-1, (1, 1))]), "the coefficient of term 0 is -1"),
        (lambda: bt.Polynomial([(1, (1, -1))]), "term 0 has the exponent -1"),
        (lambda: bt.Polynomial([(1, (1, 1)), (1, (1, 1, 1))]), "all must have one length"),
        (lambda: bt.Polynomial([3]), "term 0 is 3; expected"),
        (lambda: bt.Pairs()(3), "expected class counts, one number per class"),
        (lambda: bt.Polynomial([(1, (1, 1))])([1, 2, 3]), "2 exponents, but there are 3 classes"),
        (lambda: bt.check_admissible(bt.Pairs(), 0, 3), "both must be whole and at least 1"),
        (lambda: bt.check_admissible(bt.Pairs(), 10, 50), "Lower max_count"),
        (lambda: bt.check_admissible(bt.Pairs, 2, 3), "expected an object such as"),
        (lambda: bt.check_admissible(bt.Pairs(), 2.5, 3), "both must be whole"),
        (lambda: bt.HingedPairs(10**400), "at most 1e100"),
        (lambda: bt.HingedPairs(np.True_), "alpha is np.True_"),
        (lambda: bt.Polynomial(None), "terms is None; expected a list"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_impurities_compare_by_value_and_print_as_written() -> None:
    for impurity in (bt.Pairs(), bt.Powers(3), bt.HingedPairs(2.5), bt.HingedProduct(8), bt.Gini(), bt.Entropy()):
        again = eval(repr(impurity), vars(bt))
        assert again == impurity
        assert hash(again) == hash(impurity)
    assert bt.Powers(3) != bt.Powers(4)
    assert bt.HingedPairs(1) != bt.HingedProduct(1)


def test_the_guarantee_is_the_papers_factor() -> None:
    assert bt.Pairs().guarantee([30, 30]) == pytest.approx(math.log(900) + 1)
    assert bt.Pairs().guarantee([30, 0]) == 1


def test_an_impurity_without_a_value_says_so() -> None:
    class Empty(bt.Impurity):
        pass

    with pytest.raises(TypeError, match="Empty has no value"):
        Empty()([1, 2])


def test_an_impurity_that_is_not_a_number_is_refused() -> None:
    class Broken(bt.Impurity):
        def value(self, counts: Any) -> Any:
            return np.full(counts.shape[:-1], np.nan)

    with pytest.raises(ValueError, match="not a finite number"):
        bt.check_admissible(Broken(), 2, 3)
    with pytest.raises(ValueError, match="not a finite number"):
        bt.grow(bt.datasets.load("figure1"), Broken())


def test_the_guarantee_of_huge_powers_is_a_number() -> None:
    assert bt.Powers(100).guarantee([10**6, 10**6]) == pytest.approx(100 * math.log(2e6) + 1)


def test_counts_beyond_64_bits_do_not_overflow() -> None:
    rng = random.Random(0)
    counts = [rng.randrange(10**12) for _ in range(3)]
    assert bt.Powers(5)(counts) == reference.powers(5)(tuple(map(Fraction, counts)))
