"""Parquet files: every kind of value as a data frame of the same has it."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.data.frames import read_frame
from budgetree.data.parquet import Header, ParquetSource, duration_units
from budgetree.data.source import Reading, Wanted, open_source, read_table
from budgetree.errors import TableError, TableFileError

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
    with refused(TableFileError, source=str(tmp_path / "c.parquet")):
        read_table(str(tmp_path / "*.parquet"))


TEXTS = ["a", "b"]


def write(folder: Path, *tables: dict[str, Any]) -> str:
    for number, content in enumerate(tables):
        pq.write_table(pa.table(content), folder / f"{number}.parquet")
    return str(folder / "*.parquet")


def numbers(data: str) -> list[Any]:
    return read_table(data).column("x").to_list()


def test_whole_and_decimal_numbers_are_numbers_in_any_order(tmp_path: Path) -> None:
    whole, decimal = {"x": [1, 2], "y": TEXTS}, {"x": [1.5, 2.25], "y": TEXTS}
    assert numbers(write(tmp_path, whole, decimal)) == [1, 2, 1.5, 2.25]
    assert numbers(write(tmp_path, decimal, whole)) == [1.5, 2.25, 1, 2]


def test_small_and_large_whole_numbers_keep_their_digits(tmp_path: Path) -> None:
    small, large = pa.array([1, None], pa.int8()), pa.array([2**53 + 1, 2**63 + 1], pa.uint64())
    assert numbers(write(tmp_path, {"x": small}, {"x": large})) == [1, None, 2**53 + 1, 2**63 + 1]


def test_a_column_without_values_is_of_any_kind(tmp_path: Path) -> None:
    data = write(tmp_path, {"x": pa.nulls(2)}, {"x": TEXTS}, {"x": pa.nulls(1)})
    assert numbers(data) == [None, None, "a", "b", None]


def test_whole_numbers_beyond_floats_do_not_become_decimal_ones(tmp_path: Path) -> None:
    data = write(tmp_path, {"x": [2**53 + 1]}, {"x": [0.5]})
    with refused(TableFileError, source=str(tmp_path / "0.parquet"), subject="x"):
        read_table(data)


@pytest.mark.parametrize(
    ("other", "fields"),
    [
        ({"x": ["3", "u"], "y": TEXTS}, {"subject": "x", "found": "VARCHAR", "expected": "BIGINT"}),
        ({"x": [True, False], "y": TEXTS}, {"subject": "x", "found": "BOOLEAN", "expected": "BIGINT"}),
        ({"y": TEXTS, "x": [3, 4]}, {}),
        ({"x": [3, 4], "y": TEXTS, "z": [5, 6]}, {}),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, other: dict[str, Any], fields: dict[str, Any]) -> None:
    data = write(tmp_path, {"x": [1, 2], "y": TEXTS}, other)
    with refused(TableFileError, source=str(tmp_path / "1.parquet"), **fields):
        read_table(data)


def test_batches_need_the_same_names_and_keep_the_kinds_of_each_file(tmp_path: Path) -> None:
    data = write(tmp_path, {"x": [1, 2], "y": TEXTS}, {"x": [1.5, 2.25], "y": TEXTS}, {"x": TEXTS, "y": TEXTS})
    found = list(open_source(data).batches(Wanted(texts=["x"])))
    assert [batch.table.column("x").to_list() for batch in found] == [[1, 2], [1.5, 2.25], TEXTS]
    assert [list(batch.lines) for batch in found] == [["1,a", "2,b"], ["1.5,a", "2.25,b"], ["a,a", "b,b"]]
    data = write(tmp_path, {"x": [1, 2], "y": TEXTS}, {"y": TEXTS, "x": [3, 4]})
    with refused(TableFileError, source=str(tmp_path / "1.parquet")):
        open_source(data)


def test_decimals_keep_their_digits(tmp_path: Path) -> None:
    cells = [Decimal(2**53 + 1), Decimal(2**53), None]
    data = write(tmp_path, {"x": pa.array(cells, pa.decimal128(38, 0))})
    assert numbers(data) == [2**53 + 1, 2**53, None]
    assert read_table(data).column("x").numbers is not None


def test_an_infinite_number_is_named_with_its_file(tmp_path: Path) -> None:
    data = write(tmp_path, {"x": [1.5, float("inf")]})
    with refused(TableError, source=data, subject="x", found=1):
        read_table(data)


def test_files_without_a_value_have_a_kind() -> None:
    empty = Header(("x",), ('"NULL"',))
    assert ParquetSource("*", ("a", "b"), (empty, empty), (0, 0), Reading()).kinds() == empty.kinds


SPANS = [timedelta(days=1, seconds=5), timedelta(seconds=-90), None, timedelta(milliseconds=1500)] * 3
MOMENTS = [datetime(2024, month, 1, 10, 0, month, tzinfo=ZoneInfo("Europe/Berlin")) for month in (1, 7, 10)] * 4
SAME: dict[str, list[Any]] = {
    "spans": [pa.array(SPANS, pa.duration(unit)) for unit in ("ms", "us", "ns")],
    "moments": [pa.array(MOMENTS, pa.timestamp(unit, zone)) for unit in ("ms", "us") for zone in ("UTC", "Asia/Tokyo")],
}


@pytest.mark.parametrize(
    "cells", [cells for some in SAME.values() for cells in some], ids=lambda cells: str(cells.type)
)
def test_durations_and_times_with_a_zone_are_those_of_a_frame(tmp_path: Path, cells: Any) -> None:
    table = pa.table({"größe": cells, "n": range(12), "y": [*"abcd"] * 3})
    frames = [table, table.to_pandas(), pl.from_arrow(table)]
    pq.write_table(table, tmp_path / "arrow.parquet")
    pl.from_arrow(table).write_parquet(tmp_path / "polars.parquet")  # type: ignore[union-attr]
    files = [str(tmp_path / name) for name in ("arrow.parquet", "polars.parquet")]
    instances = [
        *(bt.Instance.from_frame(frame, "y") for frame in frames),
        *(bt.Instance.from_file(file, "y") for file in files),
    ]
    assert len({instance.outcome_names for instance in instances}) == 1
    assert all((instance.codes == instances[0].codes).all() for instance in instances)
    tree = bt.optimal(instances[-1], budget=1).tree
    for frame in frames:
        tree.encode(frame)  # which would warn
    values = [table.column("größe").to_list() for table in map(read_table, files)]
    assert values == [read_frame(table).column("größe").to_list()] * 2


def test_durations_too_fine_for_python_are_told_apart(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([5, 1500, 2000], pa.duration("ns"))})
    pq.write_table(table, tmp_path / "t.parquet")
    expected = ["5 ns", "1500 ns", timedelta(microseconds=2)]
    assert read_table(str(tmp_path / "t.parquet")).column("x").to_list() == expected
    assert list(read_frame(table).column("x").coded()) == expected


def test_a_schema_that_arrow_did_not_write_says_nothing_of_durations() -> None:
    written = pa.schema({"a": pa.int64(), "b": pa.duration("s"), "c": pa.duration("ms")}).serialize().to_pybytes()
    assert duration_units(written) == {"b": "duration in s", "c": "duration in ms"}
    for end in range(0, len(written), 7):
        assert set(duration_units(written[:end])) <= {"b", "c"}
    assert duration_units(bytes(range(256))) == {}
