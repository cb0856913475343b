"""Values as SQL writes them read back as the same values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.show.export.conditions import Condition, Range
from budgetree.show.export.sql import column, condition_words, literal
from exported import database


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_characters="\0", codec="utf-8"))
)
def test_numbers_and_texts_read_back_as_they_were(value: float | str) -> None:
    ((found,),) = database().execute(f"SELECT {literal(value)}").fetchall()  # SQLite loses the last digit of some
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        (Condition(True), '"a ""b""" IS NULL'),
        (Condition(False, ranges=(Range(None, 2.0), Range(3.5, None))), '"a ""b""" < 2.0e0 OR "a ""b""" >= 3.5e0'),
        (Condition(False, ranges=(Range(None, None),)), '"a ""b""" IS NOT NULL'),
        (Condition(True, values=("x", 1)), '"a ""b""" IS NULL OR "a ""b""" IN (\'x\', 1)'),
        (Condition(False), "FALSE"),
    ],
)
def test_conditions_in_words(taken: Condition, words: str) -> None:
    assert condition_words(column('a "b"'), taken) == words
