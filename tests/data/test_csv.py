"""CSV files: whatever spreadsheets write is read, and what is broken is named with its line."""

from __future__ import annotations

import builtins
import csv
import io
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from _support.refusals import refused
from budgetree.data.column import Coded
from budgetree.data.csv import CsvSource
from budgetree.data.source import MISSING_CELLS, Reading, ReadLimits, read_table
from budgetree.data.table import Table
from budgetree.errors import SettingError, TableFileError, Where


def read_csv(data: str, paths: list[str], reading: Reading) -> Table:
    return CsvSource.open(data, paths, reading).table()


def table(tmp_path: Path, text: str, in_bytes: str = "utf-8", **settings: Any) -> Table:
    path = tmp_path / "cases.csv"
    path.write_bytes(text.encode(in_bytes))
    return read_csv(str(path), [str(path)], Reading(**settings))


def values(table: Table, name: str) -> list[Any]:
    return [None if value != value else value for value in table.column(name).to_list()]


def test_quotes_gaps_and_types(tmp_path: Path) -> None:
    text = 'name,age,note\n"Groß, Äda",31,"said ""no"""\nBob,,"two\nlines"\nÉve,4.5e1,n/a\n'
    found = table(tmp_path, text)
    assert found.names == ["name", "age", "note"]
    assert values(found, "name") == ["Groß, Äda", "Bob", "Éve"]
    assert values(found, "age") == [31, None, 45]
    assert values(found, "note") == ['said "no"', "two\nlines", None]
    assert [found.where(row).line for row in range(3)] == [2, 3, 5]
    assert list(found.column("age").texts or ()) == ["31", None, "4.5e1"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    found = table(tmp_path, f'"a,b;c\td|e"{delimiter}x\n1{delimiter}2\n')
    assert found.names == ["a,b;c\td|e", "x"]
    assert values(found, "x") == [2]


def test_decimal_commas_go_with_semicolons(tmp_path: Path) -> None:
    assert values(table(tmp_path, "x;y\n3,5;1\n-0,25;2\n"), "x") == [3.5, -0.25]
    assert values(table(tmp_path, 'x,y\n"3,5",1\n'), "x") == ["3,5"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    assert table(tmp_path, "größe,y\r\n1,2\r\n\r\n3,4\r\n", encoding).names == ["größe", "y"]


@pytest.mark.parametrize("n_rows", [12, 10_050])  # read as text alone, and by a plan
def test_codes_keep_their_leading_zeros(tmp_path: Path, n_rows: int) -> None:
    lines = [f"{i:05d},{i % 9:03d},0.{i},{i}" for i in range(n_rows)]
    codes, few, shares, numbers = table(tmp_path, "\n".join(["code,few,share,number", *lines])).columns
    assert [column.numbers is None for column in (codes, few, shares, numbers)] == [True, True, False, False]
    assert (codes.to_list()[7], few.to_list()[7]) == ("00007", "007")


def test_what_is_missing_can_be_said(tmp_path: Path) -> None:
    text = "x,y\n1,a\n?,b\n"
    assert values(table(tmp_path, text), "x") == ["1", "?"]
    assert values(table(tmp_path, text, missing=["?"]), "x") == [1, None]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", {"line": None}),
        ("\n\n", {"line": None}),
        ("a,b,a,c,a,b\n1,2,3,4,5,6\n", {"line": 1, "subject": "a"}),
        ("a,,c\n1,2,3\n", {"line": 1}),
        ("a,b\n1,2\n3\n", {"line": 3, "found": 1}),
        ('a,b\n1,2\n"x\ny",2,3\n', {"line": 3, "found": 3}),
        ('a,b\n1,"2\n3,4\n', {"line": 2}),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, text: str, fields: dict[str, Any]) -> None:
    with refused(TableFileError, source=str(tmp_path / "cases.csv"), **fields):
        table(tmp_path, text)


def test_a_sign_for_unreadable_letters_is_text_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_bytes("a,b\n\ufffd,1\n".encode() + b"\xe4,2\n")
    with refused(TableFileError, line=3, expected="windows-1252"):
        read_table(str(tmp_path / "cases.csv"))


def test_other_encodings_are_named(tmp_path: Path) -> None:
    with refused(TableFileError, line=2, expected="windows-1252") as caught:
        table(tmp_path, "a,b\nGröße,1\n", "latin-1")
    advice = "As Windows-1252 it reads 'Größe,1': if that is right, use --encoding windows-1252; else save the file"
    assert advice in caught.value.on_command_line()
    found = table(tmp_path, "a,b\nGröße – 5 €,1\n", "windows-1252", encoding="windows-1252")
    assert values(found, "a") == ["Größe – 5 €"]
    with refused(TableFileError, found="utf-16"):
        table(tmp_path, "a,b\nx,1\n1", encoding="utf-16")
    with refused(SettingError, subject="encoding", found="klingon"):
        read_csv("x", [str(tmp_path / "cases.csv")], Reading(encoding="klingon"))


@settings(max_examples=50, deadline=None)
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
    found = read_csv(str(path), [str(path)], Reading())
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


def long_file(tmp_path: Path, rows: list[list[str]]) -> Table:
    """A file of which the first four rows are the sample."""
    limits = ReadLimits(sample_rows=4)
    return table(tmp_path, "a;b\n" + "".join(";".join(row) + "\n" for row in rows), limits=limits)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2", "3", "4", "5,5", "", " 7 "], [1, 2, 3, 4, 5.5, None, 7]),
        (["1", "2", "3", "4", "x"], ["1", "2", "3", "4", "x"]),
        (["1", "2", "3", "4", " NA "], [1, 2, 3, 4, None]),
        (["1", "2", "3", "4", "1_000"], ["1", "2", "3", "4", "1_000"]),
        (["1", "2", "3", "4", "inf"], ["1", "2", "3", "4", "inf"]),
        (["1", "2", "3", "4", "9007199254740993"], ["1", "2", "3", "4", "9007199254740993"]),
        (["1", "2", "3", "4", "07"], ["1", "2", "3", "4", "07"]),
        (["1", "2", "3", "4", "9.5"], [1, 2, 3, 4, 9.5]),
        (["a", "b", "a", "b", "b", ""], ["a", "b", "a", "b", "b", None]),
        (["a", "b", "a", "b", "c"], ["a", "b", "a", "b", "c"]),
        (["a", "b", "c", "d", "e", "e"], ["a", "b", "c", "d", "e", "e"]),
        (["1", "2", "1", "2", "3,5"], [1, 2, 1, 2, 3.5]),
        (["1", "2", "1", "2", "1"], [1, 2, 1, 2, 1]),
        (["", "", "", "", "3"], [None, None, None, None, 3]),
        (["", "", "", "", ""], [None] * 5),
    ],
    ids=str,
)
def test_what_the_first_rows_promise_is_not_relied_on(tmp_path: Path, cells: list[str], expected: list[Any]) -> None:
    found = long_file(tmp_path, [[cell, "x"] for cell in cells])
    assert values(found, "a") == expected
    assert len(found) == len(cells)
    short = table(tmp_path, "a;b\n" + "".join(f"{cell};x\n" for cell in cells))
    assert values(short, "a") == expected


def test_a_long_file_is_not_held_row_by_row(tmp_path: Path) -> None:
    found = long_file(tmp_path, [[f"{i}", "xy"[i % 2]] for i in range(9)])
    assert found.column("a").values is None
    assert isinstance(found.column("b").values, Coded)
    assert found.where(8).line == 10


def both_ways(tmp_path: Path, text: str, **settings: Any) -> Table:
    """A file as it is read if it is short, after a look at how a long one is."""
    long = table(tmp_path, text, limits=ReadLimits(sample_rows=1), **settings)
    short = table(tmp_path, text, **settings)
    assert short.names == long.names
    assert [values(short, name) for name in short.names] == [values(long, name) for name in long.names]
    return short


def test_a_name_with_a_line_break_hides_no_row(tmp_path: Path) -> None:
    found = both_ways(tmp_path, '"Größe\n(cm)",y\n170,a\n180,"b\r\nc"\n')
    assert found.names == ["Größe\n(cm)", "y"]
    assert values(found, "Größe\n(cm)") == [170, 180]
    assert values(found, "y") == ["a", "b\r\nc"]
    assert [found.where(row).line for row in range(2)] == [3, 4]


@pytest.mark.parametrize("cell", ["", "NA", " ", "nan"])
def test_a_row_with_a_cell_too_many_is_never_taken_for_a_shorter_one(tmp_path: Path, cell: str) -> None:
    text = f"name,age,smokes\nSmith,41,yes\nJones, John,52,{cell}\n"
    for rows in (1, 10_000):
        with refused(TableFileError, line=3, found=4):
            table(tmp_path, text, limits=ReadLimits(sample_rows=rows))


def test_a_delimiter_may_end_every_row(tmp_path: Path) -> None:
    for header in ("a;b", "a;b;"):
        found = both_ways(tmp_path, f"{header}\r\n1;x;\r\n;y;\r\n3;NA;\r\n")
        assert values(found, "a") == [1, None, 3]
        assert values(found, "b") == ["x", "y", None]
    with refused(TableFileError, line=3, found=3):
        table(tmp_path, "a;b;\n1;x;\n2;y;z\n")


def test_one_column_keeps_its_missing_cells(tmp_path: Path) -> None:
    assert values(both_ways(tmp_path, "a\n1\nNA\n\n3\n"), "a") == [1, None, 3]


@pytest.mark.parametrize("missing", ["999", "-1,5", "1e5", "inf", "?", "x_1", "007", "{}", "it's"])
def test_a_number_may_stand_for_missing(tmp_path: Path, missing: str) -> None:
    found = both_ways(tmp_path, f"a;b\n1;2\n{missing};NaN\n3;4\n", missing=[missing])
    assert values(found, "a") == [1, None, 3]
    assert values(found, "b") == [2, None, 4]


@pytest.mark.parametrize(
    "cells",
    [
        ["-9007199254740993", "-9007199254740992"],
        ["+9007199254740993", "1"],
        ["9007199254740993.0", "1"],
        ["1234567890123456789.5", "1234567890123456789.25"],
        ["18446744073709551617", "18446744073709551616"],
    ],
)
def test_no_number_is_silently_another(tmp_path: Path, cells: list[str]) -> None:
    found = both_ways(tmp_path, "a,b\n" + "".join(f"{cell},x\n" for cell in cells))
    assert values(found, "a") == cells


def test_several_files_are_one_table(tmp_path: Path) -> None:
    for name, text in (("1.csv", "\n\na,b\n1,x\n"), ("2.csv", "a,b\n2,y\n3,z\n"), ("3.csv", "b,a\n1,2\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("1.csv", "2.csv", "3.csv")]
    found = read_csv("all", paths[:2], Reading())
    assert values(found, "a") == [1, 2, 3]
    assert values(found, "b") == ["x", "y", "z"]
    assert found.where(0) == Where(paths[0], line=4)
    assert found.place(2) == f"line 3 of {paths[1]}"
    with refused(TableFileError, source=paths[2]):
        read_csv("all", paths, Reading())
    (tmp_path / "3.csv").write_text("a,c\n1,2\n", encoding="utf-8")
    with pytest.raises(
        TableFileError, match=r"3.csv: its header is not .*1.csv \(it has 'c' and it has no 'b'\); files"
    ):
        read_csv("all", paths, Reading())


def test_a_name_with_marks_of_patterns_is_a_name(tmp_path: Path) -> None:
    for name, cell in (("a[1].csv", "in brackets"), ("a1.csv", "plain"), ("b*.csv", "a star"), ("bc.csv", "none")):
        (tmp_path / name).write_text(f"x,y\n{cell},1\n", encoding="utf-8")
        path = str(tmp_path / name)
        assert values(read_csv(path, [path], Reading()), "x") == [cell]


def test_what_duckdb_refuses_and_python_reads_is_read(tmp_path: Path) -> None:
    assert values(table(tmp_path, "a,b\n1,2\r\n3,4\n"), "b") == [2, 4]
    long = "x" * 3_000_000
    assert values(table(tmp_path, f"a,b\n1,{long}\n"), "b") == [long]
    assert values(table(tmp_path, 'a,"b\nc"\n1,"x\r\ny"\n2,z\n'), "b\nc") == ["x\r\ny", "z"]


@pytest.mark.parametrize("n_rows", [20, 10_050])
def test_a_file_is_opened_once_to_be_sniffed_and_the_rest_is_duckdbs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_rows: int
) -> None:
    path, opened, really_open = tmp_path / "t.csv", list[str](), builtins.open
    path.write_text("a,b\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(n_rows)), encoding="utf-8")

    def counting(file: Any, *args: Any, **kwargs: Any) -> Any:
        opened.append(str(file))
        return really_open(file, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", counting)
    assert len(read_table(str(path))) == n_rows
    assert opened.count(str(path)) == 1


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n1,x,\n2.5, y ,NA\n,,\n",
        "a;b;c;\n1,5;x;007;\n2;y;8;\n",
        'a,b,c\n"1,5","x\ny",3\n\n2,"say ""no""",4\n',
        "a,b,c\n",
    ],
)
def test_a_short_and_wide_table_is_read_the_same_without_duckdb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    expected = read_table(str(path))
    monkeypatch.setattr("budgetree.data.csv.open_database", None)  # which has room for 2048 rows of every column
    found = read_table(str(path), Reading(limits=ReadLimits(very_wide=2)))
    assert (found.names, len(found)) == (expected.names, len(expected))
    for one, other in zip(found.columns, expected.columns, strict=True):
        assert (one.dtype, one.written) == (other.dtype, other.written)
        assert list(one.texts or ()) == list(other.texts or ())
        assert list(map(repr, one.to_list())) == list(map(repr, other.to_list()))
    assert [found.place(row) for row in range(len(found))] == [expected.place(row) for row in range(len(expected))]
    path.write_text("a,b,c\n1,2,3\n1,2\n", encoding="utf-8")
    with pytest.raises(TableFileError, match="line 3: 2 cells, but the header has 3 columns"):
        read_table(str(path), Reading(limits=ReadLimits(very_wide=2)))
