"""Quantile levels against a naive reference; the same from parts in any number and order; short thresholds."""

from __future__ import annotations

import math
from bisect import bisect_right
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import budgetree as bt
from _support.refusals import refused
from budgetree.data.column import Column, text_column
from budgetree.data.encoders import (
    UNSEEN,
    FineLevels,
    Levels,
    encoder_for,
    fit_encoder,
    fit_fine_levels,
    quantile_levels,
    short_between,
)
from budgetree.data.number_format import NumberFormat
from budgetree.data.profile import MAX_GROUPS, ColumnProfile, NumberCounts, merged
from budgetree.errors import SettingError

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
cells = st.lists(st.one_of(st.integers(-4, 4).map(float), finite), min_size=1, max_size=60)


def column(values: Any) -> Column:
    return Column("x", "Float64", numbers=np.asarray(values, dtype=np.float64))


def naive_codes(values: list[float], n_levels: int) -> list[int]:
    """Per value its level: the piece in which the middle one of its equals is, of those that have a value."""
    piece = {}
    for value in set(values):
        below, same = sum(v < value for v in values), values.count(value)
        piece[value] = (2 * below + same) * n_levels // (2 * len(values))
    found = sorted(set(piece.values()))
    return [found.index(piece[value]) for value in values]


@given(cells, st.integers(2, 12))
def test_quantile_levels_are_those_of_the_reference(values: list[float], n_levels: int) -> None:
    encoder = fit_encoder(column(values), n_levels)
    if len(set(values)) <= n_levels:
        assert encoder.encode(column(values)).tolist() == [sorted(set(values)).index(value) for value in values]
        return
    assert isinstance(encoder, FineLevels)
    codes = naive_codes(values, n_levels)
    assert encoder.encode(column(values)).tolist() == codes
    assert set(codes) == set(range(encoder.levels))  # no level is empty
    assert (encoder.low, encoder.high) == (min(values), max(values))
    for level, mean in enumerate(encoder.values):
        own = [value for value, code in zip(values, codes, strict=True) if code == level]
        assert mean == pytest.approx(math.fsum(own) / len(own), rel=1e-6, abs=1e-6 * max(map(abs, own)))


@given(cells, st.integers(2, 12), st.randoms(use_true_random=False))
def test_no_order_of_rows_changes_an_encoder(values: list[float], n_levels: int, random: Any) -> None:
    other = random.sample(values, len(values))
    assert fit_encoder(column(values), n_levels) == fit_encoder(column(other), n_levels)


def state(counts: NumberCounts) -> tuple[Any, ...]:
    return counts.low.tobytes(), counts.high.tobytes(), counts.count.tolist(), counts.n_bits


@given(cells, st.integers(2, 40), st.lists(st.integers(0, 60), max_size=6), st.randoms(use_true_random=False))
def test_counts_of_parts_in_any_order_are_those_of_the_whole(
    values: list[float], max_groups: int, cuts: list[int], random: Any
) -> None:
    whole = NumberCounts.of(np.array(values), max_groups)
    parts = [part for part in np.split(np.array(random.sample(values, len(values))), sorted(cuts)) if len(part)]
    found = NumberCounts.of(parts[0], max_groups)
    for part in parts[1:]:
        found = NumberCounts.of(part, max_groups).merge(found, max_groups)
    assert state(found) == state(whole)
    assert len(whole) <= max_groups
    assert whole.count.sum() == len(values)
    ascending = np.sort(values)
    first = np.searchsorted(ascending, whole.low)
    assert (np.diff(np.append(first, len(values))) == whole.count).all()
    assert (ascending[first + whole.count - 1] == whole.high).all()


@pytest.mark.parametrize("n_parts", [1, 2, 7])
def test_a_long_column_gives_the_same_levels_in_parts(n_parts: int) -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate((rng.lognormal(0, 3, 60_000), np.zeros(30_000), -rng.exponential(5, 10_000)))
    rng.shuffle(values)
    whole = NumberCounts.of(values)
    assert whole.n_bits > 0
    assert MAX_GROUPS / 4 < len(whole) <= MAX_GROUPS
    found = [NumberCounts.of(part) for part in np.array_split(rng.permutation(values), n_parts)]
    merged = found[0]
    for part in found[1:]:
        merged = merged.merge(part)
    assert state(merged) == state(whole)
    levels = quantile_levels("x", whole, 10, has_missing=False)
    assert levels == quantile_levels("x", merged, 10, has_missing=False)
    shares = np.bincount(levels.encode(column(values))) / len(values)
    exact = np.bincount(naive_long(values, 10)) / len(values)
    assert shares == pytest.approx(exact, abs=0.01)  # a group is at most some thousandths of the rows, unless equal


def naive_long(values: NDArray[np.float64], n_levels: int) -> NDArray[np.int64]:
    _, position, count = np.unique(values, return_inverse=True, return_counts=True)
    piece = (2 * np.cumsum(count) - count) * n_levels // (2 * len(values))
    return np.unique(piece, return_inverse=True)[1][position]


@given(finite, finite)
def test_a_threshold_separates_its_neighbours_and_is_the_shortest_that_is_central(one: float, other: float) -> None:
    below, above = sorted((one, other))
    if below == above:
        return
    found = short_between(below, above)
    assert below < found <= above
    exact_below, exact_above = Decimal(below), Decimal(above)
    gap = exact_above - exact_below
    for decimals in range(-45, 60):  # the reference: the least decimals with a number in the inner eight tenths
        step = Decimal(1).scaleb(-decimals)
        middle = (exact_below + exact_above) / 2
        nearest = (middle / step).to_integral_value() * step
        if abs(nearest - middle) < gap * Decimal("0.399"):
            digits = -Decimal(repr(found)).normalize().as_tuple().exponent  # type: ignore[operator]
            assert digits <= decimals or found in (0, below + (above - below) / 2, above)
            return


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [(24, 25, 24.5), (24.4837, 24.6102, 24.5), (2, 4, 3), (846, 1001, 900), (-5, 3, 0), (0.001234, 0.001301, 0.00127)],
)
def test_thresholds_are_readable(below: float, above: float, expected: float) -> None:
    assert short_between(below, above) == expected


def test_floats_without_a_number_between_them_are_told_apart() -> None:
    assert short_between(1.0, math.nextafter(1, 2)) == math.nextafter(1, 2)
    assert short_between(0.0, 5e-324) == 5e-324


@given(cells, st.integers(2, 12), st.lists(finite, max_size=10))
def test_codes_are_the_number_of_thresholds_not_above(values: list[float], n_levels: int, others: list[float]) -> None:
    encoder = fit_encoder(column([*values, math.nan]), {"x": n_levels})
    assert isinstance(encoder, FineLevels)
    assert encoder.outcome_names[-1] == "missing"
    expected = [bisect_right(encoder.thresholds, other) for other in others]
    assert encoder.encode(column([*others, math.nan])).tolist() == [*expected, encoder.levels]
    without = fit_encoder(column(values), {"x": n_levels})
    assert without.encode(column([math.nan])).tolist() == [UNSEEN]


def test_names_say_ranges_in_short_numbers() -> None:
    encoder = fit_encoder(column([20.1, 24.43, 24.61, 30, 30.4, 41]), {"x": 3})
    assert encoder.outcome_names == ("below 24.5", "24.5 to 30.2", "30.2 or more")


def test_which_binning_is_asked_for() -> None:
    frame = pd.DataFrame({"x": np.arange(40.0) ** 3, "y": np.arange(40) % 2})
    quantile, uniform = (bt.Instance.from_frame(frame, "y", binning=name) for name in ("quantile", "uniform"))
    assert isinstance(quantile.schema.encoders[0], FineLevels)  # type: ignore[index]
    assert np.bincount(quantile.codes[:, 0]).tolist() == [4] * 10
    assert isinstance(uniform.schema.encoders[0], Levels)  # type: ignore[index]
    assert np.bincount(uniform.codes[:, 0])[0] > 10
    for instance in (quantile, uniform):  # folds are cut as the whole is
        half = instance.rows(np.arange(20))
        assert type(half.schema.encoders[0]) is type(instance.schema.encoders[0])  # type: ignore[index]
    with refused(SettingError, subject="binning", found="wide"):
        bt.Instance.from_frame(frame, "y", binning="wide")  # type: ignore[arg-type]


def test_skewed_numbers_are_cut_where_the_cases_are() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.lognormal(0, 3, (20_000, 4))
    label = (numbers[:, 0] > 1) ^ (numbers[:, 1] > 2)
    frame = pd.DataFrame(numbers, columns=list("abcd")).assign(y=label)
    error = {}
    for binning in ("quantile", "uniform"):
        instance = bt.Instance.from_frame(frame, "y", binning=binning)  # type: ignore[arg-type]
        error[binning] = bt.grow(instance, budget=2).errors / len(frame)
    assert error["quantile"] < 0.15
    assert error["uniform"] > 0.4


def test_what_is_beyond_a_limit_has_a_level_of_its_own_that_ends_there() -> None:
    cells = ["<5"] * 3 + [str(5 + i / 4) for i in range(100)] + [">1000"] * 2 + ["≥900", "<=6"]
    column = text_column("troponin", cells, NumberFormat(censored=True))
    assert column.numbers is not None
    for encoder in (fit_encoder(column, 10), fit_fine_levels(column), fit_fine_levels(column, 20)):
        assert isinstance(encoder, FineLevels)
        codes = encoder.encode(column)
        assert (encoder.outcome_names[0], encoder.outcome_names[-1]) == ("below 5", "above 1000")
        assert [row for row, code in enumerate(codes) if code == 0] == [0, 1, 2]
        assert [row for row, code in enumerate(codes) if code == encoder.levels - 1] == [103, 104]
        new = Column("troponin", "number", numbers=np.array([4.9, 5.0, 1000.0, 1000.5]))
        assert (encoder.encode(new) == [0, 1, encoder.levels - 2, encoder.levels - 1]).all()
    few = text_column("x", ["<5", "5", "7", ">9"], NumberFormat(censored=True))
    assert fit_encoder(few, 10).outcome_names == ("below 5", "5 to 6", "6 to 9", "above 9")
    parts = [ColumnProfile.of(few.take(np.array(rows)), 10) for rows in ([0, 1], [2, 3])]
    assert encoder_for(merged(parts), 10) == fit_encoder(few, 10)
