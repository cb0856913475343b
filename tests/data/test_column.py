"""Coded: values each once, and rows that point at them."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.data.column import ABSENT, Coded, Column, first_word, text_column
from budgetree.data.frames import code_series, read_frame
from budgetree.data.number_format import NumberFormat

cells = st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "", "ü"])), max_size=12)


@given(cells)
def test_a_coded_column_is_the_sequence_that_it_was_made_from(values: list[str | None]) -> None:
    coded = Coded.of(values)
    assert list(coded) == values == [coded[row] for row in range(len(values))]
    assert list(coded[1:]) == values[1:]
    assert sorted(coded.present()) == sorted({value for value in values if value is not None})
    assert coded.is_absent.tolist() == [value is None for value in values]
    assert coded.counts.tolist() == [*(values.count(value) for value in coded.distinct), values.count(None)]
    assert Coded.of(coded) is coded


@given(cells)
def test_other_values_for_the_same_rows(values: list[str | None]) -> None:
    coded = Coded.of(values)
    shorter = {"a": "x", "b": "x", "": None, "ü": "y", None: None}
    assert list(coded.mapped([shorter[value] for value in coded.distinct])) == [shorter[value] for value in values]


def test_some_rows_keep_all_values_and_know_which_are_there() -> None:
    coded = Coded.of(["a", "b", None, "c"])[np.array([3, 2, 0, 3])]
    assert list(coded) == ["c", None, "a", "c"]
    assert coded.present() == ["a", "c"]
    assert coded.distinct == ("a", "b", "c")
    assert coded.first_row(2) == 0


def test_missing_values_of_libraries_are_missing() -> None:
    coded = Coded.of_distinct(["a", math.nan, np.int64(3)], np.array([0, 1, 2, ABSENT], dtype=np.int32))
    assert list(coded) == ["a", None, 3, None]
    assert type(coded[2]) is int
    assert list(Coded.of_numbers(np.array([2.0, math.nan, 0.5, 2.0]))) == [2, None, 0.5, 2]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        Coded.of([[1], [2]])


COLUMNS: dict[str, list[Any]] = {
    "texts": ["b", None, "a", "b"],
    "flags": [True, None, False, True],
    "days": [date(2024, 2, 29), None, date(2023, 1, 1), date(2024, 2, 29)],
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("make", [pl.Series, pa.array, lambda values: pa.chunked_array([values[:1], values[1:]])])
def test_columns_of_libraries_are_coded_without_their_rows(make: Any, name: str) -> None:
    assert list(code_series(make(COLUMNS[name]))) == COLUMNS[name]


@pytest.mark.parametrize("kind", ["str", "string", "category", "object"])
def test_texts_of_pandas_are_coded_whatever_holds_them(kind: str) -> None:
    assert list(code_series(pd.Series(COLUMNS["texts"], dtype=kind))) == COLUMNS["texts"]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(COLUMNS["texts"], dtype=pl.Categorical),
        pl.Series(COLUMNS["texts"], dtype=pl.Enum(["a", "b", "c"])),
        pa.chunked_array([pa.array(COLUMNS["texts"]).dictionary_encode()]),
    ],
    ids=["Categorical", "Enum", "dictionary"],
)
def test_columns_that_are_coded_already(column: Any) -> None:
    frame = pl.DataFrame({"x": column}) if isinstance(column, pl.Series) else pa.table({"x": column})
    values = read_frame(frame).column("x").values
    assert isinstance(values, Coded)
    assert list(values) == COLUMNS["texts"]


@pytest.mark.parametrize("cell", ["inf", "1_000", "0x10", "12 kg", "1,5", "1e999", "nan", "", "٣,5"])
def test_what_is_no_number_makes_a_column_of_texts(cell: str) -> None:
    column = text_column("x", ["1", cell])
    assert column.to_list() == ["1", cell]
    assert first_word(column) == 1


def test_a_comma_is_a_point_where_the_file_says_so() -> None:
    column = text_column("x", ["3,5", None, "-0,25"], NumberFormat(","))
    assert column.numbers is not None
    assert list(column.texts or ()) == ["3,5", None, "-0,25"]
    assert [value for value in column.to_list() if not math.isnan(value)] == [3.5, -0.25]
    assert first_word(column) is None


def test_long_numbers_are_names() -> None:
    cells = ["9007199254740993", "9007199254740994"]
    assert text_column("x", cells).to_list() == cells


def test_a_column_of_gaps_holds_texts() -> None:
    column = text_column("x", [None, None])
    assert column.numbers is None
    assert column.to_list() == [None, None]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_as_a_float_is_a_number(number: float) -> None:
    assert NumberFormat().is_number(repr(number))
    assert text_column("x", [repr(number)]).to_list() == [number]


@pytest.mark.parametrize(("cells", "is_numbers"), [(["1", "0"], True), (["0.5", "00.5"], True), (["1", "01"], False)])
def test_a_leading_zero_makes_codes_of_whole_numbers(cells: list[str], is_numbers: bool) -> None:
    assert (text_column("x", cells).numbers is not None) == is_numbers


def test_content_is_that_of_the_value_however_it_is_held() -> None:
    numbers = Column("x", "f", numbers=np.array([0.0, -0.0, 1.5, np.nan])).content()
    values = Column("x", "o", values=[0, False, Decimal("1.5"), None]).content()
    assert numbers.tolist() == values.tolist()
    assert len(set(numbers.tolist())) == 3
    large = [2**60 + 1, 2**60, "a", "b"]
    assert len(set(Column("x", "o", values=large).content().tolist())) == 4


def test_values_of_one_digest_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.data.column._digest", lambda value: 7)
    assert Column("x", "o", values=["b", "a", "b", "c"]).content().tolist() == [1, 0, 1, 2]
