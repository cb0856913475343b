"""What a CSV file is: told by its first lines, and checked row by row where it is broken."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from budgetree.errors import TableFileError
from budgetree.problem.tables import csv_source
from budgetree.problem.tables.csv_source import open_csv, rewrite, write_utf8


def test_a_file_is_known_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(gzip.compress('\n\n größe ;"a;b"\n1;2\n\n3;"4\n5"\n6;7'.encode("utf-16")))
    source = open_csv(str(path))
    assert (source.names, source.delimiter, source.encoding) == (("größe", "a;b"), ";", "utf-16")
    assert (source.is_packed, source.header_line, source.is_plain) == (True, 3, False)
    assert list(source.records()) == [(4, ["1", "2"]), (6, ["3", "4\n5"]), (8, ["6", "7"])]
    assert list(source.lines()) == [4, 6, 8]
    write_utf8(source, str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_text(encoding="utf-8").startswith(' größe ;"a;b"\n1;2\n')


def test_a_broken_row_is_found_and_its_line_is_still_known(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n", encoding="utf-8")
    source = open_csv(str(path))
    assert list(source.lines()) == [2, 3, 4]
    with pytest.raises(TableFileError, match="line 3: 1 cell, but the header has 2 columns"):
        source.check()


def test_rewriting_keeps_the_cells(tmp_path: Path) -> None:
    path, copy = tmp_path / "t.csv", tmp_path / "copy.csv"
    path.write_bytes(b'a;b\r\n1;"x;\ny"\n2;""\r\n')
    rewrite(str(path), ";", str(copy))
    assert copy.read_bytes() == b'a;b\n1;"x;\ny"\n2;\n'


@pytest.mark.parametrize("name", ["base64", "rot13", "no-such", "\x00", "\ud800"])
def test_what_is_no_encoding_of_text_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"encoding is .*; expected a name such as 'utf-8'"):
        open_csv(str(path), name)


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_source, "MAX_LINE", 100)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" + b"x" * 200))
    with pytest.raises(TableFileError, match="a line of more than 100 characters; expected a line per case"):
        open_csv(str(path)).check()
    path.write_bytes(gzip.compress(b"x" * 200))
    with pytest.raises(TableFileError, match="a line of more than 100 characters"):
        open_csv(str(path))
