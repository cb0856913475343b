"""A table in a file, whichever kind of file it is."""

from __future__ import annotations

from collections.abc import Collection

from budgetree.problem.tables.table import Table

PARQUET, ZIP = b"PAR1", b"PK\x03\x04"


def read_table(path: str, missing: Collection[str] = ()) -> Table:
    """A CSV or Parquet file, told by its first bytes; `missing` are texts that stand for a missing value."""
    with open(path, "rb") as file:
        first_bytes = file.read(4)
    if first_bytes == PARQUET:
        from budgetree.problem.tables.parquet_file import read_parquet

        return read_parquet(path)
    if first_bytes == ZIP:
        raise ValueError(f"{path}: this looks like a spreadsheet or an archive; save the table as CSV and give that.")
    from budgetree.problem.tables.csv_file import read_csv

    return read_csv(path, missing)
