"""A file is read as what its first bytes say."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from _support.refusals import refused
from budgetree.data.source import Reading, read_table
from budgetree.errors import TableFileError

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
