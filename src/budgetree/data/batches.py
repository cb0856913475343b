"""Rows of a file batch by batch, so that a file of any length takes the same memory.

CSV      a block of bytes that ends with a row  ─┐
Parquet  a range of rows                         ├─► a table in DuckDB ─► the columns that are asked for,
else     the whole table                        ─┘                        and each row as a line of CSV
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column
from budgetree.data.csv import (
    BROKEN,
    WIDE,
    CsvFiles,
    CsvSource,
    Readable,
    broken_gzip,
    cannot_read,
    number_sql,
    numbers_of,
    open_bytes,
    open_csv_files,
    readable,
)
from budgetree.data.duckdb import Database, open_database
from budgetree.data.number_format import NumberFormat
from budgetree.data.parquet import NUMBERS, ParquetFiles, open_parquet, parquet_names, readable_parquet
from budgetree.data.source import Reading, find_files, kind_of, read_table
from budgetree.data.table import Table, has_two_marks
from budgetree.errors import TableFileError

BLOCK_BYTES = 16_000_000
MAX_ROW_BYTES = 50_000_000
BATCH_ROWS = 100_000
QUOTED = ',"\n\r'  # a cell with one of these is written in quotes


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
    """Some rows: the columns that are wanted, and every cell as text where that is wanted too."""

    table: Table
    lines: Sequence[str] = ()  # each row as a line of CSV


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """All rows of a file, batch by batch."""

    source: str
    names: Sequence[str]  # of all columns
    read: Callable[[Wanted], Iterator[Batch]]
    written: NumberFormat | None = None  # how a file of text writes numbers


def open_batches(data: str, reading: Reading) -> Batches:
    """Look at a file, of which the rows are read later."""
    paths = find_files(data)
    kind = kind_of(paths)
    if kind == "workbook" or reading.sheet is not None:
        return whole_table(read_table(data, reading))
    if kind == "CSV":
        files = open_csv_files(data, paths, reading)
        return Batches(data, files.names, lambda wanted: _csv_batches(files, paths, wanted), files.written)
    with open_database(paths) as base:
        names = parquet_names(data, paths, base)
    return Batches(data, names, lambda wanted: _parquet_batches(data, paths, wanted))


def whole_table(table: Table) -> Batches:
    """A table that is in memory, as one batch."""

    def read(wanted: Wanted) -> Iterator[Batch]:
        lines = [",".join(map(csv_cell, row)) for row in table.text_rows()] if wanted.lines else []
        yield Batch(table.only([name for name in table.names if name in wanted]), lines)

    return Batches(table.source, table.names, read)


def csv_cell(text: str) -> str:
    """A cell as CSV has it: in quotes where it must be."""
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in QUOTED) else text


def _csv_batches(files: CsvFiles, paths: Sequence[str], wanted: Wanted) -> Iterator[Batch]:
    import duckdb

    read = {f"c{at}": name for at, name in enumerate(files.names) if wanted.lines or name in wanted}
    kept = ", ".join(read) or "c0"
    with open_database(paths) as base:
        first_row = 0
        for part in (part for source in files.sources for part in _parts(source, base)):
            block = "CREATE OR REPLACE TABLE block AS SELECT {} FROM {}".format
            try:
                base.run(block(kept, files.scan_one(part)))
            except duckdb.Error as error:
                files.check()  # which says better what is wrong
                try:
                    base.run(block(kept, files.scan_one(files.rewritten(part, base))))
                except (duckdb.Error, TableFileError):  # which would name the part
                    raise cannot_read(files.data, error) from error
            n_rows = base.run("SELECT count(*) FROM block")[0][0]
            chosen = {at: name for at, name in read.items() if name in wanted}
            make = _column_by_column if len(read) <= WIDE else _together
            columns = make(files, chosen, base, wanted.numbers)
            if has_two_marks(columns):
                columns = make(files, chosen, base, ())
            lines = _lines(base, list(read)) if wanted.lines else []
            yield Batch(files.table(columns, first_row, n_rows), lines)
            first_row += n_rows


def _column_by_column(
    files: CsvFiles, chosen: Mapping[str, str], base: Database, as_numbers: Collection[str]
) -> list[Column]:
    """The columns of the block, by their names in the file."""
    return [_column(files, name, at, base, as_numbers) for at, name in chosen.items()]


def _column(files: CsvFiles, name: str, column: str, base: Database, as_numbers: Collection[str]) -> Column:
    if name in as_numbers:
        cells = base.arrays(f"SELECT {number_sql(column, files)} AS cell FROM block")["cell"]
        if (found := _number_column(files, name, cells)) is not None:
            return found
    return files.text(name, base.coded(column, "block"))


def _number_column(files: CsvFiles, name: str, cells: NDArray[np.float64]) -> Column | None:
    """None where a cell is odd, and has to be looked at as text."""
    numbers = numbers_of(cells)
    return None if numbers is None else Column(name, "number", numbers=numbers, written=files.written)


def _together(files: CsvFiles, chosen: Mapping[str, str], base: Database, as_numbers: Collection[str]) -> list[Column]:
    """The same where columns are many: a question about one takes as long as the block is wide, so few are asked."""
    found: dict[str, Column | None] = dict.fromkeys(chosen)
    for some in _some_at_once([at for at, name in chosen.items() if name in as_numbers]):
        asked = ", ".join(f"{number_sql(at, files)} AS {at}" for at in some)
        numbers = base.arrays(f"SELECT {asked} FROM block")
        found |= {at: _number_column(files, chosen[at], numbers[at]) for at in some}
    for some in _some_at_once([at for at, column in found.items() if column is None]):
        texts = base.arrays(f"SELECT {', '.join(some)} FROM block")
        found |= {at: files.text(chosen[at], Coded.of(texts[at].tolist())) for at in some}
    return [column for column in found.values() if column is not None]


def _some_at_once(columns: Sequence[str]) -> Iterator[Sequence[str]]:
    return (columns[begin : begin + WIDE] for begin in range(0, len(columns), WIDE))


def _parts(source: CsvSource, base: Database) -> Iterator[Readable]:
    """The file, or blocks of it one after the other."""
    file = readable(source, base)
    if not file.is_packed and os.path.getsize(file.path) <= BLOCK_BYTES:
        yield file
        return
    part = os.path.join(base.folder, "part.csv")
    try:
        for number, block in enumerate(_blocks(source.path, file.path)):
            with open(part, "wb") as copy:
                copy.write(block)
            yield Readable(part, has_header=file.has_header and number == 0)
    except BROKEN as error:
        raise broken_gzip(source.path, error) from error


def _blocks(source: str, path: str) -> Iterator[bytes]:
    """The file's bytes, cut after lines that no quoted cell goes on from."""
    rest = b""
    with open_bytes(path) as file:
        while fresh := file.read(BLOCK_BYTES):
            block = rest + fresh
            end = _end_of_rows(block)
            if end:
                yield block[:end]
            rest = block[end:]
            if len(rest) > MAX_ROW_BYTES:
                raise TableFileError(
                    f"{source}: there is a row of more than {MAX_ROW_BYTES:,} bytes; a quote may not be closed."
                )
    if rest:
        yield rest


def _end_of_rows(block: bytes) -> int:
    """Where the last row of a block ends; before a line break outside of quotes, the quotes are even."""
    end = block.rfind(b"\n") + 1
    is_even = block.count(b'"', 0, end) % 2 == 0
    while end and not is_even:
        before = block.rfind(b"\n", 0, end - 1) + 1
        is_even = block.count(b'"', before, end) % 2 == 1
        end = before
    return end


def _parquet_batches(data: str, paths: Sequence[str], wanted: Wanted) -> Iterator[Batch]:
    for path in paths:
        with open_database([path]) as base:
            files = open_parquet(data, [path], base)
            cells = [_typed_cell(f"c{at}", kind) for at, kind in enumerate(files.kinds)]
            read = [f"c{at}" for at, name in enumerate(files.names) if wanted.lines or name in wanted]
            with readable_parquet(data):
                n_rows = files.count(base)
            if not wanted.lines:
                names = [name for name in files.names if name in wanted]
                with readable_parquet(data):
                    yield from (Batch(table) for table in parquet_rows(path, 0, n_rows, names))
                continue
            for first in range(0, n_rows, BATCH_ROWS):
                with readable_parquet(data):
                    rows = _rows(files, first, BATCH_ROWS)
                    base.run(f"CREATE OR REPLACE TABLE block AS SELECT {', '.join(read) or 'c0'} FROM {rows}")
                    lines = _lines(base, cells) if wanted.lines else []
                    columns = files.read(base, "block", [name for name in files.names if name in wanted])
                yield Batch(Table(data, tuple(columns), min(BATCH_ROWS, n_rows - first)), lines)


def parquet_rows(
    path: str, first: int, n_rows: int, only: Collection[str] | None = None, threads: int | None = None
) -> Iterator[Table]:
    """Some rows of one file, batch by batch, with all of its columns or only these."""
    with open_database([path], threads) as base:
        files = open_parquet(path, [path], base)
        for begin in range(first, first + max(n_rows, 1), BATCH_ROWS):
            n_here = min(BATCH_ROWS, first + n_rows - begin)
            yield Table(path, tuple(files.read_at_once(base, _rows(files, begin, n_here), only)), n_here)


def _rows(files: ParquetFiles, first: int, n_rows: int) -> str:
    numbered = files.scan.replace("]) AS t(", "], file_row_number=true) AS t(").removesuffix(")") + ", number)"
    return f"{numbered} WHERE number BETWEEN {first} AND {first + n_rows - 1}"


def _typed_cell(column: str, kind: str) -> str:
    """A value as Python writes it."""
    if kind == "BOOLEAN":
        return f"CASE WHEN {column} THEN 'True' WHEN NOT {column} THEN 'False' END"
    if kind in ("FLOAT", "DOUBLE") or kind.startswith(NUMBERS):
        is_whole = f"isfinite({column}::DOUBLE) AND {column} = floor({column}) AND abs({column}) < 9e15"
        text = f"CASE WHEN {is_whole} THEN {column}::BIGINT::VARCHAR ELSE {column}::VARCHAR END"
        return f"CASE WHEN NOT isnan({column}::DOUBLE) THEN {text} END"
    return f"{column}::VARCHAR"


def _lines(base: Database, cells: Sequence[str]) -> list[str]:
    """The rows of the block as lines of CSV."""
    pieces = [_pieces(base, some) for some in _some_at_once(cells)]
    return pieces[0] if len(pieces) == 1 else list(map(",".join, zip(*pieces, strict=True)))


def _pieces(base: Database, cells: Sequence[str]) -> list[str]:
    """Some cells of each row as a piece of a line; they are quoted only in rows where one must be."""
    plain = ", ".join(f"coalesce({cell}, '')" for cell in cells)
    quoted = ", ".join(f"csv_cell({cell})" for cell in cells)
    is_quoted = " OR ".join(f"contains(cell, '{mark}')" for mark in QUOTED)
    in_quotes = """'"' || replace(cell, '"', '""') || '"'"""
    base.run(
        "CREATE OR REPLACE TEMP MACRO csv_cell(cell) AS "
        f"CASE WHEN cell IS NULL THEN '' WHEN {is_quoted} THEN {in_quotes} ELSE cell END"
    )
    is_plain = " AND ".join(f"NOT contains(line, '{mark}')" for mark in QUOTED if mark != ",")
    is_plain += f" AND length(line) - length(replace(line, ',', '')) = {len(cells) - 1}"
    found: list[str] = base.arrays(
        f"SELECT CASE WHEN {is_plain} THEN line ELSE concat_ws(',', {quoted}) END AS line "
        f"FROM (SELECT *, concat_ws(',', {plain}) AS line FROM block)"
    )["line"].tolist()
    return found
