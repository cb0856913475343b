"""Columns become codes: levels, categories, missing values and readable names."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.column import Column
from budgetree.data.encoders import UNSEEN, Categories, Levels, fit_encoder


def test_numbers_are_rounded_to_the_nearest_level() -> None:
    values = np.arange(101.0)
    instance = bt.Instance.from_frame(pd.DataFrame({"x": values, "y": values > 50}), "y", duplicates="keep")
    assert (instance.codes[:, 0] == np.rint(values / 100 * 9)).all()


def test_missing_numbers_are_an_outcome_of_their_own() -> None:
    frame = pd.DataFrame({"x": [*np.arange(20.0), np.nan], "y": [0, 1, 1] * 7})
    instance = bt.Instance.from_frame(frame, "y", duplicates="keep")
    assert instance.outcome_names[0][-1] == "missing"
    assert instance.codes[-1, 0] == 10
    few = bt.Instance.from_frame(pd.DataFrame({"x": [1.0, 2.5, np.nan], "y": [0, 1, 1]}), "y")
    assert few.outcome_names[0] == ("1", "2.5", "missing")


def test_a_mapping_of_levels_rounds_columns_with_few_values_too() -> None:
    frame = pd.DataFrame({"x": [0, 1, 9], "z": [0, 1, 9], "y": [0, 1, 1]})
    instance = bt.Instance.from_frame(frame, "y", levels={"x": 4})
    assert instance.codes.tolist() == [[0, 0], [0, 1], [3, 2]]


def test_a_column_with_too_many_outcomes_is_named_with_the_remedy() -> None:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(300)], "y": [0, 1] * 150})
    with pytest.raises(ValueError, match=r"column 'id' .* has 300 different outcomes; .*at most 255\. Drop the column"):
        bt.Instance.from_frame(frame, "y")
    dates = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(300)]
    with pytest.raises(ValueError, match="column 'day'"):
        bt.Instance.from_frame(pl.DataFrame({"day": dates, "y": [0, 1] * 150}), "y")


def test_255_outcomes_are_allowed() -> None:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(255)], "y": [0, 1, 1] * 85})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    assert tree.n_leaves == 255
    assert bt.grow(bt.Instance(np.arange(255)[:, None], np.arange(255) % 2)).errors == 0


def test_close_levels_of_large_numbers_have_different_names() -> None:
    for column in (1.7e18 + np.arange(20) * 1e6, 1.0 + np.arange(20) * 2.0**-52, 1e15 + np.arange(30.0)):
        instance = bt.Instance.from_frame(pd.DataFrame({"a": column, "y": [0, 1] * (len(column) // 2)}), "y")
        assert len(set(instance.outcome_names[0])) == 10


def test_unusual_values_keep_readable_names_apart() -> None:
    frame = pd.DataFrame({"x": [1, "1", "missing", None], "z": [None] * 4, "y": [0, 1, 0, 1]}, dtype=object)
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.outcome_names[0] == ("1", "'1'", "'missing'", "missing")
    assert bt.grow(instance).errors == 0


@given(
    st.lists(st.floats(-1e9, 1e9) | st.integers(-50, 50).map(float), min_size=2, max_size=30, unique=True),
    st.integers(2, 12),
)
def test_a_levels_thresholds_say_what_encoding_does(numbers: list[float], levels: int) -> None:
    encoder = Levels("x", min(numbers), max(numbers), levels, has_missing=False)
    edges = [
        edge for t in encoder.thresholds for edge in (math.nextafter(t, -math.inf), t, math.nextafter(t, math.inf))
    ]
    values = np.array([*numbers, *edges, min(numbers) - 1, max(numbers) + 1])
    codes = encoder.encode(Column("x", "Float64", numbers=values))
    assert codes.tolist() == [sum(value >= t for t in encoder.thresholds) for value in values.tolist()]


@pytest.mark.parametrize("n_values", [1, 2, 16, 17, 60])
def test_numbers_that_are_told_apart_have_the_place_of_their_value(n_values: int) -> None:
    rng = np.random.default_rng(n_values)
    numbers = rng.choice(np.append(rng.normal(size=n_values), np.nan), 500)
    encoder = fit_encoder(Column("age", "number", numbers=numbers), 100)
    assert isinstance(encoder, Categories)
    known = sorted({value for value in numbers.tolist() if value == value})
    assert list(encoder.values) == known
    others = np.concatenate((numbers, rng.normal(size=20), [np.inf, -np.inf]))
    places = {value: place for place, value in enumerate(known)}
    expected = [len(known) if value != value else places.get(value, UNSEEN) for value in others.tolist()]
    assert encoder.encode(Column("age", "number", numbers=others)).tolist() == expected


def test_the_largest_floats_are_of_the_last_levels_and_nothing_overflows() -> None:
    levels = Levels("x", 0.0, 1.0, 10, has_missing=False)
    largest = np.finfo(np.float64).max
    assert levels.encode(Column("x", "number", numbers=np.array([largest, -largest, 0.5]))).tolist() == [9, 0, 4]
