"""A file of known cases is refused where it would be read as something else than was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetree.data.source import Reading, read_known_cases
from budgetree.errors import TableFileError


def test_the_tests_and_the_target_remain(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("patient,age,y\n1,30,a\n,,\n2,40,b\n", encoding="utf-8")
    table = read_known_cases(str(path), "y", Reading(drop=["patient"]))
    assert table.names == ["age", "y"]
    assert table.column("age").to_list() == [30, 40]


@pytest.mark.parametrize(
    ("text", "drop", "message"),
    [
        ("a,z\n1,2\n", [], "there is no column 'y'. There are: a, z"),
        ("a,y\n1,2\n", ["b"], "there is no column 'b'"),
        ("a,y\n1,2\n", ["y"], "'y' is the target; it cannot be dropped"),
        ("a,y\n1,2\n3,\n", [], "'y' is empty in 1 row .line 3.; fill in what the case is, or delete the row.$"),
        ("a;y\n4.500;1\n3,2;2\n", [], "column 'a' has '4.500', which could be 4500 .* or 4.500"),
    ],
)
def test_what_is_missing_or_doubtful_is_said(tmp_path: Path, text: str, drop: list[str], message: str) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(TableFileError, match=message):
        read_known_cases(str(tmp_path / "t.csv"), "y", Reading(drop=drop))


def test_a_target_may_hold_what_could_be_two_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;y\n1;4.500\n2;3,2\n", encoding="utf-8")
    assert len(read_known_cases(str(tmp_path / "t.csv"), "y", Reading())) == 2


@pytest.mark.parametrize("content", ["a,y\n", "a,y", "a,y\n\n\n", "a,y\n,\n"])
def test_a_header_without_rows_is_said_to_be_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    with pytest.raises(TableFileError, match=r"t\.csv: there is a header, but no row below it; expected a row per"):
        read_known_cases(str(tmp_path / "t.csv"), "y", Reading())
