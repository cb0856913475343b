"""A file is read as what its first bytes say."""

from __future__ import annotations

import csv
import gzip
import io
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from _support.refusals import refused
from budgetree.data.number_format import NumberFormat
from budgetree.data.source import Reading, ReadLimits, Wanted, open_source, read_table
from budgetree.errors import SettingError, TableFileError

FRAME = pd.DataFrame({"x": [1.5, None, 3.0], "word": ["a", None, "b"]})


def test_the_ending_of_a_name_does_not_matter(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "one.csv")
    FRAME.to_csv(tmp_path / "two.parquet", index=False)
    typed, text = read_table(str(tmp_path / "one.csv")), read_table(str(tmp_path / "two.parquet"))
    assert (typed.source, text.source) == (str(tmp_path / "one.csv"), str(tmp_path / "two.parquet"))
    assert (typed.place(0), text.place(0)) == ("row 1", "line 2")
    assert typed.csv_lines() == ["1.5,a", ",", "3,b"]
    assert text.column("x").to_list()[::2] == typed.column("x").to_list()[::2] == [1.5, 3]
    assert read_table(str(tmp_path / "two.parquet"), Reading(["a"])).column("word").to_list() == [None, None, "b"]


@pytest.mark.parametrize(
    "content",
    [b"PAR1 nonsense", b"PK\x03\x04 and more"],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table"
    path.write_bytes(content)
    with refused(TableFileError, source=str(path)):
        read_table(str(path))


def test_a_pattern_names_files_of_one_kind(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "one.csv", index=False)
    FRAME.to_csv(tmp_path / "two.csv", index=False)
    assert len(read_table(str(tmp_path / "*.csv"))) == 6
    FRAME.to_parquet(tmp_path / "three.csv")
    with refused(TableFileError, source=str(tmp_path / "three.csv")):
        read_table(str(tmp_path / "*.csv"))
    for name in ("a.xlsx", "b.xlsx"):
        (tmp_path / name).write_bytes(b"PK\x03\x04")
    with refused(TableFileError, source=str(tmp_path / "a.xlsx"), found=2):
        read_table(str(tmp_path / "*.xlsx"))
    with pytest.raises(FileNotFoundError, match="none of this pattern"):
        read_table(str(tmp_path / "*.none"))
    with pytest.raises(FileNotFoundError):
        read_table(str(tmp_path / "none.csv"))


@pytest.mark.parametrize("data", ["https://example.org/a.csv", "s3://bucket/day*.parquet", "file:///tmp/a.csv"])
def test_an_address_is_no_file(data: str) -> None:
    with refused(TableFileError, source=data):
        read_table(data)


@pytest.mark.parametrize(
    ("settings", "subject"),
    [
        ({"decimal": ";"}, "decimal"),
        ({"thousands": "1"}, "thousands"),
        ({"thousands": ""}, "thousands"),
        ({"decimal": ",", "thousands": ","}, "thousands"),
    ],
)
def test_marks_that_cannot_be(settings: dict[str, str], subject: str) -> None:
    with refused(SettingError, subject=subject, found=settings[subject]):
        Reading(**settings)  # type: ignore[arg-type]


def test_the_marks_that_are_given_come_first() -> None:
    assert Reading().number_format(",") == NumberFormat(",", is_guess=True)
    assert Reading(decimal=".").number_format(",") == NumberFormat(".")
    assert Reading(thousands=".").number_format() == NumberFormat(",", ".")
    assert Reading(thousands=" ").number_format(",") == NumberFormat(",", " ", is_guess=True)


def test_missing_cells_are_the_usual_ones_and_those_that_are_named() -> None:
    assert {"", "NA", "n/a", "?"} <= Reading([" ? "]).missing_cells
    assert "?" not in Reading().missing_cells


ALL = Wanted(texts=("a", "b", "c"))
cells = st.text(st.sampled_from('ab,"\n;é '), max_size=6)


def blocks(n_bytes: int, **limits: int) -> Reading:
    return Reading(limits=ReadLimits(block_bytes=n_bytes, **limits))


def read(path: Path, wanted: Wanted = ALL, reading: Reading | None = None) -> tuple[list[list[str]], list[Any], int]:
    """The cells of all rows as they are written, the values of column a, and how many batches there were."""
    found = list(open_source(str(path), reading).batches(wanted))
    lines = "".join(f"{line}\n" for batch in found for line in batch.lines)
    rows = list(csv.reader(io.StringIO(lines, newline="")))
    return rows, [value for batch in found for value in batch.table.column("a").to_list()], len(found)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(cells, cells, st.sampled_from("xyz")), max_size=12), st.integers(10, 60), st.booleans())
def test_blocks_end_where_rows_end(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], size: int, is_packed: bool
) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("a", "b", "c"), *rows])
    content = text.getvalue().encode()
    path = tmp_path_factory.mktemp("csv") / "cases.csv"
    path.write_bytes(gzip.compress(content) if is_packed else content)
    written, values, _ = read(path, reading=blocks(size))
    assert written == [list(row) for row in rows]
    assert values == [row[0].strip() or None for row in rows]


def test_a_long_file_comes_in_many_batches_that_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a,b,c\n" + "".join(f'{i},"two\nlines",x\n' for i in range(40)), encoding="utf-8")
    rows, values, count = read(path, Wanted(numbers=["a"]), blocks(100))
    assert values == list(range(40))
    assert rows[39] == ["39", "two\nlines", "x"]
    assert count > 5
    last = list(open_source(str(path), blocks(100)).batches(ALL))[-1].table
    assert last.where(len(last) - 1).line == 80


def test_a_broken_row_in_a_later_block_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 50 + "1,2\n", encoding="utf-8")
    with refused(TableFileError, line=52, found=2):
        read(path, reading=blocks(100))


def test_numbers_are_numbers_unless_a_cell_is_odd(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a;b;c\n1,5;x;y\nNA;x;y\n", encoding="utf-8")
    (batch,) = open_source(str(path)).batches(Wanted(numbers=["a"]))
    assert batch.table.names == ["a"]
    assert batch.table.column("a").texts is None
    assert batch.table.column("a").to_list()[0] == 1.5
    assert list(batch.lines) == ['"1,5",x,y', "NA,x,y"]
    path.write_text("a;b;c\n1,5;x;y\n<5;x;y\n", encoding="utf-8")
    (batch,) = open_source(str(path)).batches(Wanted(numbers=["a"]))
    assert list(batch.table.column("a").texts or ()) == ["1,5", "<5"]


@pytest.mark.parametrize("wide", [1, 2, 3])
def test_columns_that_are_many_are_read_as_few_are(wide: int, tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text('a,b,c,d,e\n1.5, x ,"p,q",007,1\nNA,"y ""z""",,8,<2\n-3,x,p,9,3\n', encoding="utf-8")
    wanted = Wanted(numbers=["a", "d", "e"], texts=["b", "c"])

    def found(limits: ReadLimits) -> list[Any]:
        (batch,) = open_source(str(path), Reading(limits=limits)).batches(wanted)
        columns = [
            (column.name, repr(column.to_list()), column.texts and list(column.texts)) for column in batch.table.columns
        ]
        return [columns, list(batch.lines)]

    few = found(ReadLimits())
    assert few[1] == ['1.5, x ,"p,q",007,1', 'NA,"y ""z""",,8,<2', "-3,x,p,9,3"]
    assert found(ReadLimits(wide=wide)) == few


def test_parquet_comes_in_ranges_of_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "a": [0.5 * i for i in range(10)],
            "b": [None if i == 3 else date(2024, 1, i + 1) for i in range(10)],
            "c": [i % 2 == 0 for i in range(10)],
        }
    )
    frame.to_parquet(tmp_path / "1.parquet")
    frame[:3].to_parquet(tmp_path / "2.parquet")
    rows, values, count = read(tmp_path / "*.parquet", reading=Reading(limits=ReadLimits(batch_rows=4)))
    assert values == [0.5 * i for i in range(10)] + [0, 0.5, 1]
    assert count == 4
    assert rows[2:4] == [["1", "2024-01-03", "True"], ["1.5", "", "False"]]


def test_a_parquet_file_with_a_damaged_page_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    letters = [f"{number * number:x}" for number in range(500)]
    frame = pd.DataFrame({"a": letters, "b": letters, "c": letters})
    frame.to_parquet(path, compression="gzip", index=False)
    content = bytearray(path.read_bytes())
    content[200:900] = bytes(700)
    path.write_bytes(content)
    with refused(TableFileError, source=str(path)):
        read(path)


def test_a_row_without_an_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text('a,b,c\n1,2,3\n"' + "x\n" * 2000, encoding="utf-8")
    with refused(TableFileError, source=str(path), expected=1000):
        read(path, reading=blocks(100, max_row_bytes=1000))


def test_a_part_that_cannot_be_read_is_called_by_the_name_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(b'"v0"|"v1"\r"line\r\nbreak"|2"\r"line\r\nbreak"|"2"\r')  # of which a part ends in quotes
    with refused(TableFileError, source=str(path)):
        list(open_source(str(path), blocks(20)).batches(Wanted(texts=["v1"])))
