"""CSV files: whatever spreadsheets write is read, and what is broken is named with its line."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.errors import TableFileError
from budgetree.problem.tables.csv_file import MISSING_CELLS, read_csv
from budgetree.problem.tables.table import Table


def table(tmp_path: Path, text: str, encoding: str = "utf-8", **settings: Any) -> Table:
    path = tmp_path / "cases.csv"
    path.write_bytes(text.encode(encoding))
    return read_csv(path, **settings)


def values(table: Table, name: str) -> list[Any]:
    return [None if value != value else value for value in table.column(name).to_list()]


def test_quotes_gaps_and_types(tmp_path: Path) -> None:
    text = 'name,age,note\n"Groß, Äda",31,"said ""no"""\nBob,,"two\nlines"\nÉve,4.5e1,n/a\n'
    found = table(tmp_path, text)
    assert found.names == ["name", "age", "note"]
    assert values(found, "name") == ["Groß, Äda", "Bob", "Éve"]
    assert values(found, "age") == [31, None, 45]
    assert values(found, "note") == ['said "no"', "two\nlines", None]
    assert found.lines == [2, 3, 5]
    assert [found.where(row) for row in range(3)] == ["line 2", "line 3", "line 5"]
    assert found.column("age").texts == ["31", None, "4.5e1"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    found = table(tmp_path, f'"a,b;c\td|e"{delimiter}x\n1{delimiter}2\n')
    assert found.names == ["a,b;c\td|e", "x"]
    assert values(found, "x") == [2]


def test_decimal_commas_go_with_semicolons(tmp_path: Path) -> None:
    assert values(table(tmp_path, "x;y\n3,5;1\n-0,25;2\n"), "x") == [3.5, -0.25]
    assert values(table(tmp_path, 'x,y\n"3,5",1\n'), "x") == ["3,5"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    assert table(tmp_path, "größe,y\r\n1,2\r\n\r\n3,4\r\n", encoding).names == ["größe", "y"]


def test_what_is_missing_can_be_said(tmp_path: Path) -> None:
    text = "x,y\n1,a\n?,b\n"
    assert values(table(tmp_path, text), "x") == ["1", "?"]
    assert values(table(tmp_path, text, missing=["?"]), "x") == [1, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; expected a header line"),
        ("\n\n", "the file is empty"),
        ("a,b,a,c,a,b\n1,2,3,4,5,6\n", r"line 1: .*'a' in columns 1, 3, 5; 'b' in columns 2, 6\. Rename or drop"),
        ("a,,c\n1,2,3\n", "line 1: column 2 has no name"),
        ("a,b\n1,2\n3\n", r"line 3: 1 cell, but the header has 2 columns"),
        ('a,b\n1,2\n"x\ny",2,3\n', r"line 3: 3 cells"),
        ('a,b\n1,"2\n3,4\n', "line 2: .*a quote may not be closed"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TableFileError, match=message) as caught:
        table(tmp_path, text)
    assert str(tmp_path) in str(caught.value)


def test_other_encodings_are_named(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match=r"line 2: not UTF-8 text\. Save the file as CSV in UTF-8"):
        table(tmp_path, "a,b\nGröße,1\n", "latin-1")


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)] * 3),
        max_size=8,
    )
)
def test_what_python_writes_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b", "c"), *rows])
    path = tmp_path_factory.mktemp("csv") / "cases.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    found = read_csv(path)
    assert len(found) == len(rows)
    assert len(found.without_empty_rows()) == sum(
        any(cell.strip() not in MISSING_CELLS for cell in row) for row in rows
    )
    for place, name in enumerate(found.names):
        for cell, value in zip([row[place].strip() for row in rows], found.column(name).to_list(), strict=True):
            if isinstance(value, str):
                assert value == cell
            elif value is not None and not math.isnan(value):
                assert float(cell) == value
