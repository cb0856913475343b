"""Table: its columns, its rows, and what to call them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from _support.refusals import refused
from budgetree.data.column import Column, text_column
from budgetree.data.number_format import NumberFormat
from budgetree.data.source import Reading, read_table
from budgetree.data.table import Lines, Table, known_cases
from budgetree.errors import TableError, TableFileError, Where

STARTS = [("cases.csv", 2), ("cases.csv", 3), ("more.csv", 5), ("more.csv", 6)]
CELLS = {"a": ["1", None, "2,5", None], "b": ["x", "y", None, None]}


def text_table() -> Table:
    columns = tuple(text_column(name, cells, NumberFormat(",")) for name, cells in CELLS.items())
    return Table("cases.csv", columns, 4, lines=Lines(np.arange(4), partial(iter, STARTS)))


def typed_table() -> Table:
    columns = (Column("a", "Float64", numbers=np.array([1.0, np.nan, 2.5])), Column("b", "Date", values=[3, None, "x"]))
    return Table("frame", columns, 3, library="polars")


def test_a_row_is_called_by_its_line_or_its_number() -> None:
    assert [text_table().where(row) for row in (0, 2)] == [Where("cases.csv", 2), Where("more.csv", 5)]
    assert [text_table().place(row) for row in (0, 2)] == ["line 2", "line 5 of more.csv"]
    assert [typed_table().place(row) for row in (0, 2)] == ["row 1", "row 3"]
    assert typed_table().where(2) == Where("frame", entry="row 3")
    beyond = replace(text_table(), lines=Lines(np.array([8, 2]), partial(iter, STARTS)))
    assert [beyond.place(row) for row in (0, 1)] == ["row 1", "line 5 of more.csv"]


@pytest.mark.parametrize("table", [text_table(), typed_table()], ids=["texts", "typed"])
def test_some_rows_keep_what_the_columns_are(table: Table) -> None:
    some = table.take(np.array([2, 0]))
    assert len(some) == 2
    assert (some.source, some.library, some.names) == (table.source, table.library, table.names)
    for column, whole in zip(some.columns, table.columns, strict=True):
        assert (column.numbers is None) == (whole.numbers is None)
        assert (column.texts is None) == (whole.texts is None)
        assert column.to_list() == [whole.to_list()[2], whole.to_list()[0]]
        assert column.dtype == whole.dtype
    assert some.place(0) == (table.place(2) if table.lines else "row 1")


def test_columns_are_left_out_kept_and_renamed() -> None:
    table = typed_table()
    assert table.without(["a", "z"]).names == ["b"]
    assert table.only(["a", "z"]).names == ["a"]
    assert len(table.only([])) == 3
    assert table.renamed(["c", "d"]).column("d").to_list() == [3, None, "x"]


def test_cells_are_written_as_a_file_of_text_has_them() -> None:
    assert text_table().csv_lines() == ["1,x", ",y", '"2,5",', ","]
    assert typed_table().csv_lines() == ["1,3", ",", "2.5,x"]


def test_only_files_of_text_have_empty_rows() -> None:
    full = text_table().without_empty_rows()
    assert len(full) == 3
    assert [full.where(row).line for row in range(3)] == [2, 3, 5]
    gaps = Table("frame", (Column("a", "Int64", values=[None, 1]),), 2)
    assert gaps.without_empty_rows() is gaps


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([1, None, Decimal("2.5")], [1, None, 2.5]),
        ([True, 1], None),
        (["1", 2], None),
        ([np.float32(0.5), 3], [0.5, 3]),
    ],
)
def test_values_are_numbers_where_all_of_them_are(values: list[Any], numbers: list[float | None] | None) -> None:
    found = Column("x", "object", values=values).as_numbers()
    shown = None if found is None else [None if number != number else number for number in found.tolist()]
    assert shown == numbers


def test_an_infinite_number_is_named_with_its_row() -> None:
    for value in (float("inf"), 10**400, -(10**400)):
        with refused(TableError, subject="x", found=1):
            Column("x", "object", values=[1, value]).with_numbers()


def test_values_that_cannot_be_told_apart_are_refused_by_the_columns_name() -> None:
    with refused(TableError, subject="ecg", found="STRUCT"):
        Column("ecg", "STRUCT", values=[{"a": 1}, None]).coded()


def read_known_cases(path: str, target: str, reading: Reading) -> Table:
    return known_cases(read_table(path, reading), target, reading.drop)


def test_the_tests_and_the_target_remain(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("patient,age,y\n1,30,a\n,,\n2,40,b\n", encoding="utf-8")
    table = read_known_cases(str(path), "y", Reading(drop=["patient"]))
    assert table.names == ["age", "y"]
    assert table.column("age").to_list() == [30, 40]


@pytest.mark.parametrize(
    ("text", "drop", "fields"),
    [
        ("a,z\n1,2\n", [], {"subject": "y"}),
        ("a,y\n1,2\n", ["b"], {"subject": "b"}),
        ("a,y\n1,2\n", ["y"], {"subject": "y"}),
        ("a,y\n1,2\n3,\n", [], {"subject": "y"}),
        ("a;y\n4.500;1\n3,2;2\n", [], {"subject": "a", "found": "4.500", "line": 2}),
    ],
)
def test_what_is_missing_or_doubtful_is_said(
    tmp_path: Path, text: str, drop: list[str], fields: dict[str, Any]
) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with refused(TableFileError, source=str(tmp_path / "t.csv"), **fields):
        read_known_cases(str(tmp_path / "t.csv"), "y", Reading(drop=drop))


def test_rows_without_a_class_are_named_by_their_lines(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,2\n3,\n", encoding="utf-8")
    with pytest.raises(TableFileError, match=r"'y' is empty in 1 row \(line 3\); fill in .*, or delete the row\.$"):
        read_known_cases(str(tmp_path / "t.csv"), "y", Reading())


def test_a_target_may_hold_what_could_be_two_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;y\n1;4.500\n2;3,2\n", encoding="utf-8")
    assert len(read_known_cases(str(tmp_path / "t.csv"), "y", Reading())) == 2


@pytest.mark.parametrize("content", ["a,y\n", "a,y", "a,y\n\n\n", "a,y\n,\n"])
def test_a_header_without_rows_is_said_to_be_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    with refused(TableFileError, source=str(tmp_path / "t.csv")):
        read_known_cases(str(tmp_path / "t.csv"), "y", Reading())
