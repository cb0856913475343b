"""Parquet files, read by whichever data frame library is installed."""

from __future__ import annotations

from dataclasses import replace

from budgetree.problem.tables.frames import installed_library, read_frame
from budgetree.problem.tables.table import Table


def read_parquet(path: str) -> Table:
    """The whole file."""
    library = installed_library()
    if library is None:
        raise ImportError(f"{path}: reading Parquet needs a library for it: pip install 'budgetree[parquet]'.")
    import narwhals.stable.v2 as nw

    try:
        frame = nw.read_parquet(path, backend=library)  # type: ignore[arg-type]
    except Exception as error:  # each library refuses in its own words
        raise ValueError(f"{path}: this Parquet file cannot be read: {error}") from error
    return replace(read_frame(frame.to_native()), source=path)
