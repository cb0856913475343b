"""Parquet files: every kind of value as a data frame of the same has it."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import budgetree as bt
from budgetree.data.frames import read_frame
from budgetree.data.source import read_table
from budgetree.errors import TableFileError

COLUMNS: dict[str, list[Any]] = {
    "float": [1.5, None, 3.0],
    "int": [1, None, 3],
    "long": [2**53 + 1, None, 2**60],
    "decimal": [Decimal("1.25"), None, Decimal("3.50")],
    "text": ["a", None, "it's"],
    "flag": [True, None, False],
    "day": [date(2024, 2, 29), None, date(2023, 1, 1)],
    "moment": [datetime(2024, 2, 29, 8, 30), None, datetime(2023, 1, 1)],
    "nothing": [None, None, None],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_values_are_those_of_the_frame(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame({name: COLUMNS[name], "y": ["p", "q", "p"]})
    frame.write_parquet(tmp_path / "t.parquet")
    found, expected = (
        [None if value != value else value for value in table.column(name).to_list()]
        for table in (read_table(str(tmp_path / "t.parquet")), read_frame(frame))
    )
    assert found == expected
    instance = bt.Instance.from_table(read_table(str(tmp_path / "t.parquet")), "y")
    assert instance.outcome_names == bt.Instance.from_frame(frame, "y").outcome_names


def test_moments_with_a_zone_are_told_apart(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=0))
    moments = [datetime(2024, 1, 1, tzinfo=zone), datetime(2024, 1, 2, tzinfo=zone), None]
    pl.DataFrame({"x": moments}).write_parquet(tmp_path / "t.parquet")
    values = read_table(str(tmp_path / "t.parquet")).column("x").to_list()
    assert values[2] is None
    assert len(set(values)) == 3


def test_nested_values_are_refused_as_tests(tmp_path: Path) -> None:
    pl.DataFrame({"x": [[1], [2]], "y": ["p", "q"]}).write_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"))
    assert table.column("x").to_list() == [[1], [2]]
    with pytest.raises(ValueError, match="a test's outcomes must be plain values"):
        bt.Instance.from_table(table, "y")


def test_several_files_are_one_table(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"x": [3]}).write_parquet(tmp_path / "b.parquet")
    assert read_table(str(tmp_path / "*.parquet")).column("x").to_list() == [1, 2, 3]
    pl.DataFrame({"z": [3]}).write_parquet(tmp_path / "c.parquet")
    with pytest.raises(TableFileError, match=r"c.parquet: its columns are not those of .*a.parquet"):
        read_table(str(tmp_path / "*.parquet"))
