"""How numbers are written, and which cells could be two of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.data.number_format import NumberFormat

GUESSED_COMMA, GUESSED_POINT = NumberFormat(",", is_guess=True), NumberFormat(".", is_guess=True)


@pytest.mark.parametrize(
    ("written", "cell", "number"),
    [
        (NumberFormat("."), "3.5", 3.5),
        (NumberFormat("."), "4.500", 4.5),
        (NumberFormat(","), "3,5", 3.5),
        (NumberFormat(","), "1,234", 1.234),
        (NumberFormat(",", "."), "4.500", 4500),
        (NumberFormat(",", "."), "-1.234.567,8", -1234567.8),
        (NumberFormat(".", ","), "1,234", 1234),
        (NumberFormat(".", ","), "1,234.5", 1234.5),
        (NumberFormat(",", " "), "12 345,6", 12345.6),
        (NumberFormat(".", "'"), "1'000", 1000),
        (GUESSED_COMMA, "3,5", 3.5),
        (GUESSED_COMMA, "3.5", 3.5),
        (GUESSED_COMMA, "0.375", 0.375),
        (NumberFormat(",", "'", is_guess=True), "1'234.5", 1234.5),
        (NumberFormat(",", "'", is_guess=True), "1,136", 1.136),
        (GUESSED_COMMA, "0,136", 0.136),
        (GUESSED_COMMA, "1136,500", 1136.5),
        (GUESSED_POINT, "4.5000", 4.5),
    ],
)
def test_numbers(written: NumberFormat, cell: str, number: float) -> None:
    assert written.is_number(cell)
    assert written.number(cell) == number
    assert not written.is_ambiguous(cell)


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        (NumberFormat("."), "1,234"),
        (NumberFormat("."), "1,234,567.8"),
        (NumberFormat(","), "4.500"),
        (GUESSED_COMMA, "4.500"),
        (GUESSED_COMMA, "-1.234,5"),
        (GUESSED_COMMA, "1,136"),
        (GUESSED_COMMA, "1,136,500.5"),
        (GUESSED_POINT, "4.500"),
        (GUESSED_POINT, "1.234,5"),
    ],
)
def test_cells_that_could_be_two_numbers(written: NumberFormat, cell: str) -> None:
    assert written.is_ambiguous(cell)
    assert not written.is_number(cell)


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        (NumberFormat("."), "3,5"),
        (NumberFormat("."), "12,34,567"),
        (NumberFormat("."), "0,234"),
        (NumberFormat(","), "3.5"),
        (NumberFormat(",", "."), "4.50"),
        (NumberFormat(",", "."), "1.23"),
        (NumberFormat(".", ","), "12,34"),
        (NumberFormat(".", " "), "1 00"),
        (GUESSED_COMMA, "1.2.3"),
    ],
)
def test_words(written: NumberFormat, cell: str) -> None:
    assert not written.is_number(cell)
    assert not written.is_ambiguous(cell)


def test_a_column_settles_what_its_points_mean() -> None:
    assert GUESSED_COMMA.settled(["4.500", "12.5"]).number("4.500") == 4.5
    assert GUESSED_COMMA.settled(["4.500", "0.125"]).number("4.500") == 4.5
    assert GUESSED_COMMA.settled(["4.500", "7"]).is_ambiguous("4.500")
    assert GUESSED_COMMA.settled(["4.500", "3,5"]).is_ambiguous("4.500")
    assert GUESSED_COMMA.settled(["4.500", "12.5", "3,5"]).is_ambiguous("4.500")
    given_comma = NumberFormat(",")
    assert given_comma.settled(["4.500", "12.5"]) is given_comma


@pytest.mark.parametrize("guess", [GUESSED_COMMA, GUESSED_POINT])
def test_a_cell_shows_what_the_guessed_mark_means(guess: NumberFormat) -> None:
    mark = guess.decimal
    for shown in ("3.5", "0.125", "-12.3456", "1136.500"):
        assert guess.settled(["1.136".replace(".", mark), shown.replace(".", mark)]).number(f"1{mark}136") == 1.136
    for other in ("392", "4500", "high", ""):
        assert guess.settled([f"1{mark}136", other]).is_ambiguous(f"1{mark}136")


@given(st.integers(-(10**12), 10**12), st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'")]))
def test_thousands_are_read_as_they_are_written(number: int, marks: tuple[str, str]) -> None:
    written = NumberFormat(*marks)
    assert written.number(f"{number:,}".replace(",", marks[1])) == number
