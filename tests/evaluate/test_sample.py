from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from budgetree.evaluation.metrics import Measured, Sample, wilson


def make(weights: Any, case: Any, draw: Any, inflation: float = 1.0, fold: Any = 0) -> Sample:
    return Sample(np.asarray(weights, dtype=float), case, draw, np.zeros(len(case), dtype=np.int64) + fold, inflation)


def test_a_weight_of_k_is_k_rows_of_one_draw() -> None:
    hits = np.array([True, False, True, False, False])
    one = make(np.array([2.0, 1, 1, 1, 1]), np.arange(5), np.arange(5))
    again = np.array([0, 0, 1, 2, 3, 4])
    rows = make(np.ones(6), np.arange(6), again)
    weighted, unrolled = one.share(hits), rows.share(hits[again])
    assert (weighted.value, weighted.low, weighted.high) == pytest.approx((unrolled.value, unrolled.low, unrolled.high))
    values = np.array([3.0, 1, 4, 1, 5])
    assert one.mean(values).high == pytest.approx(rows.mean(values[again]).high)


def test_repeats_of_a_case_make_no_interval_narrower_than_one_prediction_of_each() -> None:
    hits = np.tile(np.array([True] * 30 + [False] * 70), 3)
    single = make(np.ones(100), np.arange(100), np.arange(100)).share(hits[:100])
    case = np.tile(np.arange(100), 3)
    assert make(np.full(300, 1 / 3), case, case).share(hits) == single
    random = np.random.default_rng(0).permutation(300)  # of each case some predictions are hits
    mixed = make(np.full(300, 1 / 3), case, case).share(hits[random])
    assert (mixed.low, mixed.high) == pytest.approx((single.low, single.high))


def test_cases_of_a_group_that_go_wrong_together_are_one_draw() -> None:
    hits = np.repeat([True, False, False, True], 25)
    group = np.repeat(np.arange(4), 25)
    found = make(np.ones(100), np.arange(100), group).share(hits)
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 4))


def test_inflation_is_fewer_cases() -> None:
    hits = np.array([True, False] * 50)
    found = make(np.ones(100), np.arange(100), np.arange(100), 1.25).share(hits)
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 80))


def test_the_mean_has_students_interval() -> None:
    from scipy import stats

    values = np.array([1.0, 4, 2, 8, 5])
    found = make(np.ones(5), np.arange(5), np.arange(5)).mean(values, "cost")
    expected = stats.t.interval(0.95, 4, loc=values.mean(), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(expected)


def test_what_does_not_vary_or_is_not_there_has_no_interval() -> None:
    sample = make(np.ones(3), np.arange(3), np.arange(3))
    assert sample.mean(np.full(3, 0.1)) == Measured(pytest.approx(0.1))
    nothing = sample.take(np.zeros(3, dtype=bool))
    assert nothing.share(np.zeros(0, dtype=bool)) is None
    assert nothing.mean(np.zeros(0)) is None
    assert make(np.ones(1), np.zeros(1, int), np.zeros(1, int)).mean(np.ones(1)) == Measured(1.0)


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        (Measured(0.9568, 0.9211, 0.9822, "%"), "96 % (92 to 98)"),
        (Measured(0.95681, 0.9552, 0.9590, "%"), "95.7 % (95.5 to 95.9)"),
        (Measured(0.8, 0.64, 0.9), "0.80 (0.64 to 0.90)"),
        (Measured(84.31, 82.0, 86.7, "cost"), "84 (82 to 87)"),
        (Measured(12.3456, unit="cost"), "12.35"),
        (Measured(-0.0001, -0.2, 0.2), "0.00 (-0.20 to 0.20)"),
        (Measured(0.5, unit="%"), "50 %"),
    ],
)
def test_numbers_carry_the_digits_that_they_are_worth(measured: Measured, shown: str) -> None:
    assert str(measured) == shown
    assert math.isfinite(measured.to_dict()["value"])


def test_pathways_that_differ_beyond_chance_widen_the_interval() -> None:
    fold, n = np.repeat(np.arange(5), 40), np.arange(200)
    alike = np.tile([True, False], 100)
    assert make(np.ones(200), n, n, fold=fold).share(alike) == make(np.ones(200), n, n).share(alike)
    differ = np.arange(200) % 40 < np.repeat([4, 12, 20, 28, 36], 40)  # 10 to 90 % of each fold
    wide = make(np.ones(200), n, n, fold=fold).share(differ)
    assert wide.value == 0.5
    assert wide.high - wide.low > 0.5  # one pathway may be any of these
