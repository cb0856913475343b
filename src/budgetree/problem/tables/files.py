"""A table in a file, whichever kind of file it is."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections.abc import Sequence

from budgetree.errors import TableFileError
from budgetree.problem.tables.database import GLOB_MARKS
from budgetree.problem.tables.reading import Reading
from budgetree.problem.tables.table import Table

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # of the network; no drive, such as C:/
PARQUET, ZIP, OLD_OFFICE = b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


def read_table(data: str, reading: Reading | None = None) -> Table:
    """A CSV file, a Parquet file or a workbook, told by its first bytes; or several, by a pattern like 'day*.csv'."""
    reading = reading or Reading()
    paths = find_files(data)
    kind = kind_of(paths)
    if kind == "workbook":
        from budgetree.problem.tables.excel_file import read_excel

        return read_excel(paths[0], reading)
    if reading.sheet is not None:
        raise ValueError(f"{data}: this is no workbook, so it has no sheet {reading.sheet!r}.")
    if kind == "Parquet":
        from budgetree.problem.tables.parquet_file import read_parquet

        return read_parquet(data, paths)
    from budgetree.problem.tables.csv_file import read_csv

    return read_csv(data, paths, reading)


def find_files(data: str) -> list[str]:
    """The file of this name, or the files that a pattern names, in the order of their names."""
    if os.path.exists(data):
        return [data]
    if ADDRESS.match(data):
        raise TableFileError(
            f"{data}: this is an address, and only files are read. Download it, and give the file's name."
        )
    if not any(mark in data for mark in GLOB_MARKS):
        return [data]
    paths = sorted(path for path in glob.glob(data, recursive=True) if os.path.isfile(path))
    if not paths:
        raise FileNotFoundError(errno.ENOENT, "No such file, and none of this pattern", data)
    return paths


def kind_of(paths: Sequence[str]) -> str:
    """What the files are: CSV, Parquet or workbook."""
    kinds = {path: _kind(path) for path in paths}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{path} ({kind})" for path, kind in list(kinds.items())[:5])
        raise TableFileError(f"files that are read together must be of one kind, but there are {listed}.")
    kind = kinds[paths[0]]
    if kind == "workbook" and len(paths) > 1:
        raise TableFileError(f"{paths[0]}: workbooks are read one at a time, but the pattern names {len(paths)}.")
    return kind


def _kind(path: str) -> str:
    with open(path, "rb") as file:
        first_bytes = file.read(4)
    if first_bytes == PARQUET:
        return "Parquet"
    return "workbook" if first_bytes in (ZIP, OLD_OFFICE) else "CSV"
