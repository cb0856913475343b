"""Surveys: put together part by part they give the encoder of the whole column."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.data.column import Column
from budgetree.data.encoders import encoder_for, fit_encoder
from budgetree.data.profile import ColumnProfile, MixedColumnError, merged
from budgetree.errors import TableError

missing = st.just(float("nan"))
numbers = st.lists(st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), missing), max_size=30)
texts = st.lists(st.one_of(st.sampled_from("abcdefghijklmno"), st.none()), max_size=30)
long_numbers = st.lists(st.one_of(st.integers(2**53 - 2, 2**53 + 3), st.integers(0, 3), st.none()), max_size=12)


def number_column(cells: Sequence[float]) -> Column:
    return Column("c", "Float64", numbers=np.array(cells, dtype=np.float64))


def value_column(cells: Sequence[Any]) -> Column:
    return Column("c", "Object", values=list(cells)).with_numbers()


def by_parts(columns: Sequence[Column], levels: Any) -> Any:
    n_levels = levels if isinstance(levels, int) else levels["c"]
    profiles = [ColumnProfile.of(column, n_levels, f"part {i}") for i, column in enumerate(columns)]
    return encoder_for(merged(profiles), levels)


@given(st.lists(numbers, min_size=1, max_size=5), st.sampled_from([2, 4, 10, {"c": 3}]))
def test_numbers(parts: list[list[float]], levels: Any) -> None:
    whole = number_column([cell for part in parts for cell in part])
    assert by_parts([number_column(part) for part in parts], levels) == fit_encoder(whole, levels)


@given(st.lists(texts, min_size=1, max_size=5))
def test_texts(parts: list[list[str | None]]) -> None:
    whole = value_column([cell for part in parts for cell in part])
    assert by_parts([value_column(part) for part in parts], 10) == fit_encoder(whole, 10)


@given(st.lists(long_numbers, min_size=1, max_size=5), st.sampled_from([2, 10]))
def test_numbers_of_many_digits(parts: list[list[int | None]], levels: int) -> None:
    whole = value_column([cell for part in parts for cell in part])
    assert by_parts([value_column(part) for part in parts], levels) == fit_encoder(whole, levels)


def test_numbers_here_and_texts_there_are_refused_and_both_named() -> None:
    columns = [value_column([None]), number_column([1.5, 2.0]), value_column(["high", None])]
    with pytest.raises(MixedColumnError, match=r"numbers in part 1 \(1.5\) and text in part 2 \('high'\)") as error:
        by_parts(columns, 10)
    assert error.value.subject == "c"


def test_levels_of_texts_are_refused() -> None:
    with refused(TableError, subject="c", found="Object"):
        by_parts([value_column(["a"]), value_column(["b"])], {"c": 5})


def test_labels_may_come_in_any_container() -> None:
    codes = [[0], [1]]
    for labels in (pa.chunked_array([["a", "b"]]), pd.Series(["a", "b"]), pl.Series(["a", "b"]), iter(["a", "b"])):
        assert bt.Instance(codes, labels).class_names == ("a", "b")
    assert bt.Instance(codes, [np.int64(3), np.float32(4)]).class_names == (3, 4.0)
    assert bt.Instance(codes, np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]")).class_names[0].startswith("2020")
    with refused(TableError, found=1):
        bt.Instance(codes, pa.chunked_array([["a", None]]))
    uneven = bt.grow(bt.Instance(codes, [(1, 2), (3,)]))
    assert uneven.predict_codes(codes).tolist() == [(1, 2), (3,)]


def test_labels_that_only_look_alike_stay_apart() -> None:
    frame = pd.DataFrame({"x": [0, 1], "y": pd.Series([1, "1"], dtype=object)})
    assert bt.Instance.from_frame(frame, "y").class_names == (1, "1")
    with refused(TableError, subject="class_names"):
        bt.Instance([[0], [1]], [0, 1], class_names=["a", "a"])
    with refused(TableError, subject="class_names"):
        bt.Instance([[0], [1]], np.array([0, 1]), class_names=["a", "a"])


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5, 0.25, 0.1, 1 / 3]), min_size=1, max_size=9).filter(any))
def test_weights_come_back_as_given(weights: list[float]) -> None:
    instance = bt.Instance([[0]] * len(weights), [0] * len(weights), weights=weights)
    assert instance.row_weights == pytest.approx(weights, rel=1e-10)
    total = instance.weight_units.sum() / instance.schema.weight_scale
    assert float(total) == pytest.approx(sum(weights), rel=1e-10)


RANGE = "expected 0 or a number between 1e-30 and 1e30."


@pytest.mark.parametrize(
    ("weight", "shown"),
    [
        (Decimal("1e-10000000"), "1E-10000000"),
        (Decimal("1e10000000"), r"1E\+10000000"),
        (Fraction(1, 10**40), "1/1000000"),
        (10**5000, "about 1e5000"),
    ],
    ids=["tiny", "huge", "fraction", "whole"],
)
def test_no_weight_silently_becomes_another(weight: Any, shown: str) -> None:
    for weights in ([weight, 1], [1, weight, 1.5], np.array([weight, 0.5], dtype=object), [weight] * 100_000):
        codes, labels = [[0]] * len(weights), [0] * len(weights)
        began = time.process_time()
        with pytest.raises(ValueError, match=rf"^weights: there is {shown}0*; {RANGE}$"):
            bt.Instance(codes, labels, weights=weights)
        with pytest.raises(ValueError, match=rf"^sample_weight: there is {shown}0*; {RANGE}$"):
            bt.BudgetTreeClassifier().fit(codes, labels, sample_weight=weights)
        assert time.process_time() - began < 5


def test_weights_of_any_kind_are_taken_as_they_are() -> None:
    weights = [Decimal("0.25"), Fraction(1, 2), True, 0, Decimal("0e-999999999"), 1.5, np.float32(2), 10**20 // 10**19]
    instance = bt.Instance([[0]] * len(weights), [0] * len(weights), weights=weights)
    assert instance.row_weights.tolist() == [0.25, 0.5, 1, 0, 0, 1.5, 2, 10]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (10**5000, r"shape \(\) for 2 cases; expected one weight for each\."),
        (["a", "b"], r"there is 'a'; expected one number per case\."),
        ([1, {}], r"there is {}; expected one number per case\."),
        ([[1], [1, 2]], "expected one number per case, but there are lists of several lengths."),
        ([Decimal("NaN"), 1], "there is NaN; weights must be finite and at least 0."),
        ([1, Decimal(-1)], "there is -1; weights must be finite and at least 0."),
    ],
    ids=["no list", "texts", "a table", "several lengths", "no number", "below 0"],
)
def test_what_is_no_weight_is_refused_in_our_words_alone(weights: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^weights: {words}$"):
        bt.Instance([[0], [1]], [0, 1], weights=weights)
