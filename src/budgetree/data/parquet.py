"""Parquet files as tables: DuckDB reads them, plain numbers of all columns at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from budgetree.data.column import Coded, Column, plain_decimal
from budgetree.data.csv_file import check_header
from budgetree.data.duckdb import Database, literal, open_database, plain_path
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.source import Batch, Reading, Wanted
from budgetree.data.table import Table
from budgetree.errors import TableError, TableFileError, Where

QUICK = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE")  # handed over as is
LONG_NUMBERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
WITH_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")
NESTED = ("[", "STRUCT", "MAP", "UNION")
NOTHING = '"NULL"'  # the kind of a column without any value


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file: their names, and what they hold, as DuckDB calls it."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ParquetSource:
    """One or more files with the same columns, which may hold other kinds of numbers in each."""

    name: str  # as the user called them
    paths: tuple[str, ...]
    headers: tuple[Header, ...]
    n_rows: tuple[int, ...]
    reading: Reading
    has_texts: bool = False
    written: None = None

    @classmethod
    def open(cls, data: str, paths: Sequence[str], reading: Reading) -> ParquetSource:
        """Look at the columns and rows of the files."""
        with open_database(paths) as base, _readable(data):
            files = [f"read_parquet([{literal(plain_path(path, base.folder))}])" for path in paths]
            found = [base.run(f"DESCRIBE FROM {file}") for file in files]
            headers = tuple(Header(tuple(row[0] for row in rows), tuple(row[1] for row in rows)) for rows in found)
            n_rows = tuple(map(base.count, files))
        check_header(Where(data), headers[0].names)
        for path, header in zip(paths, headers, strict=True):
            if header.names != headers[0].names:
                raise TableFileError(
                    f"its columns are not those of {paths[0]}; files that are read together need the same columns in "
                    "the same order.",
                    where=Where(path),
                )
        return cls(data, tuple(paths), headers, n_rows, reading)

    @property
    def names(self) -> tuple[str, ...]:
        return self.headers[0].names

    def kinds(self, drop: Collection[str] = ()) -> tuple[str, ...]:
        """One kind of values for each column that is not dropped; TableFileError where files do not fit together."""
        by_column = zip(self.names, zip(*(header.kinds for header in self.headers), strict=True), strict=True)
        return tuple(_common(name, kinds, self.paths) for name, kinds in by_column if name not in drop)

    def table(self) -> Table:
        """All rows of all files."""
        kinds = self.kinds()
        with open_database(self.paths) as base, _readable(self.name):
            cells = ", ".join(f"c{at}" for at in range(len(self.names)))
            files = [f"read_parquet([{literal(plain_path(path, base.folder))}]) AS t({cells})" for path in self.paths]
            if len(set(self.headers)) > 1:  # DuckDB would give all files the kinds of the first, and make 2 of 1.5
                for path, header, file in zip(self.paths, self.headers, files, strict=True):
                    _check_exact(base, path, header, kinds, file)
                cast = ", ".join(f"c{at}::{kind} AS c{at}" for at, kind in enumerate(kinds))
                files = [f"(SELECT {cast} FROM {file})" for file in files]
            scan = files[0] if len(files) == 1 else f"({' UNION ALL '.join(f'FROM {file}' for file in files)})"
            columns = (_column(name, kinds[at], f"c{at}", base, scan) for at, name in enumerate(self.names))
            return Table(self.name, tuple(columns), sum(self.n_rows))

    def batches(self, wanted: Wanted) -> Iterator[Batch]:
        """The rows of one file after the other, each with its own kinds of values."""
        for path, header, n_rows in zip(self.paths, self.headers, self.n_rows, strict=True):
            for table, lines in self._rows(path, header, 0, n_rows, wanted, None):
                yield Batch(table, lines)

    def rows(self, path: str, first: int, n_rows: int, threads: int | None = None) -> Iterator[Table]:
        """Some rows of one file, batch by batch, with all of its columns."""
        header, wanted = self.headers[self.paths.index(path)], Wanted(texts=self.names, lines=False)
        return (table for table, _ in self._rows(path, header, first, n_rows, wanted, threads))

    def _rows(
        self, path: str, header: Header, first: int, n_rows: int, wanted: Wanted, threads: int | None
    ) -> Iterator[tuple[Table, list[str]]]:
        limits, end = self.reading.limits, first + n_rows
        dropped = [name for name in header.names if name not in wanted]
        numbered = ", ".join([*(f"c{at}" for at in range(len(header.names))), "number"])
        with open_database([path], threads) as base:
            file = f"read_parquet([{literal(plain_path(path, base.folder))}], file_row_number=true) AS t({numbered})"
            for begin in range(first, max(end, first + 1), limits.batch_rows):
                if wanted.lines and begin == end:
                    return
                n_here, lines = min(limits.batch_rows, end - begin), []
                rows = f"{file} WHERE number BETWEEN {begin} AND {begin + n_here - 1}"
                with _readable(self.name):
                    if wanted.lines:
                        base.run(f"CREATE OR REPLACE TABLE block AS SELECT * FROM {rows}")
                        cells = [_cell_sql(f"c{at}", kind) for at, kind in enumerate(header.kinds)]
                        rows, lines = "block", base.csv_lines("block", cells, limits.wide)
                    columns = _columns(base, rows, header, dropped)
                yield Table(self.name, columns, n_here), lines


@contextmanager
def _readable(data: str) -> Iterator[None]:
    """While DuckDB reads: what it cannot read is named."""
    import duckdb

    try:
        yield
    except TableError as error:  # what a column holds
        raise error.at(Where(data))  # noqa: B904
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise TableFileError(f"this Parquet file cannot be read: {reason}", where=Where(data)) from error


def _columns(base: Database, rows: str, header: Header, dropped: Collection[str] = ()) -> tuple[Column, ...]:
    """The columns of some rows, of which plain numbers are read together: many times as fast as one by one."""
    wanted = {f"c{at}": at for at, name in enumerate(header.names) if name not in dropped}
    quick = [column for column, at in wanted.items() if header.kinds[at] in QUICK]
    slow = [column for column in wanted if column not in quick]
    found: dict[str, Column] = {}
    if quick:
        arrays = base.arrays(f"SELECT {', '.join(quick)} FROM {rows}")
        for column in quick:
            numbers = np.ma.filled(arrays.pop(column).astype(np.float64, copy=False), np.nan)
            at = wanted[column]
            found[column] = Column(header.names[at], header.kinds[at], numbers=numbers).with_numbers()
    if slow:
        base.run(f"CREATE OR REPLACE TABLE others AS SELECT {', '.join(slow)} FROM {rows}")
    for column in slow:
        found[column] = _column(header.names[wanted[column]], header.kinds[wanted[column]], column, base, "others")
    return tuple(found[column] for column in wanted)


def _column(name: str, kind: str, column: str, base: Database, rows: str) -> Column:
    if kind.startswith(NESTED) or kind.endswith("]"):
        return Column(name, kind, values=[row[0] for row in base.run(f"SELECT {column} FROM {rows}")])
    if is_number(kind):
        if kind in QUICK or not _is_long(base, column, rows):
            cells = base.arrays(f"SELECT {column}::DOUBLE AS at FROM {rows}")["at"]
            dtype = "DOUBLE" if kind in LONG_NUMBERS else kind
            return Column(name, dtype, numbers=np.ma.filled(cells, np.nan)).with_numbers()
        coded = base.coded(column, rows)  # whole numbers that floats do not tell apart
        return Column(name, kind, values=coded.mapped(list(map(plain_decimal, coded.distinct)))).with_numbers()
    texts = base.coded(column, rows)
    return Column(name, kind, values=texts if kind == "VARCHAR" else _typed(texts, kind, column, base, rows))


def _typed(texts: Coded, kind: str, column: str, base: Database, rows: str) -> Coded:
    """Values of their own kind, where their texts told them apart."""
    if kind == "TIMESTAMP WITH TIME ZONE":  # which Python would want another library for
        return texts
    value_of: dict[str, Any] = dict(
        base.run(f"SELECT {column}::VARCHAR, any_value({column}) FROM {rows} WHERE {column} IS NOT NULL GROUP BY 1")
    )
    return texts.mapped([value_of[text] for text in texts.distinct])


def _cell_sql(column: str, kind: str) -> str:
    """A value as Python writes it."""
    if kind == "BOOLEAN":
        return f"CASE WHEN {column} THEN 'True' WHEN NOT {column} THEN 'False' END"
    if is_number(kind) and kind not in LONG_NUMBERS:
        is_whole = f"isfinite({column}::DOUBLE) AND {column} = floor({column}) AND abs({column}) < 9e15"
        text = f"CASE WHEN {is_whole} THEN {column}::BIGINT::VARCHAR ELSE {column}::VARCHAR END"
        return f"CASE WHEN NOT isnan({column}::DOUBLE) THEN {text} END"
    return f"{column}::VARCHAR"


def _common(name: str, kinds: Sequence[str], paths: Sequence[str]) -> str:
    """One kind for a column that has these in several files."""
    known = [(kind, path) for kind, path in zip(kinds, paths, strict=True) if kind != NOTHING]
    first, path = known[0] if known else (NOTHING, "")
    other = next((pair for pair in known if pair[0] != first), None)
    if other is None:
        return first
    if all(is_number(kind) for kind, _ in known):
        return "DOUBLE" if any(kind.startswith(WITH_FRACTIONS) for kind, _ in known) else "HUGEINT"
    raise TableFileError(
        f"column {name!r} holds {other[0]}, but {first} in {path}; files that are read together need one kind of "
        "values in a column. Convert one of them.",
        subject=name,
        found=other[0],
        expected=first,
        where=Where(other[1]),
    )


def is_number(kind: str) -> bool:
    """Whether a column holds numbers, and no lists of them."""
    return kind.startswith((*QUICK, *LONG_NUMBERS, "DECIMAL")) and not kind.endswith("]")


def _check_exact(base: Database, path: str, header: Header, wanted: Sequence[str], file: str) -> None:
    """An error where whole numbers would become decimal numbers that do not tell them apart."""
    for at, (name, kind) in enumerate(zip(header.names, header.kinds, strict=True)):
        if wanted[at] == "DOUBLE" and kind.startswith((*LONG_NUMBERS, "DECIMAL")) and _is_long(base, f"c{at}", file):
            raise TableFileError(
                f"column {name!r} has whole numbers that are too large to stand beside the decimal numbers of other "
                "files. Convert them.",
                subject=name,
                where=Where(path),
            )


def _is_long(base: Database, column: str, rows: str) -> bool:
    """Whether a column has numbers that floats do not tell apart."""
    low, high = base.run(f"SELECT min({column}), max({column}) FROM {rows}")[0]
    return low is not None and bool(max(abs(low), abs(high)) > LARGEST_EXACT)
