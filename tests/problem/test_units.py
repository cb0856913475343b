"""Amounts: the numbers people mean, exact sums, and what is out of range refused before it is computed."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from _support.refusals import refused
from budgetree.errors import LossesError, PricesError, SettingError
from budgetree.problem.units import (
    LARGEST_EXACT,
    WeightFacts,
    common_scale,
    exact_sum,
    is_unlimited,
    non_negative,
    plain_number,
    units_for_losses,
    weights_to_units,
)

RULE = "prices must be finite and at least 0"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (0.1, Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(3), 3),
        (Decimal("2.50"), Fraction(5, 2)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0e-999999999"), 0),
        (Decimal("0e999999999"), 0),
        (1e30, 10**30),
        (10**30, 10**30),
        (1e-30, Fraction(1, 10**30)),
        (Decimal("1e-30"), Fraction(1, 10**30)),
        (Decimal("9." + "9" * 60), Fraction("9." + "9" * 60)),
    ],
    ids=str,
)
def test_an_amount_is_the_number_that_was_meant(value: Any, expected: Any) -> None:
    assert non_negative(value, "it", RULE) == expected


@pytest.mark.parametrize(
    ("value", "came"),
    [
        (Decimal("1e-999999999"), "1E-999999999"),
        (Decimal("1e-10000000"), "1E-10000000"),
        (Decimal("-1e999999999"), r"-1E\+999999999"),
        (Decimal("1.1e30"), r"1\.1E\+30"),
        (10**5000, "about 1e5000"),
        (-(10**5000), "about -1e5000"),
        (Fraction(1, 10**5000), "about 1e-5000"),
        (Fraction(1, 10**31), "1/10000000"),
        (1e-300, "1e-300"),
        (1e31, r"1e\+31"),
        (np.float64(1e300), r"1e\+300"),
    ],
    ids=lambda value: f"{value:.8}" if isinstance(value, str) else type(value).__name__,
)
def test_what_is_out_of_range_is_refused_at_once(value: Any, came: str) -> None:
    with refused(
        SettingError, subject="it", found=value, expected="expected 0 or a number between 1e-30 and 1e30"
    ) as at:
        non_negative(value, "it", RULE)
    assert re.match(f"it is {came}", str(at.value))  # in a few letters


@pytest.mark.parametrize("value", [Decimal("1." + "1" * 5000), Fraction(10**5000 + 1, 10**5000)], ids=["long", "ratio"])
def test_too_many_digits_are_refused(value: Any) -> None:
    with refused(SettingError, subject="it", expected=120):
        non_negative(value, "it", RULE)


@pytest.mark.parametrize(
    "value",
    [-1, -0.5, math.nan, math.inf, *map(Decimal, ("NaN", "sNaN", "inf")), "1", True, None, 1j, [10**5000]],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_amount_is_refused_with_the_rule(value: Any) -> None:
    with refused(SettingError, subject="it", expected=RULE) as caught:
        non_negative(value, "it", RULE)
    assert caught.value.found is value
    with refused(PricesError, subject="ecg", expected=RULE):
        non_negative(value, "the price of 'ecg'", RULE, error=PricesError, subject="ecg")


def test_no_limit_may_be_said_in_several_ways() -> None:
    assert all(map(is_unlimited, (None, math.inf, np.float32(math.inf), Decimal("inf"))))
    assert not any(map(is_unlimited, (0, -math.inf, Decimal("-inf"), Decimal("sNaN"), math.nan, "inf", np.ones(2))))


@given(st.lists(st.decimals(0, 1000, places=3), min_size=1, max_size=6).filter(any))
def test_amounts_become_whole_units(amounts: list[Decimal]) -> None:
    fractions = [Fraction(amount) for amount in amounts]
    scale = common_scale(fractions)
    assert all((fraction * scale).denominator == 1 for fraction in fractions)
    units, weight_scale = weights_to_units(np.array([float(amount) for amount in amounts]))
    assert [Fraction(int(unit)) / weight_scale for unit in units] == fractions


def test_digits_beyond_the_total_are_rounded_or_refused() -> None:
    scale = common_scale([Fraction(1, 3), Fraction(1, 7)])
    assert scale * Fraction(10, 21) <= LARGEST_EXACT
    assert abs(round(scale / 3) / scale - Fraction(1, 3)) < Fraction(1, 10**14)
    with refused(PricesError, found=Fraction(1, 10**9)):
        common_scale([Fraction(1, 10**9), Fraction(10**12) + Fraction(1, 3)])
    with refused(SettingError, subject="weights", found=1e-20):
        weights_to_units(np.array([1e-20, 1.0]))
    with refused(SettingError, subject="weights", found=1.5e308):
        weights_to_units(np.array([1.5e308, 1.5e308]))


def test_whole_numbers_are_ints_and_others_are_floats() -> None:
    assert [plain_number(Fraction(3)), plain_number(Fraction(3, 10))] == [3, 0.3]


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=8), st.integers(0, 10**6))
def test_weights_get_fewer_units_where_losses_need_digits(weights: list[float], largest: int) -> None:
    units, scale = weights_to_units(np.array(weights))
    fewer, less = units_for_losses(units, scale, largest)
    assert int(fewer.sum()) * largest <= LARGEST_EXACT
    assert np.allclose(fewer / float(less), weights, rtol=0.001)
    if int(units.sum()) * largest < LARGEST_EXACT:
        assert fewer is units
        assert less == scale


def test_cases_that_are_too_many_for_the_losses_are_refused() -> None:
    with refused(LossesError, found=10**15):
        units_for_losses(np.ones(10, dtype=np.int64), Fraction(1), 10**15)


@given(st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 2**60).map(float))))
def test_an_exact_sum_is_that_of_fractions(amounts: list[float]) -> None:
    assert exact_sum(np.array(amounts, dtype=np.float64)) == sum(map(Fraction, amounts), Fraction(0))


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=60), st.randoms())
def test_facts_of_weights_do_not_depend_on_their_parts(weights: list[float], chance: Any) -> None:
    whole = WeightFacts.of(np.array(weights))
    chance.shuffle(weights)
    cut = chance.randint(0, len(weights))
    assert WeightFacts.of(np.array(weights[:cut])) + WeightFacts.of(np.array(weights[cut:])) == whole


@pytest.mark.parametrize("n_rows", [99, 999])
def test_the_scale_of_weights_does_not_depend_on_their_parts(n_rows: int) -> None:
    for n_ill in range(1, n_rows):  # what class_weight="balanced" makes of so many rows of two classes
        weights = np.repeat([n_rows / 2 / n_ill, n_rows / 2 / (n_rows - n_ill)], [n_ill, n_rows - n_ill])
        parts = [WeightFacts.of(weights[first::7]) for first in range(7)]
        assert reduce(add, parts).scale() == WeightFacts.of(weights).scale()
