"""Files as partitions: rows of Parquet files, whole CSV files, texts where one file has some."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
from distributed import Client

import budgetree as bt
from _support.refusals import refused
from budgetree.dask import DaskCases
from budgetree.data.source import FileKind, Reading, ReadLimits
from budgetree.distributed.prepare import CaseRequest, parts_of_files
from budgetree.errors import TableFileError

SMALL_BATCHES = Reading(limits=ReadLimits(batch_rows=50))


def cases_of(client: Client, pattern: Path, target: str = "y", drop: tuple[str, ...] = ()) -> DaskCases:
    request = CaseRequest.of(target, duplicates="keep")
    return DaskCases.of(client, parts_of_files(str(pattern), replace(SMALL_BATCHES, drop=drop), n_threads=1), request)


def test_parquet_and_csv(client: Client, table: pd.DataFrame, tmp_path: Path) -> None:
    for number, part in enumerate((table.iloc[:150], table.iloc[150:])):
        part.to_csv(tmp_path / f"{number}.csv", index=False)
        part.to_parquet(tmp_path / f"{number}.parquet")
    table.iloc[:0].to_parquet(tmp_path / "2.parquet")
    parts = parts_of_files(str(tmp_path / "*.parquet"), SMALL_BATCHES, n_threads=1).parts()
    assert [[(Path(rows.path).stem, rows.first_row, rows.n_rows) for rows in part] for part in parts] == [
        [("0", 0, 100)],
        [("0", 100, 50), ("1", 0, 50)],
        [("1", 50, 100)],
        [("1", 150, 100)],
        [("2", 0, 0)],
    ]
    expected = bt.grow(bt.Instance.from_frame(table.drop(columns="n"), "y", duplicates="keep")).to_dict()
    for pattern in ("*.csv", "*.parquet"):
        assert bt.grow(cases_of(client, tmp_path / pattern, drop=("n",))).to_dict() == expected


def test_a_column_that_is_text_in_one_csv_file_is_text_in_all(
    client: Client, table: pd.DataFrame, tmp_path: Path
) -> None:
    frame = table.assign(n=[str(i % 3) for i in range(200)] + ["x"] * 200)
    frame.iloc[:200].to_csv(tmp_path / "0.csv", index=False)
    frame.iloc[200:].to_csv(tmp_path / "1.csv", index=False)
    cases = cases_of(client, tmp_path / "*.csv")
    assert cases.outcome_names[cases.test_names.index("n")] == ("0", "1", "2", "x")


def test_workbooks_are_for_memory(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    with refused(TableFileError, found=FileKind.WORKBOOK, source=str(tmp_path / "t.xlsx")):
        parts_of_files(str(tmp_path / "t.xlsx"), Reading(), n_threads=1)
