"""Surveys: put together part by part they give the encoder of the whole column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.data.column import Column
from budgetree.data.encoders import encoder_for, fit_encoder
from budgetree.data.profile import ColumnProfile, MixedColumnError, merged

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
    return encoder_for(merged(profiles, n_levels), levels)


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
    with pytest.raises(ValueError, match="holds Object, not numbers, so it has no levels"):
        by_parts([value_column(["a"]), value_column(["b"])], {"c": 5})
