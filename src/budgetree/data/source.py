"""Sources: tables in files, in memory or in parts, and the options for reading them.

open_source ──► CsvSource      csv        ┐
                ParquetSource  parquet    ├─► table(): all rows; batches(): some at a time, in any order of columns
                TableSource    in memory  ┘   (a sheet of a workbook, a data frame, a bundled data set)
"""

from __future__ import annotations

import errno
import glob
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import IO, TYPE_CHECKING, TypeAlias

from budgetree._internal import internal
from budgetree.data.number_format import NumberFormat
from budgetree.data.table import Table
from budgetree.errors import Remedy, SettingError, TableFileError, Where

if TYPE_CHECKING:
    from budgetree.data.csv import CsvSource
    from budgetree.data.parquet import ParquetSource

Source: TypeAlias = "CsvSource | ParquetSource | TableSource"

# What spreadsheets and statistics programs write for a cell without a value. "None" and "?" are not among them: they
# may be answers, and are outcomes of their own in any case.
MISSING_CELLS = frozenset({"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"})
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # of the network; no drive, such as C:/
GLOB_MARKS = "*?["
MAX_HEADER_ROWS = 5


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How much is looked at or read at once; tests make files that go beyond it."""

    sample_rows: int = 10_000  # a CSV file that has no more is read as text alone
    wide: int = 200  # columns: with more, a question to DuckDB for each takes longer than looking at few rows
    very_wide: int = 2000  # columns: with more, DuckDB takes more memory than Python where rows are few
    max_wide_bytes: int = 100_000_000  # of a CSV file that Python reads for that reason
    block_bytes: int = 16_000_000  # of a CSV file, in a batch
    max_row_bytes: int = 50_000_000
    max_line: int = 50_000_000  # characters
    batch_rows: int = 100_000  # of a Parquet file


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
    header_row : int or (int, int), optional
        The row that names the columns; or the first and the last of several, whose names are joined by spaces. By
        default the first that holds anything.
    fill_down : bool, default False
        Whether all of the cells that a workbook has merged down a column have their value; else they are refused.
    drop : sequence of str, default ()
        Columns that are not tests.
    censored : bool, default False
        Whether cells such as <5 and >1000 are numbers beyond what could be measured, each limit with a level of its
        own; else they make a column text.
    max_bytes : int, optional
        The most that a CSV file may have, unpacked. By default one that is packed may have a gigabyte, or a hundred
        times its size, where all of it is read at once.
    limits : ReadLimits, optional
        How much is read at once.

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
    header_row: int | tuple[int, int] | None = None
    fill_down: bool = False
    drop: Sequence[str] = ()
    censored: bool = False
    max_bytes: int | None = None
    limits: ReadLimits = field(default=ReadLimits(), repr=False)

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise SettingError.refusing("decimal", self.decimal, "'.' or ','", (".", ","))
        if self.thousands is not None and (len(self.thousands) != 1 or self.thousands.isalnum()):
            raise SettingError.refusing("thousands", self.thousands, "one mark, such as ',' or '.' or a space")
        if self.thousands is not None and self.thousands == self.decimal:
            message = f"decimal and thousands are both {self.decimal!r}; expected two different marks."
            raise SettingError(message, subject="thousands", found=self.thousands)
        first, last = self.header_rows or (1, 1)
        if not 1 <= first <= last < first + MAX_HEADER_ROWS:
            expected = f"a row from 1 on, or the first and the last of up to {MAX_HEADER_ROWS} rows"
            raise SettingError.refusing("header_row", self.header_row, expected)

    @property
    def header_rows(self) -> tuple[int, int] | None:
        """The first and the last row of the header, from 1 on; None where they are not given."""
        return (self.header_row, self.header_row) if isinstance(self.header_row, int) else self.header_row

    @property
    def missing_cells(self) -> frozenset[str]:
        """Every text that stands for a missing value."""
        return MISSING_CELLS | {text.strip() for text in self.missing}

    @internal
    def number_format(self, guess: str = ".") -> NumberFormat:
        """How numbers are written; the guess is for what is not given."""
        decimal = self.decimal or {".": ",", ",": "."}.get(self.thousands or "")
        return NumberFormat(decimal or guess, self.thousands, is_guess=decimal is None, censored=self.censored)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The columns to read, by what they will be taken for; and whether each row is wanted as text."""

    numbers: Collection[str] = ()
    texts: Collection[str] = ()
    lines: bool = True

    def __contains__(self, name: str) -> bool:
        return name in self.numbers or name in self.texts


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows: the columns that are wanted, and each row as a line of CSV where that is wanted too."""

    table: Table
    lines: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TableSource:
    """A table that is in memory, as one batch."""

    rows: Table
    written: NumberFormat | None = None

    @property
    def name(self) -> str:
        return self.rows.source

    @property
    def names(self) -> list[str]:
        return self.rows.names

    def table(self) -> Table:
        return self.rows

    def batches(self, wanted: Wanted) -> Iterator[Batch]:
        lines = self.rows.csv_lines() if wanted.lines else []
        yield Batch(self.rows.only([name for name in self.names if name in wanted]), lines)


class FileKind(Enum):
    """What a file of a table is, by its first bytes."""

    CSV = b""
    PARQUET = b"PAR1"
    WORKBOOK = b"PK\x03\x04"
    OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"

    @property
    def is_workbook(self) -> bool:
        return self in (FileKind.WORKBOOK, FileKind.OLD_WORKBOOK)

    @classmethod
    def of(cls, file: IO[bytes]) -> FileKind:
        first_bytes = file.read(4)
        file.seek(0)
        return next((kind for kind in cls if kind.value == first_bytes), cls.CSV)


def read_table(data: str, reading: Reading | None = None) -> Table:
    return open_source(data, reading).table()


def open_source(data: str, reading: Reading | None = None) -> Source:
    """A CSV file, a Parquet file or a workbook, told by its first bytes; or several, by a pattern like 'day*.csv'."""
    from budgetree.data.csv import CsvSource

    reading, paths = reading or Reading(), find_files(data)
    if len(paths) == 1 and reading.sheet is None and not reading.fill_down:
        with open(paths[0], "rb") as file:
            if (kind := FileKind.of(file)) is FileKind.CSV:
                return CsvSource.open(data, paths, reading, file)
    else:
        kind = kind_of(paths)
    if kind.is_workbook:
        from budgetree.data.workbook import read_workbook

        return TableSource(read_workbook(paths[0], reading))
    if reading.sheet is not None:
        message = f"this is not a workbook, so it has no sheet {reading.sheet!r}."
        raise TableFileError(message, subject="sheet", found=reading.sheet, where=Where(data))
    if reading.fill_down:
        message = "this is not a workbook, so it has no merged cells to fill; fill the values in, or leave out"
        remedy = Remedy("fill_down.", "--fill-down.")
        raise TableFileError(message, subject="fill_down", where=Where(data), remedy=remedy)
    if kind is FileKind.PARQUET:
        from budgetree.data.parquet import ParquetSource

        if reading.header_row is not None:
            message = f"a Parquet file names its columns itself, and has no header in row {reading.header_row}."
            raise TableFileError(message, subject="header_row", found=reading.header_row, where=Where(data))
        return ParquetSource.open(data, paths, reading)
    return CsvSource.open(data, paths, reading)


def find_files(data: str) -> list[str]:
    """The file of this name, or the files that a pattern names, in the order of their names."""
    if os.path.exists(data):
        return [data]
    if ADDRESS.match(data):
        message = "this is an address, and only files are read. Download it, and give the file's name."
        raise TableFileError(message, where=Where(data))
    if not any(mark in data for mark in GLOB_MARKS):
        return [data]
    paths = sorted(path for path in glob.glob(data, recursive=True) if os.path.isfile(path))
    if not paths:
        raise FileNotFoundError(errno.ENOENT, "No such file, and none of this pattern", data)
    return paths


def kind_of(paths: Sequence[str]) -> FileKind:
    """What the files are, which must be of one kind."""
    kinds = {}
    for path in paths:
        with open(path, "rb") as file:
            kinds[path] = FileKind.of(file)
    first = kinds[paths[0]]
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{path} ({kind.name})" for path, kind in list(kinds.items())[:5])
        message = f"files that are read together must be of one kind, but there are {listed}."
        raise TableFileError(message, where=Where(next(path for path, kind in kinds.items() if kind is not first)))
    if first.is_workbook and len(paths) > 1:
        message = f"workbooks are read one at a time, but the pattern names {len(paths)}."
        raise TableFileError(message, where=Where(paths[0]), found=len(paths))
    return first
