"""A table in a file, whichever kind of file it is, and what a user says about it."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from budgetree.data.duckdb import GLOB_MARKS
from budgetree.data.number_format import NumberFormat
from budgetree.data.table import Table, check_numbers
from budgetree.errors import TableFileError
from budgetree.services.words import counted, no_such

# What spreadsheets and statistics programs write for a cell without a value. "None" and "?" are not among them: they
# may be answers, and are outcomes of their own in any case.
MISSING_CELLS = frozenset({"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"})


@dataclass(frozen=True, slots=True)
class Reading:
    """How cells are written, and which part of a file to read, where the file itself does not say it.

    Parameters
    ----------
    missing : sequence of str, default ()
        Texts that stand for a missing value, beside the usual ones (an empty cell, NA, N/A, NULL, NaN).
    decimal : {'.', ','}, optional
        The decimal mark; by default as the file has it.
    thousands : str, optional
        What stands between thousands: a comma, a point, an apostrophe or a space.
    encoding : str, optional
        Of a file of text, as Python calls it.
    sheet : str, optional
        Of a workbook, by its name or number; needed where several hold something.
    drop : sequence of str, default ()
        Columns that are no tests.

    Raises
    ------
    ValueError
        Where a mark is none, or both marks are the same.

    Examples
    --------
    >>> import budgetree as bt
    >>> reading = bt.Reading(decimal=",", thousands=".", missing=["?"], drop=["patient"])
    >>> "?" in reading.missing_cells
    True
    """

    missing: Sequence[str] = ()
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    drop: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal is {self.decimal!r}; expected '.' or ','.")
        if self.thousands is not None and (len(self.thousands) != 1 or self.thousands.isalnum()):
            raise ValueError(f"thousands is {self.thousands!r}; expected one mark, such as ',' or '.' or a space.")
        if self.thousands is not None and self.thousands == self.decimal:
            raise ValueError(f"decimal and thousands are both {self.decimal!r}; expected two different marks.")

    @property
    def missing_cells(self) -> frozenset[str]:
        """Every text that stands for a missing value."""
        return MISSING_CELLS | {text.strip() for text in self.missing}

    def number_format(self, guess: str = ".") -> NumberFormat:
        """How numbers are written; the guess is for what nobody has said.

        :meta private:
        """
        if self.decimal is not None:
            return NumberFormat(self.decimal, self.thousands)
        if self.thousands in (".", ","):
            return NumberFormat("," if self.thousands == "." else ".", self.thousands)
        return NumberFormat(guess, self.thousands, is_guess=True)


ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # of the network; no drive, such as C:/
PARQUET, ZIP, OLD_OFFICE = b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


def read_table(data: str, reading: Reading | None = None) -> Table:
    """A CSV file, a Parquet file or a workbook, told by its first bytes; or several, by a pattern like 'day*.csv'."""
    reading = reading or Reading()
    paths = find_files(data)
    kind = kind_of(paths)
    if kind == "workbook":
        from budgetree.data.workbook import read_excel

        return read_excel(paths[0], reading)
    if reading.sheet is not None:
        raise ValueError(f"{data}: this is no workbook, so it has no sheet {reading.sheet!r}.")
    if kind == "Parquet":
        from budgetree.data.parquet import read_parquet

        return read_parquet(data, paths)
    from budgetree.data.csv import read_csv

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


MAX_PLACES = 3  # of gaps that are named


def read_known_cases(data: str, target: str, reading: Reading) -> Table:
    """The tests and the target of a file."""
    return as_known_cases(read_table(data, reading), target, reading.drop)


def as_known_cases(table: Table, target: str, dropped: Sequence[str]) -> Table:
    """The same from a table that has been read: no empty row, no column that is dropped."""
    table = table.without_empty_rows()
    for name in (target, *dropped):
        if name not in table.names:
            raise TableFileError(f"{table.source}: {no_such('column', name, table.names)}")
    if len(table) == 0:
        raise TableFileError(f"{table.source}: there is a header, but no row below it; expected a row per case.")
    if target in dropped:
        raise TableFileError(f"{table.source}: {target!r} is the target; it cannot be dropped.")
    empty = table.column(target).is_absent.nonzero()[0]
    if len(empty):
        more = ", …" if len(empty) > MAX_PLACES else ""
        places = ", ".join(table.where(row) for row in empty[:MAX_PLACES]) + more
        raise TableFileError(
            f"{table.source}: {target!r} is empty in {counted(len(empty), 'row')} ({places}); "
            f"fill in what the case is, or delete the row{'s' if len(empty) > 1 else ''}."
        )
    kept = table.without(dropped)
    check_numbers(kept.without([target]))
    return kept
