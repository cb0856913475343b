"""Parts: files and frames, read as often as asked, and a plan for all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.data.source import Reading, ReadLimits, read_table
from budgetree.distributed.prepare import CaseRequest, find_plan, parts_of_files, parts_of_frames
from budgetree.errors import TableFileError


def test_a_csv_column_of_numbers_and_words_is_words_for_good(tmp_path: Path) -> None:
    reading = Reading(limits=ReadLimits(block_bytes=40))
    lines = [f"{number},{number % 2},{'a' if number > 30 else number}" for number in range(40)]
    (tmp_path / "t.csv").write_text("size,kind,found\n" + "\n".join(lines) + "\n")
    parts = parts_of_files(str(tmp_path / "t.csv"), replace(reading, drop=("size",)))
    assert parts.has_texts
    plan = find_plan(parts, CaseRequest.of("found"))
    assert plan.as_text == ("found",)
    assert plan.schema.class_names[:3] == ("0", "1", "10")
    assert plan.schema.test_names == ("kind",)
    tables = list(parts.tables(plan.as_text))
    assert len(tables) > 1
    assert sum(map(len, tables)) == 40


def test_a_number_that_could_be_two_is_asked_about_in_parts_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("size;found\n392;a\n1,136;b\n")
    with refused(TableFileError, subject="size", found="1,136"):
        find_plan(parts_of_files(str(tmp_path / "t.csv"), Reading()), CaseRequest.of("found"))


def test_parts_are_named_in_messages() -> None:
    frames = [pd.DataFrame({"a": [1, 2], "y": [0, 1]}), pd.DataFrame({"a": ["x"], "y": [0]})]
    with pytest.raises(ValueError, match=r"numbers in frame 0 \(1.0\) and text in frame 1 \('x'\)"):
        find_plan(parts_of_frames(frames, "y"), CaseRequest.of("y"))


DAYS = pd.date_range("2024-01-01", periods=2)


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        (DAYS.date, ["2024-01-01", "x"], ("VARC", "DATE")),
        (DAYS, ["2024-01-01", "x"], ("VARC", "TIME")),
        (DAYS.date, DAYS, ("TIME", "DATE")),
        ([True, False], ["a", "b"], ("VARC", "BOOL")),
        ([1, 2], ["a", "b"], ("VARC", "BIGI")),
    ],
)
def test_parquet_files_of_one_table_have_one_kind_of_values_in_a_column_as_in_memory(
    tmp_path: Path, one: Any, other: Any, kinds: tuple[str, str]
) -> None:
    for number, cells in enumerate((one, other)):
        pd.DataFrame({"a": cells, "b": [0, 1], "y": [0, 1]}).to_parquet(tmp_path / f"{number}.parquet")
    data = str(tmp_path / "*.parquet")
    for read in (read_table, parts_of_files, partial(parts_of_files, n_threads=1)):
        with refused(TableFileError, subject="a", source=str(tmp_path / "1.parquet")) as caught:
            read(data, Reading())
        assert (caught.value.found[:4], caught.value.expected[:4]) == kinds
    for n_threads in (None, 1):
        parts = parts_of_files(data, Reading(drop=["a"]), n_threads=n_threads)
        assert find_plan(parts, CaseRequest.of("y")).n_rows == 4


def test_parquet_files_may_have_numbers_of_any_width_and_columns_without_values(tmp_path: Path) -> None:
    parts = [pd.Series([1, 2], dtype=kind) for kind in ("int8", "int64", "uint32", "float32", "float64")]
    for number, cells in enumerate([*parts, pd.Series([None, None])]):
        pd.DataFrame({"a": cells, "y": [0, 1]}).to_parquet(tmp_path / f"{number}.parquet")
    data = str(tmp_path / "*.parquet")
    plan = find_plan(parts_of_files(data, Reading()), CaseRequest.of("y"))
    assert plan.schema.outcome_names == bt.Instance.from_file(data, "y").outcome_names == (("1", "2", "missing"),)
    assert find_plan(parts_of_files(data, Reading(), n_threads=1), CaseRequest.of("y")).n_rows == plan.n_rows
