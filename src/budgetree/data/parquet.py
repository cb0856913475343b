"""Parquet files as tables: DuckDB reads them, plain numbers of all columns at once."""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column, duration, plain_decimal
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
ZONED = "TIMESTAMP WITH TIME ZONE"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ARROW = "'ARROW:schema'::BLOB"
DURATION = 18  # among the types of Arrow
DURATIONS = {"duration in s": 10**9, "duration in ms": 10**6, "duration in us": 1000, "duration in ns": 1}  # in ns
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
    written: None = None

    @classmethod
    def open(cls, data: str, paths: Sequence[str], reading: Reading) -> ParquetSource:
        """Look at the columns and rows of the files."""
        with open_database(paths) as base, _readable(data):
            files = [f"read_parquet([{literal(plain_path(path, base.folder))}])" for path in paths]
            headers = tuple(_header(base, file) for file in files)
            n_rows = tuple(map(base.count, files))
        check_header(Where(data), headers[0].names)
        for path, header in zip(paths, headers, strict=True):
            if header.names != headers[0].names:
                message = f"its columns are not those of {paths[0]}; files that are read together need the same columns"
                raise TableFileError(f"{message} in the same order.", where=Where(path))
        return cls(data, tuple(paths), headers, n_rows, reading)

    @property
    def names(self) -> tuple[str, ...]:
        return self.headers[0].names

    def kinds(self, drop: Collection[str] = ()) -> tuple[str, ...]:
        """One kind of values for each column that is not dropped; TableFileError where files do not fit together."""
        by_column = zip(self.names, zip(*(header.kinds for header in self.headers), strict=True), strict=True)
        return tuple(_common(name, kinds, self.paths) for name, kinds in by_column if name not in drop)

    def table(self) -> Table:
        kinds = self.kinds()
        with open_database(self.paths) as base, _readable(self.name):
            cells = ", ".join(f"c{at}" for at in range(len(self.names)))
            files = [f"read_parquet([{literal(plain_path(path, base.folder))}]) AS t({cells})" for path in self.paths]
            if len(set(self.headers)) > 1:  # DuckDB would give all files the kinds of the first, and make 2 of 1.5
                for path, header, file in zip(self.paths, self.headers, files, strict=True):
                    _check_exact(base, path, header, kinds, file)
                stored = ("BIGINT" if kind in DURATIONS else kind for kind in kinds)
                cast = ", ".join(f"c{at}::{kind} AS c{at}" for at, kind in enumerate(stored))
                files = [f"(SELECT {cast} FROM {file})" for file in files]
            scan = files[0] if len(files) == 1 else f"({' UNION ALL '.join(f'FROM {file}' for file in files)})"
            columns = (_column(name, kinds[at], f"c{at}", base, scan) for at, name in enumerate(self.names))
            return Table(self.name, tuple(columns), sum(self.n_rows))

    def batches(self, wanted: Wanted) -> Iterator[Batch]:
        """The rows of one file after the other, each with its own kinds of values."""
        for file, n_rows in enumerate(self.n_rows):
            yield from self.rows(file, 0, n_rows, wanted)

    def rows(self, file: int, first: int, n_rows: int, wanted: Wanted, threads: int | None = None) -> Iterator[Batch]:
        """Some rows of one file, batch by batch."""
        path, header, limits, end = self.paths[file], self.headers[file], self.reading.limits, first + n_rows
        numbered = ", ".join([*(f"c{at}" for at in range(len(header.names))), "number"])
        with open_database([path], threads) as base:
            scan = f"read_parquet([{literal(plain_path(path, base.folder))}], file_row_number=true) AS t({numbered})"
            for begin in range(first, max(end, first + 1), limits.batch_rows):
                if wanted.lines and begin == end:
                    return
                n_here, lines = min(limits.batch_rows, end - begin), []
                rows = f"{scan} WHERE number BETWEEN {begin} AND {begin + n_here - 1}"
                with _readable(self.name):
                    if wanted.lines:
                        base.run(f"CREATE OR REPLACE TABLE block AS SELECT * FROM {rows}")
                        cells = [_cell_sql(f"c{at}", kind) for at, kind in enumerate(header.kinds)]
                        rows, lines = "block", base.csv_lines("block", cells, limits.wide)
                    columns = _columns(base, rows, header, wanted)
                yield Batch(Table(self.name, columns, n_here), lines)


def _header(base: Database, file: str) -> Header:
    names, kinds, *_ = zip(*base.run(f"DESCRIBE FROM {file}"), strict=True)
    described = base.run(f"SELECT value FROM {file.replace('read_parquet', 'parquet_kv_metadata')} WHERE key = {ARROW}")
    units = duration_units(b64decode(described[0][0])) if described else {}
    return Header(names, tuple(units.get(name, kind) for name, kind in zip(names, kinds, strict=True)))


def duration_units(schema: bytes) -> dict[str, str]:
    """The columns of durations, which Parquet has no type for, and their units, by a schema as Arrow writes it.

    It is a FlatBuffer: a table has an offset back to its list of offsets, of which field k is the one at 4 + 2 k.
    """

    def number(at: int, form: str) -> int:
        return int(struct.unpack_from(form, schema, at)[0])

    def field(table: int, position: int) -> int | None:
        offsets = table - number(table, "<i")
        is_there = 4 + 2 * position < number(offsets, "<H") and number(offsets + 4 + 2 * position, "<H")
        return table + is_there if is_there else None

    def follow(at: int | None) -> int:
        if at is None:
            raise ValueError("a field is missing")
        return at + number(at, "<I")

    found = {}
    try:
        start = 8 if schema[:4] == b"\xff" * 4 else 4  # a mark and the length, or the length alone
        fields = follow(field(follow(field(follow(start), 2)), 1))
        for entry in range(fields + 4, fields + 4 + 4 * number(fields, "<I"), 4):
            column = follow(entry)
            kind = field(column, 2)
            if kind is not None and schema[kind] == DURATION:
                name, unit = follow(field(column, 0)), field(follow(field(column, 3)), 0)
                text = schema[name + 4 : name + 4 + number(name, "<I")].decode()
                found[text] = list(DURATIONS)[1 if unit is None else number(unit, "<h")]
    except (struct.error, ValueError, IndexError):  # not as Arrow writes it: whole numbers, as they are stored
        return {}
    return found


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


def _columns(base: Database, rows: str, header: Header, wanted: Wanted) -> tuple[Column, ...]:
    """The columns of some rows, of which plain numbers are read together: many times as fast as one by one."""
    kinds = zip(header.names, header.kinds, strict=True)
    kept = {f"c{at}": (name, kind) for at, (name, kind) in enumerate(kinds) if name in wanted}
    quick = [column for column, (_, kind) in kept.items() if kind in QUICK]
    slow = [column for column in kept if column not in quick]
    arrays = base.arrays(f"SELECT {', '.join(quick)} FROM {rows}") if quick else {}
    if slow:
        base.run(f"CREATE OR REPLACE TABLE others AS SELECT {', '.join(slow)} FROM {rows}")
    return tuple(
        _number_column(name, kind, arrays.pop(column)) if kind in QUICK else _column(name, kind, column, base, "others")
        for column, (name, kind) in kept.items()
    )


def _number_column(name: str, kind: str, cells: NDArray[Any]) -> Column:
    return Column(name, kind, numbers=np.ma.filled(cells.astype(np.float64, copy=False), np.nan)).with_numbers()


def _column(name: str, kind: str, column: str, base: Database, rows: str) -> Column:
    if kind.startswith(NESTED) or kind.endswith("]"):
        return Column(name, kind, values=[row[0] for row in base.run(f"SELECT {column} FROM {rows}")])
    if is_number(kind) and (kind in QUICK or not _is_long(base, column, rows)):
        cells = base.arrays(f"SELECT {column}::DOUBLE AS at FROM {rows}")["at"]
        return _number_column(name, "DOUBLE" if kind in LONG_NUMBERS else kind, cells)
    if kind == ZONED:  # for which Python would want another library
        coded = base.coded(f"epoch_us({column})", rows)
        moments = [EPOCH + timedelta(microseconds=int(text)) for text in coded.distinct]
        return Column(name, kind, values=coded.mapped(moments))
    coded = base.coded(column, rows)
    if kind in DURATIONS:
        spans = [duration(int(text) * DURATIONS[kind]) for text in coded.distinct]
        return Column(name, kind, values=coded.mapped(spans))
    if is_number(kind):  # whole numbers that floats do not tell apart
        return Column(name, kind, values=coded.mapped(list(map(plain_decimal, coded.distinct)))).with_numbers()
    if kind != "VARCHAR":
        present = f"FROM {rows} WHERE {column} IS NOT NULL"
        value_of = dict(base.run(f"SELECT {column}::VARCHAR, any_value({column}) {present} GROUP BY 1"))
        coded = coded.mapped([value_of[text] for text in coded.distinct])
    return Column(name, kind, values=coded)


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
    known = [kind for kind in dict.fromkeys(kinds) if kind != NOTHING]
    if len(known) <= 1:
        return known[0] if known else NOTHING
    if all(map(is_number, known)):
        return "DOUBLE" if any(kind.startswith(WITH_FRACTIONS) for kind in known) else "HUGEINT"
    first, other = known[:2]
    message = f"column {name!r} holds {other}, but {first} in {paths[kinds.index(first)]}; files that are read together"
    message = f"{message} need one kind of values in a column. Convert one of them."
    raise TableFileError(message, subject=name, found=other, expected=first, where=Where(paths[kinds.index(other)]))


def is_number(kind: str) -> bool:
    """Whether a column holds numbers, and no lists of them."""
    return kind.startswith((*QUICK, *LONG_NUMBERS, "DECIMAL")) and not kind.endswith("]")


def _check_exact(base: Database, path: str, header: Header, wanted: Sequence[str], file: str) -> None:
    """An error where whole numbers would become decimal numbers that do not tell them apart."""
    for at, (name, kind) in enumerate(zip(header.names, header.kinds, strict=True)):
        if wanted[at] == "DOUBLE" and kind.startswith((*LONG_NUMBERS, "DECIMAL")) and _is_long(base, f"c{at}", file):
            message = f"column {name!r} has whole numbers that are too large to stand beside the decimal numbers of"
            raise TableFileError(f"{message} other files. Convert them.", subject=name, where=Where(path))


def _is_long(base: Database, column: str, rows: str) -> bool:
    """Whether a column has numbers that floats do not tell apart."""
    low, high = base.run(f"SELECT min({column}), max({column}) FROM {rows}")[0]
    return low is not None and bool(max(abs(low), abs(high)) > LARGEST_EXACT)
