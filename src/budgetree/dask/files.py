"""Files as partitions: workers read them by themselves, so they must see the same paths as the driver."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

from budgetree.dask.partitions import Partitions
from budgetree.errors import TableFileError
from budgetree.problem.tables.batches import BATCH_ROWS, parquet_rows
from budgetree.problem.tables.database import open_database
from budgetree.problem.tables.files import find_files, kind_of
from budgetree.problem.tables.parquet_file import open_parquet
from budgetree.problem.tables.reading import Reading
from budgetree.problem.tables.table import Table
from budgetree.shards.parts import FileParts

PART_ROWS = 10 * BATCH_ROWS  # of a Parquet file that one task reads, batch by batch


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, or some rows of it."""

    path: str
    first_row: int = 0
    n_rows: int | None = None  # None for all


def of_files(data: str, reading: Reading, drop: Collection[str] = ()) -> Partitions:
    """A partition per CSV file, and per so many rows of a Parquet file."""
    paths = find_files(data)
    kind = kind_of(paths)
    if kind == "workbook":
        raise TableFileError(f"{data}: workbooks are read in memory; for a cluster, save it as CSV or Parquet.")
    parts = [part for path in paths for part in (_parquet_parts(path) if kind == "Parquet" else [FilePart(path)])]
    return Partitions(parts, partial(_load, reading, tuple(drop)), has_texts=kind == "CSV")


def _parquet_parts(path: str) -> Iterator[FilePart]:
    with open_database([path]) as base:
        files = open_parquet(path, [path], base)
        n_rows = files.count(base)
    for first in range(0, max(n_rows, 1), PART_ROWS):
        yield FilePart(path, first, min(PART_ROWS, n_rows - first))


def _load(reading: Reading, drop: tuple[str, ...], part: FilePart, as_text: Collection[str]) -> Iterator[Table]:
    if part.n_rows is None:
        for _, table in FileParts(part.path, reading, drop).tables(as_text):
            yield table
        return
    for table in parquet_rows(part.path, part.first_row, part.n_rows, threads=1):  # a task has one processor
        yield table.without(drop)
