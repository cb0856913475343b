"""Parquet files as tables: DuckDB reads them column by column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from budgetree.data.column import Coded, Column, plain_decimal
from budgetree.data.csv import check_header
from budgetree.data.duckdb import Database, literal, open_database, plain_path
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.table import Table
from budgetree.errors import TableFileError

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE", "DECIMAL")
QUICK = NUMBERS[:-1]  # DuckDB hands them over as they are
LONG_NUMBERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
WITH_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")
NOTHING = '"NULL"'  # the kind of a column without any value
TOO_LARGE = "has whole numbers that are too large to stand beside the decimal numbers of other files"


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file: their names, and what they hold, as DuckDB calls it."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, described: Sequence[tuple[Any, ...]]) -> Header:
        """From what DuckDB says of a file."""
        return cls(tuple(row[0] for row in described), tuple(row[1] for row in described))

    def without(self, names: Collection[str]) -> Header:
        """The other columns."""
        kept = [(name, kind) for name, kind in zip(self.names, self.kinds, strict=True) if name not in names]
        return Header.of(kept)

    def as_kinds(self, wanted: Sequence[str], path: str) -> str:
        """What SQL selects for columns of these kinds, of the file at this path."""
        columns = enumerate(zip(self.names, self.kinds, wanted, strict=True))
        return ", ".join(
            f"{_as_kind(f'c{at}', kind, other, f'{path}: column {name!r} {TOO_LARGE}. Convert them.')} AS c{at}"
            for at, (name, kind, other) in columns
        )


def common_names(paths: Sequence[str], headers: Sequence[Header]) -> tuple[str, ...]:
    """The names that all files have, in the same order; TableFileError where they have not."""
    names = headers[0].names
    for path, header in zip(paths, headers, strict=True):
        if header.names != names:
            raise TableFileError(
                f"{path}: its columns are not those of {paths[0]}; files that are read together need the same columns "
                "in the same order."
            )
    return names


def common_header(paths: Sequence[str], headers: Sequence[Header]) -> Header:
    """What files with these headers are read as; TableFileError where they do not fit together."""
    names = common_names(paths, headers)
    by_column = zip(names, zip(*(header.kinds for header in headers), strict=True), strict=True)
    return Header(names, tuple(_common(name, kinds, paths) for name, kinds in by_column))


def _common(name: str, kinds: Sequence[str], paths: Sequence[str]) -> str:
    """One kind for a column that has these in several files."""
    known = [(kind, path) for kind, path in zip(kinds, paths, strict=True) if kind != NOTHING]
    first, where = known[0] if known else (NOTHING, "")
    other = next(((kind, path) for kind, path in known if kind != first), None)
    if other is None:
        return first
    if all(is_number(kind) for kind, _ in known):
        return "DOUBLE" if any(kind.startswith(WITH_FRACTIONS) for kind, _ in known) else "HUGEINT"
    raise TableFileError(
        f"{other[1]}: column {name!r} holds {other[0]}, but {first} in {where}; files that are read together need one "
        "kind of values in a column. Convert one of them."
    )


def is_number(kind: str) -> bool:
    """Whether a column holds numbers, and no lists of them."""
    return kind.startswith((*NUMBERS, *LONG_NUMBERS)) and not kind.endswith("]")


def _as_kind(column: str, kind: str, wanted: str, problem: str) -> str:
    """A column of numbers as another kind of numbers; the problem is DuckDB's error where floats are the same."""
    if kind == wanted:
        return column
    if wanted != "DOUBLE" or not kind.startswith((*LONG_NUMBERS, "DECIMAL")):
        return f"{column}::{wanted}"
    is_small = f"coalesce({column} BETWEEN -{LARGEST_EXACT} AND {LARGEST_EXACT}, true)"
    return f"CASE WHEN {is_small} THEN {column}::DOUBLE ELSE error({literal(problem)}) END"


NESTED = ("[", "STRUCT", "MAP", "UNION")


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """One or more files with the same columns, open in a database."""

    data: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]  # as DuckDB calls them
    scan: str  # what SQL reads from; the columns are c0, c1, …

    def read(self, base: Database, table: str, only: Collection[str] | None = None) -> list[Column]:
        """The columns, from the files or a table that holds some of their rows."""
        return [
            _column(name, kind, f"c{at}", base, table)
            for at, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True))
            if only is None or name in only
        ]

    def read_at_once(self, base: Database, rows: str, only: Collection[str] | None = None) -> list[Column]:
        """The columns of some rows, of which plain numbers are read together: many times as fast as one by one."""
        wanted = {f"c{at}": at for at, name in enumerate(self.names) if only is None or name in only}
        quick = [column for column, at in wanted.items() if self.kinds[at] in QUICK]
        found: dict[int, Column] = {}
        if quick:
            arrays = base.arrays(f"SELECT {', '.join(quick)} FROM {rows}")
            for column in quick:
                at = wanted[column]
                numbers = np.ma.filled(arrays.pop(column).astype(np.float64), np.nan)
                found[at] = Column(self.names[at], self.kinds[at], numbers=numbers).with_numbers()
        if len(quick) < len(wanted):
            others = [column for column in wanted if column not in quick]
            base.run(f"CREATE OR REPLACE TABLE others AS SELECT {', '.join(others)} FROM {rows}")
            for column in others:
                at = wanted[column]
                found[at] = _column(self.names[at], self.kinds[at], column, base, "others")
        return [found[at] for at in wanted.values()]

    def count(self, base: Database) -> int:
        """How many rows there are."""
        return int(base.run(f"SELECT count(*) FROM {self.scan}")[0][0])


@contextmanager
def readable_parquet(data: str) -> Iterator[None]:
    """While DuckDB reads: what it cannot read is named."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        if TOO_LARGE in reason:  # our own words, behind what kind of error it is
            raise TableFileError(reason.partition(": ")[2]) from error
        raise TableFileError(f"{data}: this Parquet file cannot be read: {reason}") from error


def parquet_names(data: str, paths: Sequence[str], base: Database) -> tuple[str, ...]:
    """The columns of files that are read one after the other, each with its own kinds."""
    return common_names(paths, _headers(data, [literal(plain_path(path, base.folder)) for path in paths], base))


def check_kinds(data: str, paths: Sequence[str], drop: Collection[str] = ()) -> None:
    """An error unless files that are parts of one table have one kind of values in each column that is not dropped."""
    with open_database(paths) as base:
        headers = _headers(data, [literal(plain_path(path, base.folder)) for path in paths], base)
    common_header(paths, [header.without(drop) for header in headers])


def _headers(data: str, files: Sequence[str], base: Database) -> list[Header]:
    with readable_parquet(data):
        headers = [Header.of(base.run(f"DESCRIBE FROM read_parquet([{file}])")) for file in files]
    check_header(data, headers[0].names)
    return headers


def open_parquet(data: str, paths: Sequence[str], base: Database) -> ParquetFiles:
    """Look at the columns of the files, which must have the same."""
    files = [literal(plain_path(path, base.folder)) for path in paths]
    headers = _headers(data, files, base)
    common = common_header(paths, headers)
    columns = ", ".join(f"c{place}" for place in range(len(common.names)))
    if len(set(headers)) == 1:
        scan = f"read_parquet([{', '.join(files)}]) AS t({columns})"
    else:  # DuckDB would give all files the kinds of the first, and make 2 of 1.5
        parts = zip(paths, files, headers, strict=True)
        scan = " UNION ALL ".join(
            f"SELECT {header.as_kinds(common.kinds, path)} FROM read_parquet([{file}]) AS t({columns})"
            for path, file, header in parts
        )
        scan = f"({scan})"
    return ParquetFiles(data, common.names, common.kinds, scan)


def read_parquet(data: str, paths: Sequence[str]) -> Table:
    """The whole of one or more files."""
    with open_database(paths) as base:
        files = open_parquet(data, paths, base)
        with readable_parquet(data):
            n_rows = files.count(base)
            try:
                columns = files.read(base, files.scan)
            except ValueError as error:  # what a column holds
                raise TableFileError(f"{data}: {error}") from error
    return Table(data, tuple(columns), n_rows)


def _column(name: str, kind: str, column: str, base: Database, table: str) -> Column:
    if kind.startswith("DECIMAL") and not kind.endswith("]") and _beyond_floats(column, base, table):
        coded = base.coded(column, table)
        return Column(name, kind, values=coded.mapped(list(map(plain_decimal, coded.distinct)))).with_numbers()
    if kind.startswith(NUMBERS) and not kind.endswith("]"):
        cells = base.arrays(f"SELECT {column}::DOUBLE AS at FROM {table}")["at"]
        return Column(name, kind, numbers=np.ma.filled(cells, np.nan)).with_numbers()
    if kind in LONG_NUMBERS:
        if not _beyond_floats(column, base, table):
            return _column(name, "DOUBLE", column, base, table)
        coded = base.coded(column, table)
        return Column(name, kind, values=coded.mapped(list(map(int, coded.distinct)))).with_numbers()
    if kind.startswith(NESTED) or kind.endswith("]"):
        return Column(name, kind, values=[row[0] for row in base.run(f"SELECT {column} FROM {table}")])
    texts = base.coded(column, table)
    return Column(name, kind, values=texts if kind == "VARCHAR" else _typed(texts, kind, column, base, table))


def _beyond_floats(column: str, base: Database, table: str) -> bool:
    """Whether a column has whole numbers that floats do not tell apart."""
    low, high = base.run(f"SELECT min({column}), max({column}) FROM {table}")[0]
    return low is not None and bool(max(abs(low), abs(high)) > LARGEST_EXACT)


def _typed(texts: Coded, kind: str, column: str, base: Database, table: str) -> Coded:
    """Values of their own kind, where their texts told them apart."""
    if kind == "TIMESTAMP WITH TIME ZONE":  # which Python would want another library for
        return texts
    value_of: dict[str, Any] = dict(
        base.run(f"SELECT {column}::VARCHAR, any_value({column}) FROM {table} WHERE {column} IS NOT NULL GROUP BY 1")
    )
    return texts.mapped([value_of[text] for text in texts.distinct])
