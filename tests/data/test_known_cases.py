"""A file of known cases is refused where it would be read as something else than was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from _support.refusals import refused
from budgetree.data.source import Reading, read_table
from budgetree.data.table import Table, known_cases
from budgetree.errors import TableFileError


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
