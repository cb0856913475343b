"""What a CSV file is: told by its first lines, and checked row by row where it is broken."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import pytest

from _support.refusals import refused
from budgetree.data.csv_file import CsvFile, rewrite
from budgetree.data.source import Reading, ReadLimits, Wanted, open_source, read_table
from budgetree.errors import SettingError, TableFileError


def test_a_file_is_known_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(gzip.compress('\n\n größe ;"a;b"\n1;2\n\n3;"4\n5"\n6;7'.encode("utf-16")))
    source = CsvFile.sniff(str(path), Reading())
    assert (source.names, source.delimiter, source.encoding) == (("größe", "a;b"), ";", "utf-16")
    assert (source.is_packed, source.header_line, source.is_plain) == (True, 3, False)
    assert [line for line, _ in source.rows()] == [4, 6, 8]
    source.check()
    source.write_utf8(str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_text(encoding="utf-8").startswith('1;2\n\n3;"4\n5"\n')


def test_a_broken_row_is_found_and_its_line_is_still_known(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n", encoding="utf-8")
    source = CsvFile.sniff(str(path), Reading())
    assert [line for line, _ in source.rows()] == [2, 3, 4]
    with refused(TableFileError, source=str(path), line=3, found=1):
        source.check()


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        ("x;y|z\n1|2\n", "|", ("x;y", "z")),
        ("e,f\tg\n1\t2\n", "\t", ("e,f", "g")),
        ('"l\nm";b\n1;2\n', ";", ("l\nm", "b")),
        ('"i""j"|"e,f"\n1|2\n', "|", ('i"j', "e,f")),
        ("a,b;c\n", ",", ("a", "b;c")),
        ("a;b;c,d\n1;2;3\n4\n" + "5;6;7\n" * 40, ";", ("a", "b", "c,d")),
        ('a;b\n1;"' + "x\n" * 50 + '"\n', ";", ("a", "b")),
        ("a;b;\n1;2;\n", ";", ("a", "b")),
        ("a\n1,5\n", ",", ("a",)),
    ],
)
def test_the_delimiter_is_the_one_by_which_rows_have_the_cells_of_the_header(
    tmp_path: Path, text: str, delimiter: str, names: tuple[str, ...]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    source = CsvFile.sniff(str(path), Reading())
    assert (source.delimiter, source.names) == (delimiter, names)


def test_the_delimiter_is_told_also_where_a_cell_is_long(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"a;b,c\n1;{'x' * 200_000},y\n2;x,y,z\n", encoding="utf-8")
    csv.field_size_limit(100_000)  # as other code may have left it
    source = CsvFile.sniff(str(path), Reading())
    assert (source.delimiter, source.names) == (";", ("a", "b,c"))


def test_a_name_may_have_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'\r\n"a\r\nb","c\nd"\r\n1,2\r\n')
    source = CsvFile.sniff(str(path), Reading())
    assert (source.header_line, source.header_end, source.is_plain) == (2, 4, False)
    assert [line for line, _ in source.rows()] == [5]
    source.write_utf8(str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_bytes() == b"1,2\r\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Klinik 2024\na,b\n1,2\n", "line 2: 2 cells, but the header has 1 column. Is line 1 a title above the table"),
        ("a,b\n1,2,\n3,4\n", "line 3: 2 cells, but the rows above have 3, of which the last is empty"),
        ("a,b\n1,2,\n3,4,5\n", "line 3: there is something in column 3, which has no name and is empty above. Name"),
        ("a,b\n1,2,\n3,4,5,6\n", "line 3: 4 cells, but the rows above have 3, of which the last is empty"),
        ("a,b\n1,2\n3,4,\n", "line 3: 3 cells, but the header has 2 columns. Is a quote or a delimiter missing"),
    ],
)
def test_how_many_cells_were_expected_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableFileError, match=re.escape(message)):
        CsvFile.sniff(str(path), Reading()).check()


def test_zero_bytes_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\0\n1,2\n".encode("utf-16-le") + b"\0")
    with refused(TableFileError, line=1):
        CsvFile.sniff(str(path), Reading())


def test_rewriting_keeps_the_cells(tmp_path: Path) -> None:
    path, copy = tmp_path / "t.csv", tmp_path / "copy.csv"
    path.write_bytes(b'a;b\r\n1;"x;\ny"\n2;""\r\n')
    rewrite(str(path), ";", str(copy), 100)
    assert copy.read_bytes() == b'a;b\n1;"x;\ny"\n2;\n'


@pytest.mark.parametrize("name", ["base64", "rot13", "no-such", "\x00", "\ud800"])
def test_what_is_no_encoding_of_text_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with refused(SettingError, subject="encoding", found=name):
        CsvFile.sniff(str(path), Reading(encoding=name))


def test_a_line_without_an_end_is_refused(tmp_path: Path) -> None:
    reading = Reading(limits=ReadLimits(max_line=100))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" + b"x" * 200))
    with refused(TableFileError, expected=100):
        CsvFile.sniff(str(path), reading).check()
    path.write_bytes(gzip.compress(b"x" * 200))
    with refused(TableFileError, expected=100):
        CsvFile.sniff(str(path), reading)


def test_a_file_that_unpacks_as_no_table_does_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed, plain = tmp_path / "t.csv.gz", tmp_path / "t.csv"
    content = b"a,b\n" + b"1,2\n" * 500_000
    packed.write_bytes(gzip.compress(content))
    plain.write_bytes(content)
    assert len(read_table(str(packed))) == 500_000
    monkeypatch.setattr("budgetree.data.csv_file.MAX_UNPACKED", 1_000_000)
    with refused(TableFileError, subject="max_bytes", source=str(packed)) as caught:
        read_table(str(packed))
    assert "unpacked, it has more than 1,000,000 bytes" in str(caught.value)
    assert "Use a larger --max-bytes if this is the table" in caught.value.on_command_line()
    assert len(read_table(str(packed), Reading(max_bytes=10_000_000))) == len(read_table(str(plain))) == 500_000
    for path in (packed, plain):
        source = open_source(str(path), Reading(max_bytes=1000))
        for read in (source.table, lambda source=source: next(source.batches(Wanted(numbers=["a"])))):
            with refused(TableFileError, subject="max_bytes", expected=1000):
                read()


def test_the_header_may_stand_in_another_row_or_in_several(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('Klinik "2024; nur intern\n;Blut;;Herz;\nAlter;chol;zucker;ekg;y\n50;1;2;n;a\n60;3;4;o;b\n')
    for limits in (ReadLimits(), ReadLimits(sample_rows=1), ReadLimits(very_wide=1)):
        found = read_table(str(path), Reading(header_row=3, limits=limits))
        assert found.names == ["Alter", "chol", "zucker", "ekg", "y"]
        assert found.column("chol").to_list() == [1, 3]
        assert found.place(1) == "line 5"
        joined = read_table(str(path), Reading(header_row=(2, 3), limits=limits))
        assert joined.names == ["Alter", "Blut chol", "Blut zucker", "Herz ekg", "Herz y"]
    wanted = Wanted(numbers=["chol"], texts=["y"])
    batches = list(open_source(str(path), Reading(header_row=3)).batches(wanted))
    assert [line for batch in batches for line in batch.lines] == ["50,1,2,n,a", "60,3,4,o,b"]
    with refused(TableFileError, subject="header_row"):
        read_table(str(path), Reading(header_row=7))
    with refused(TableFileError, subject="fill_down"):
        read_table(str(path), Reading(fill_down=True))


@pytest.mark.parametrize("rows", [0, -1, (2, 1), (1, 9)])
def test_a_row_that_cannot_be_a_header_is_refused(rows: int | tuple[int, int]) -> None:
    with refused(SettingError, subject="header_row", found=rows):
        Reading(header_row=rows)


def test_too_many_columns_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"c{at}" for at in range(50_001)) + "\nand a row that is broken")
    with refused(TableFileError, found=50_001, expected=50_000):
        open_source(str(path))
