"""Columns of a file as a model knows them, whichever kind of file it was learned from."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from budgetree.data.column import Column
from budgetree.data.encoders import Categories, ColumnEncoder, Levels, as_learned
from budgetree.data.source import read_table
from budgetree.data.table import Table
from budgetree.errors import TableFileError


def written(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "cases.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(str(path))


def column_for(table: Table, encoder: ColumnEncoder) -> Column:
    return as_learned(table, [encoder]).columns[0]


def test_a_model_decides_what_a_cell_is(tmp_path: Path) -> None:
    found = written(tmp_path, "x,y\n1,2\n2,z\n")
    words = column_for(found, Categories("x", ("1", "a"), has_missing=False))
    assert words.to_list() == ["1", "2"]
    numbers = column_for(found, Categories("x", (1, 2), has_missing=False))
    assert numbers.to_list() == [1, 2]
    with pytest.raises(TableFileError, match="line 3: 'y' is 'z'; the model knows it as a number"):
        column_for(found, Levels("y", 0.0, 5.0, 3, has_missing=False))
    huge = written(tmp_path, "x,y\n1e999,2\n")
    assert huge.column("x").to_list() == ["1e999"]
    with pytest.raises(TableFileError, match="line 2: 'x' is '1e999'; the model knows it as a number"):
        column_for(huge, Levels("x", 0.0, 5.0, 3, has_missing=False))


@pytest.mark.parametrize(
    ("known", "cells", "codes"),
    [
        ((0, 1, 2), ["0", "1", "2.0", "x", "7", ""], [0, 1, 2, 255, 255, 255]),
        ((False, True), ["true", "FALSE", "True", "yes"], [1, 0, 1, 255]),
        ((date(2024, 2, 29), date(2024, 3, 1)), ["2024-02-29", "2024-03-01", "soon"], [0, 1, 255]),
        (
            (datetime(2024, 2, 29), datetime(2024, 3, 1, 8)),
            ["2024-02-29", "2024-03-01T08:00", "2024-03-01"],
            [0, 1, 255],
        ),
        (("1", "2", "a"), ["1", "2", "1"], [0, 1, 0]),
        ((1, "a"), ["1", "a", "b"], [0, 1, 255]),
    ],
    ids=str,
)
def test_cells_are_read_as_the_values_a_model_knows(
    tmp_path: Path, known: Any, cells: list[str], codes: list[int]
) -> None:
    found = written(tmp_path, "x,y\n" + "".join(f"{cell},0\n" for cell in cells))
    encoder = Categories("x", known, has_missing=False)
    assert encoder.encode(column_for(found, encoder)).tolist() == codes


def test_typed_values_are_read_as_the_texts_a_model_knows() -> None:
    table = Table("t", (Column("x", "Boolean", values=[True, False, None]), Column("y", "String", values=["b"] * 3)), 3)
    encoder = Categories("x", ("False", "True"), has_missing=True)
    assert encoder.encode(column_for(table, encoder)).tolist() == [1, 0, 2]
    words = Categories("y", ("a", "b"), has_missing=False)
    assert column_for(table, words) is table.columns[1]
    dates = Table("t", (Column("x", "Date", values=[date(2024, 2, 29), date(2024, 3, 1)]),), 2)
    known = Categories("x", ("2024-02-29", "2024-02-29 08:00"), has_missing=False)
    assert known.encode(column_for(dates, known)).tolist() == [0, 255]


def test_numbers_of_a_typed_file_stay_numbers() -> None:
    table = Table("t", (Column("x", "Float64", values=["a"]),), 1)
    encoder = Levels("x", 0.0, 5.0, 3, has_missing=False)
    assert column_for(table, encoder) is table.columns[0]
    with pytest.raises(ValueError, match="column 'x' was numeric when it was learned, but now holds Float64"):
        encoder.encode(column_for(table, encoder))
