"""CSV files as tables: DuckDB reads them, and each different cell is looked at once.

first rows ──► a plan per column            the whole file, in one pass             the columns
               few different texts  code    position of its text, or ODD   ─┐
               numbers alone        number  the number, or NaN              ├──►   numbers, or Coded texts
               anything else        text    the text                       ─┘
                                            odd cells: the column again, as text
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import TableFileError
from budgetree.problem.tables.coded import Coded
from budgetree.problem.tables.csv_source import CsvSource, open_csv, rewrite, write_utf8
from budgetree.problem.tables.database import Database, literal, open_database, plain_path, position_sql
from budgetree.problem.tables.lines import Lines
from budgetree.problem.tables.number_format import NumberFormat
from budgetree.problem.tables.reading import Reading
from budgetree.problem.tables.table import Column, Table
from budgetree.problem.tables.texts import has_two_marks, text_column
from budgetree.problem.units import LARGEST_EXACT
from budgetree.services.words import listed

SAMPLE_ROWS = 10_000  # a file that has no more is read as text alone
WIDE = 200  # columns: with more, a question to DuckDB for each takes longer than looking at few rows
MAX_CODED = 100  # different texts of a column in the sample, so that a position in them fits in a byte
MAX_LINE = 20_000_000  # bytes
END = "past_end"  # the cell after a delimiter at the end of every line, which is empty
ODD = -2  # a text that the sample did not have
# DuckDB leaves out a cell too many where it takes it for missing, and such a row may be shifted; so it is told of no
# missing cell but this, which no file has.
NO_CELL = "\ue000budgetree\ue000"
# A missing cell that DuckDB does not take for a number.
IS_WORD = re.compile(r"(?!.*(nan|inf))[^0-9]*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class CsvFiles:
    """One or more files with the same header, read as one table."""

    data: str  # as the user named them
    sources: tuple[CsvSource, ...]
    reading: Reading
    is_odd: bool = False  # DuckDB does not read the files as they are

    @property
    def names(self) -> tuple[str, ...]:
        return self.sources[0].names

    @property
    def written(self) -> NumberFormat:
        """How numbers are written: 3,5 is one where semicolons separate the cells."""
        return self.reading.number_format("," if self.sources[0].delimiter == ";" else ".")

    def scan(self, base: Database) -> str:
        """What SQL reads from: every cell a text, as it is."""
        files = (self.scan_one(self.rewritten(file, base) if self.is_odd else file) for file in self.readable(base))
        return " UNION ALL ".join(f"(FROM {file})" for file in files)

    def scan_one(self, file: Readable) -> str:
        """The same for one file, or a part of it."""
        names = [f"c{place}" for place in range(len(self.names))]
        ends = [END] if self.sources[0].has_end else []
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in (*names, *ends))
        packed = "gzip" if file.is_packed else "none"
        # Long lines take memory, so not for all files; nor need the first line break be the end of a row elsewhere.
        rewritten = f", max_line_size={MAX_LINE}, new_line='\\n'" if file.is_rewritten else ""
        conditions = [f"({END} = '' OR error('{END}'))" for _ in ends]
        conditions += ["c0 <> ''"] if len(names) == 1 else []  # an empty line would be a row
        return (
            f"(SELECT {', '.join(names)} FROM read_csv([{literal(file.path)}], auto_detect=false, "
            f"columns={{{columns}}}, nullstr={literal(NO_CELL)}, delim={literal(self.sources[0].delimiter)}, "
            f"quote='\"', escape='\"', header=false, skip={int(file.has_header)}, compression='{packed}'{rewritten})"
            f"{' WHERE ' if conditions else ''}{' AND '.join(conditions)})"
        )

    def lines(self, rows: NDArray[np.int64]) -> Lines:
        """Where rows are, by their number in all files together."""
        return Lines(rows, partial(_places, self.sources))

    def table(self, columns: Sequence[Column], first_row: int, n_rows: int) -> Table:
        """Columns as a table that knows its lines."""
        rows = np.arange(first_row, first_row + n_rows)
        return Table(self.data, tuple(columns), n_rows, lines=self.lines(rows))

    def text(self, name: str, cells: Coded) -> Column:
        """A column of cells, of which some may still have spaces around them."""
        absent = self.reading.missing_cells
        stripped = (cell.strip() for cell in cells.distinct)
        return text_column(name, cells.mapped([None if cell in absent else cell for cell in stripped]), self.written)

    def readable(self, base: Database) -> Iterator[Readable]:
        """The files as DuckDB can read them."""
        return (readable(source, base) for source in self.sources)

    def rewritten(self, file: Readable, base: Database) -> Readable:
        """A copy as Python writes it, of a file that only Python reads."""
        copy = os.path.join(base.folder, f"{sha256(file.path.encode()).hexdigest()}-again.csv")
        rewrite(file.path, self.sources[0].delimiter, copy)
        return Readable(copy, has_header=file.has_header, is_rewritten=True)

    def check(self) -> None:
        """An error that says which file is broken, and where, if one is."""
        for source in self.sources:
            source.check()


def open_csv_files(data: str, paths: Sequence[str], reading: Reading) -> CsvFiles:
    """Files with the same header."""
    sources = tuple(open_csv(path, reading.encoding) for path in paths)
    for source in sources[1:]:
        if source.shape != sources[0].shape:
            raise TableFileError(
                f"{source.path}: its header is not that of {sources[0].path}{_difference(source, sources[0])}; files "
                "that are read together need the same columns in the same order, and the same delimiter."
            )
    return CsvFiles(data, sources, reading)


def _difference(one: CsvSource, other: CsvSource) -> str:
    """Which names one file has that the other has not, in brackets."""
    more, less = (sorted(set(a.names) - set(b.names)) for a, b in ((one, other), (other, one)))
    found = [f"it has {listed(more)}" if more else "", f"it has no {listed(less)}" if less else ""]
    return f" ({' and '.join(filter(None, found))})" if more or less else ""


def read_csv(data: str, paths: Sequence[str], reading: Reading) -> Table:
    """The whole of one or more files."""
    import duckdb

    files = open_csv_files(data, paths, reading)
    try:
        return _read_whole(files, paths)
    except duckdb.Error:
        files.check()  # which says better what is wrong
    try:
        return _read_whole(replace(files, is_odd=True), paths)
    except duckdb.Error as error:
        raise cannot_read(data, error) from error


def cannot_read(data: str, error: Exception) -> TableFileError:
    """What to say where we have no better words than DuckDB."""
    reason = str(error).partition("Original Line")[0].split("\n\n")[0]
    return TableFileError(f"{data}: this CSV file cannot be read: {' '.join(reason.split())[:300]}")


def _read_whole(files: CsvFiles, paths: Sequence[str]) -> Table:
    with open_database(paths) as base:
        base.run(f"CREATE TABLE sample AS FROM ({files.scan(base)}) LIMIT {SAMPLE_ROWS}")
        n_rows = base.run("SELECT count(*) FROM sample")[0][0]
        if n_rows < SAMPLE_ROWS:
            columns = _of_sample(files, base)
        else:
            columns, n_rows = _by_plan(files, base)
    return files.table(columns, 0, n_rows)


def _of_sample(files: CsvFiles, base: Database) -> list[Column]:
    """The columns of a file with few rows."""
    if len(files.names) <= WIDE:
        return [files.text(name, base.coded(f"c{at}", "sample")) for at, name in enumerate(files.names)]
    cells = base.arrays("SELECT * FROM sample")
    return [files.text(name, Coded.of(cells[f"c{at}"].tolist())) for at, name in enumerate(files.names)]


def number_sql(column: str, files: CsvFiles) -> str:
    """A cell as a number; NULL where it is missing, NaN where it is odd and has to be looked at as text."""
    written = files.written
    odd = ["_"] if written.decimal == "." else ["_", "."]
    odd += [written.thousands] if written.thousands is not None else []
    is_odd = " OR ".join(f"contains({column}, {literal(mark)})" for mark in odd)
    is_odd += f" OR (starts_with({column}, '0') AND {column}[2] BETWEEN '0' AND '9')"  # 007 is a code, not 7
    plain = column if written.decimal == "." else f"replace({column}, ',', '.')"
    # Missing cells that are no numbers are looked for last, where there is no number: most cells are one.
    words = sorted(filter(IS_WORD.fullmatch, files.reading.missing_cells))
    others = sorted(files.reading.missing_cells.difference(words))
    return (
        f"CASE WHEN {_is_in(column, others)} THEN NULL WHEN {is_odd} THEN 'nan'::DOUBLE ELSE "
        f"coalesce(TRY_CAST({plain} AS DOUBLE), CASE WHEN {_is_in(column, words)} THEN NULL ELSE 'nan'::DOUBLE END) END"
    )


def _is_in(column: str, texts: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(literal, texts))})" if texts else "false"


def numbers_of(cells: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """What number_sql found, NaN where missing; None where a cell is odd."""
    is_absent, numbers = np.ma.getmaskarray(cells), np.ma.getdata(cells)
    with np.errstate(invalid="ignore"):
        is_odd = ~(np.abs(numbers) < LARGEST_EXACT) & ~is_absent
    return None if is_odd.any() else np.where(is_absent, np.nan, numbers)


def _by_plan(files: CsvFiles, base: Database) -> tuple[list[Column], int]:
    """The columns of a file with many rows, and how many they are."""
    plans = _plans(files, base)
    chosen = ", ".join(f"{plan.sql} AS c{at}" for at, plan in enumerate(plans))
    found: dict[int, Column | None]
    if any(plan.kind == "text" for plan in plans):  # whose different cells are found in a second look
        base.run(f"CREATE TABLE cells AS SELECT {chosen} FROM ({files.scan(base)})")
        n_rows = base.run("SELECT count(*) FROM cells")[0][0]
        found = {
            at: files.text(files.names[at], base.coded(f"c{at}", "cells"))
            if plan.kind == "text"
            else _read(plan, base.arrays(f"SELECT c{at} FROM cells")[f"c{at}"], files.names[at], files)
            for at, plan in enumerate(plans)
        }
        base.run("DROP TABLE cells")
    else:
        arrays = base.arrays(f"SELECT {chosen} FROM ({files.scan(base)})")
        n_rows = len(arrays["c0"])
        found = {at: _read(plan, arrays.pop(f"c{at}"), files.names[at], files) for at, plan in enumerate(plans)}
    again = [at for at, column in found.items() if column is None]
    if has_two_marks([column for column in found.values() if column is not None]):
        again = [at for at, column in found.items() if column is None or column.texts is None]
    if again:
        columns = ", ".join(f"c{at}" for at in again)
        base.run(f"CREATE TABLE again AS SELECT {columns} FROM ({files.scan(base)})")
        found |= {at: files.text(files.names[at], base.coded(f"c{at}", "again")) for at in again}
    return [column for column in found.values() if column is not None], n_rows


@dataclass(frozen=True, slots=True)
class Plan:
    """How a column is read: what SQL makes of a cell, and what that is."""

    kind: str  # code, number or text
    sql: str
    texts: tuple[str, ...] = ()


def _plans(files: CsvFiles, base: Database) -> list[Plan]:
    """A plan for each column, from the sample."""
    columns = [f"c{at}" for at in range(len(files.names))]
    numbers = [number_sql(column, files) for column in columns]
    n_distinct = base.run(f"SELECT {', '.join(f'count(DISTINCT {column})' for column in columns)} FROM sample")[0]
    odd = ", ".join(f"count(*) FILTER (NOT isfinite({number}))" for number in numbers)
    n_odd = base.run(f"SELECT {odd} FROM sample")[0]
    is_coded = [count <= MAX_CODED for count in n_distinct]
    lists = ", ".join(
        f"list(DISTINCT {column})" if coded else "NULL" for column, coded in zip(columns, is_coded, strict=True)
    )
    texts = base.run(f"SELECT {lists} FROM sample")[0]
    return [
        _coded_plan(column, tuple(texts[at]))
        if is_coded[at]
        else (Plan("text", column) if n_odd[at] else Plan("number", numbers[at]))
        for at, column in enumerate(columns)
    ]


def _coded_plan(column: str, texts: tuple[str, ...]) -> Plan:
    return Plan("code", f"coalesce({position_sql(column, texts)}, {ODD})::TINYINT", texts)


def _read(plan: Plan, cells: NDArray[Any], name: str, files: CsvFiles) -> Column | None:
    """A column as planned; None where the file has other cells than its first rows let expect."""
    if plan.kind == "code":
        return None if (cells == ODD).any() else files.text(name, Coded(plan.texts, np.asarray(cells)))
    numbers = numbers_of(cells)
    is_empty = numbers is not None and bool(np.isnan(numbers).all())
    return None if numbers is None or is_empty else Column(name, "number", numbers=numbers, written=files.written)


@dataclass(frozen=True, slots=True)
class Readable:
    """A file in UTF-8 at a path that DuckDB can read."""

    path: str
    is_packed: bool = False
    has_header: bool = True
    is_rewritten: bool = False  # by Python, because DuckDB did not read it


def readable(source: CsvSource, base: Database) -> Readable:
    """The file itself, or a copy of its rows in UTF-8."""
    if source.is_plain:
        return Readable(plain_path(source.path, base.folder), source.is_packed)
    copy = os.path.join(base.folder, f"{sha256(source.path.encode()).hexdigest()}.csv")
    if not os.path.exists(copy):
        write_utf8(source, copy)
    return Readable(copy, has_header=False)


def _places(sources: Collection[CsvSource]) -> Iterator[str]:
    several = len(sources) > 1
    return chain.from_iterable(
        (f"line {line}{f' of {source.path}' if several else ''}" for line in source.lines()) for source in sources
    )
