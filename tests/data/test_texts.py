"""Cells of text: which are numbers, and what a column of them holds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.data.column import first_word, text_column
from budgetree.data.number_format import NumberFormat


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
