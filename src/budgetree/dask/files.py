"""Files as partitions: workers read them by themselves, so they must see the same paths as the driver."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from budgetree.dask.partitions import Partitions
from budgetree.data.batches import BATCH_ROWS, parquet_rows
from budgetree.data.duckdb import open_database
from budgetree.data.parquet import check_kinds, open_parquet
from budgetree.data.source import Reading, find_files, kind_of
from budgetree.data.table import Table
from budgetree.errors import TableFileError
from budgetree.shards.parts import FileParts

PART_BYTES = 128 * 2**20  # of codes in a partition: Dask takes milliseconds for a task, however small
PARTS_PER_THREAD = 4  # so that all have something to do until the end


@dataclass(frozen=True, slots=True)
class FileRows:
    """A file, or some rows of it."""

    path: str
    first_row: int = 0
    n_rows: int | None = None  # None for all


FilePart = tuple[FileRows, ...]  # one partition


def of_files(data: str, reading: Reading, drop: Collection[str] = (), n_threads: int = 1) -> Partitions:
    """A partition per CSV file; rows of Parquet files in partitions of one size, a few for each of the threads."""
    paths = find_files(data)
    kind = kind_of(paths)
    if kind == "workbook":
        raise TableFileError(f"{data}: workbooks are read in memory; for a cluster, save it as CSV or Parquet.")
    if kind == "Parquet":
        check_kinds(data, paths, drop)
    parts = _parquet_parts(paths, n_threads) if kind == "Parquet" else [(FileRows(path),) for path in paths]
    return Partitions(parts, partial(_load, reading, tuple(drop)), has_texts=kind == "CSV")


def _parquet_parts(paths: Sequence[str], n_threads: int) -> list[FilePart]:
    n_rows, n_columns = [], 1
    for path in paths:
        with open_database([path]) as base:
            files = open_parquet(path, [path], base)
            n_rows.append(files.count(base))
            n_columns = max(n_columns, len(files.kinds))
    size = _part_rows(sum(n_rows), n_columns, n_threads)
    parts: list[FilePart] = []
    room = 0
    for path, n_here in zip(paths, n_rows, strict=True):
        first = 0
        while True:  # once for an empty file, too: its columns must be the same
            if not room:
                parts.append(())
                room = size
            taken = min(room, n_here - first)
            parts[-1] += (FileRows(path, first, taken),)
            first, room = first + taken, room - taken
            if first == n_here:
                break
    return parts


def _part_rows(n_rows: int, n_columns: int, n_threads: int) -> int:
    """How many rows a partition has: whole batches, and a number of partitions that the threads share evenly."""
    n_parts = max(-(-n_rows * n_columns // PART_BYTES), PARTS_PER_THREAD * n_threads)
    n_parts = -(-n_parts // n_threads) * n_threads
    return max(1, -(-n_rows // (n_parts * BATCH_ROWS))) * BATCH_ROWS


def _load(reading: Reading, drop: tuple[str, ...], part: FilePart, as_text: Collection[str]) -> Iterator[Table]:
    for rows in part:
        if rows.n_rows is None:
            for _, table in FileParts(rows.path, reading, drop).tables(as_text):
                yield table
            continue
        for table in parquet_rows(rows.path, rows.first_row, rows.n_rows, threads=1):  # a task has one processor
            yield table.without(drop)
