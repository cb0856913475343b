"""Reading: what a user may say about a file."""

from __future__ import annotations

import pytest

from budgetree.data.number_format import NumberFormat
from budgetree.data.source import Reading


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"decimal": ";"}, "decimal is ';'; expected"),
        ({"thousands": "1"}, "thousands is '1'; expected one mark"),
        ({"thousands": ""}, "thousands is ''; expected one mark"),
        ({"decimal": ",", "thousands": ","}, "decimal and thousands are both ','"),
    ],
)
def test_marks_that_cannot_be(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Reading(**settings)  # type: ignore[arg-type]


def test_the_marks_that_are_given_come_first() -> None:
    assert Reading().number_format(",") == NumberFormat(",", is_guess=True)
    assert Reading(decimal=".").number_format(",") == NumberFormat(".")
    assert Reading(thousands=".").number_format() == NumberFormat(",", ".")
    assert Reading(thousands=" ").number_format(",") == NumberFormat(",", " ", is_guess=True)


def test_missing_cells_are_the_usual_ones_and_those_that_are_named() -> None:
    assert {"", "NA", "n/a", "?"} <= Reading([" ? "]).missing_cells
    assert "?" not in Reading().missing_cells
