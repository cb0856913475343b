"""CSV files as tables: DuckDB reads them, and each different text is looked at once.

first rows ──►  numbers alone   ──►  the whole file, in one pass: the number, or NaN  ─┬─►  numbers
                anything else   ──►                               the text            ─┼─►  Coded texts
                                     a column with an odd cell again, as text         ─┘

Batches are blocks of bytes that end with a row, each a table of texts in DuckDB.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column, text_column
from budgetree.data.csv_file import BROKEN, CsvFile, broken_gzip, open_bytes, rewrite
from budgetree.data.duckdb import Database, literal, open_database, plain_path
from budgetree.data.number_format import LARGEST_EXACT, NumberFormat
from budgetree.data.source import Batch, Reading, Wanted
from budgetree.data.table import Lines, Table, has_two_marks
from budgetree.errors import TableFileError, Where
from budgetree.services.words import listed

MAX_REWRITTEN_LINE = 20_000_000  # bytes
END = "past_end"  # the cell after a delimiter at the end of every line, which is empty
# DuckDB leaves out a cell too many where it takes it for missing, and such a row may be shifted; so it is told of no
# missing cell but this, which no file has.
NO_CELL = "\ue000budgetree\ue000"
# A missing cell that DuckDB does not take for a number.
IS_WORD = re.compile(r"(?!.*(nan|inf))[^0-9]*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Readable:
    """A file in UTF-8 at a path that DuckDB can read."""

    path: str
    is_packed: bool = False
    has_header: bool = True
    is_rewritten: bool = False  # by Python, because DuckDB did not read it

    @property
    def options(self) -> str:
        # Long lines take memory, so not for all files; nor need the first line break be the end of a row elsewhere.
        rewritten = f", max_line_size={MAX_REWRITTEN_LINE}, new_line='\\n'" if self.is_rewritten else ""
        packed = f"skip={int(self.has_header)}, compression='{'gzip' if self.is_packed else 'none'}'{rewritten}"
        return f"[{literal(self.path)}], auto_detect=false, quote='\"', escape='\"', header=false, {packed}"


@dataclass(frozen=True, eq=False)
class CsvSource:
    """One or more files with the same header, read as one table."""

    name: str  # as the user called them
    files: tuple[CsvFile, ...]
    reading: Reading

    @classmethod
    def open(cls, data: str, paths: Sequence[str], reading: Reading, opened: IO[bytes] | None = None) -> CsvSource:
        """Look at the files, of which the only one may be open."""
        first, *others = files = tuple(CsvFile.sniff(path, reading, opened) for path in paths)
        for file in others:
            if file.shape != first.shape:
                here, there = set(file.names), set(first.names)
                sides = (("it has", here - there), ("it has no", there - here))
                found = " and ".join(f"{has} {listed(sorted(names))}" for has, names in sides if names)
                message = f"its header is not that of {first.path}{found and f' ({found})'}; files that are read"
                together = "together need the same columns in the same order, and the same delimiter."
                raise TableFileError(f"{message} {together}", where=Where(file.path))
        return cls(data, files, reading)

    @property
    def names(self) -> tuple[str, ...]:
        return self.files[0].names

    @property
    def paths(self) -> list[str]:
        return [file.path for file in self.files]

    @cached_property
    def written(self) -> NumberFormat:
        """How numbers are written; of several files, one may show what the others leave open."""
        formats = [file.written for file in self.files]
        return next((written for written in formats if written.is_shown), formats[0])

    def table(self) -> Table:
        for file in self.files:
            file.check_size(self.reading.max_bytes)
        every = range(len(self.names))
        # DuckDB would take far more memory than the cells, since it has room for 2048 rows of every column.
        limits, n_bytes = self.reading.limits, sum(map(os.path.getsize, self.paths))
        is_short = n_bytes < limits.max_wide_bytes and not any(file.is_packed for file in self.files)
        if is_short and len(self.names) > limits.very_wide:
            return self._wide_table()
        with open_database(self.paths) as base:
            readable = [_readable(file, base) for file in self.files]
            self._load(base, {at: f"c{at}" for at in every}, readable, f"LIMIT {limits.sample_rows}")
            is_all = base.count("cells") < limits.sample_rows
            found = self._texts(base, every) if is_all else self._planned(base, readable)
            return self._table(found, 0, base.count("cells"))

    def _wide_table(self) -> Table:
        """The whole of the files, as Python reads them."""
        for file in self.files:
            file.check()
        rows = [row for file in self.files for _, row in file.rows()]
        cells = zip(*rows, strict=False) if rows else ((),) * len(self.names)  # of which the last may be the end
        columns = enumerate(zip(self.names, cells, strict=False))
        found: dict[int, Column | None] = {at: self._text(name, Coded.of(texts)) for at, (name, texts) in columns}
        return self._table(found, 0, len(rows))

    def _planned(self, base: Database, files: list[Readable]) -> dict[int, Column | None]:
        """The columns, each read as the rows that are loaded let expect."""
        every = {at: f"c{at}" for at in range(len(self.names))}
        odd = ", ".join(f"count(*) FILTER (NOT isfinite({self._number_sql(column)}))" for column in every.values())
        n_odd = base.run(f"SELECT {odd} FROM cells")[0]
        self._load(base, {at: every[at] if n_odd[at] else self._number_sql(every[at]) for at in every}, files)
        found: dict[int, Column | None] = {}
        for at, cells in self._arrays(base, {at: every[at] for at in every if not n_odd[at]}):
            column = self._numbers(self.names[at], cells)
            found[at] = None if column is None or column.is_absent.all() else column
        found |= self._texts(base, [at for at in every if n_odd[at]])

        def as_text(again: Sequence[int]) -> dict[int, Column | None]:
            self._load(base, {at: f"c{at}" for at in again}, files)
            return self._texts(base, again)

        _settle(found, as_text)
        return found

    def batches(self, wanted: Wanted) -> Iterator[Batch]:
        """The rows batch by batch, so that files of any length take the same memory."""
        for file in self.files if self.reading.max_bytes is not None else ():
            file.check_size(self.reading.max_bytes)
        kept = {at: f"c{at}" for at, name in enumerate(self.names) if wanted.lines or name in wanted} or {0: "c0"}
        numbers = {at: self._number_sql(f"c{at}") for at in kept if self.names[at] in wanted.numbers}
        others = [at for at in kept if self.names[at] in wanted and at not in numbers]
        with open_database(self.paths) as base:
            first_row = 0
            for part in chain.from_iterable(self._parts(file, base) for file in self.files):
                self._load(base, kept, [part])
                n_rows = base.count("cells")
                found: dict[int, Column | None] = {
                    at: self._numbers(self.names[at], cells) for at, cells in self._arrays(base, numbers)
                }
                found |= self._texts(base, others)
                _settle(found, lambda again: self._texts(base, again))
                lines = base.csv_lines("cells", list(kept.values()), self.reading.limits.wide) if wanted.lines else []
                yield Batch(self._table(found, first_row, n_rows), lines)
                first_row += n_rows

    def _table(self, found: dict[int, Column | None], first_row: int, n_rows: int) -> Table:
        columns = tuple(column for _, column in sorted(found.items()) if column is not None)
        rows = np.arange(first_row, first_row + n_rows)
        starts = Lines(rows, lambda: ((file.path, line) for file in self.files for line, _ in file.rows()))
        return Table(self.name, columns, n_rows, starts)

    def _load(self, base: Database, cells: dict[int, str], files: list[Readable], limit: str = "") -> None:
        """A table of cells; a file that DuckDB does not read as it is, is checked, and rewritten by Python for good."""
        import duckdb

        command = f"CREATE OR REPLACE TABLE cells AS SELECT {_as_cells(cells)} FROM"
        try:
            base.run(f"{command} ({self._scan(files)}) {limit}")
        except duckdb.Error as error:
            for file in self.files:
                file.check()  # which says better what is wrong
            try:
                files[:] = [self._rewritten(file, base) for file in files]
                base.run(f"{command} ({self._scan(files)}) {limit}")
            except (duckdb.Error, TableFileError):  # which would name the copy
                reason = str(error).partition("Original Line")[0].split("\n\n")[0]
                message = f"this CSV file cannot be read: {' '.join(reason.split())[:300]}"
                raise TableFileError(message, where=Where(self.name)) from error

    def _scan(self, files: Sequence[Readable]) -> str:
        """What SQL reads from: every cell a text, as it is."""
        names, delimiter, has_end = self.files[0].shape
        cells = [f"c{at}" for at in range(len(names))]
        columns = ", ".join(f"'{cell}': 'VARCHAR'" for cell in (*cells, *([END] if has_end else [])))
        options = f"columns={{{columns}}}, nullstr={literal(NO_CELL)}, delim={literal(delimiter)}"
        is_row = "c0 <> ''" if len(cells) == 1 else "true"  # an empty line would be one
        is_right = f"({END} = '' OR error('{END}'))" if has_end else "true"
        return " UNION ALL ".join(
            f"(SELECT {', '.join(cells)} FROM read_csv({file.options}, {options}) WHERE {is_right} AND {is_row})"
            for file in files
        )

    def _rewritten(self, file: Readable, base: Database) -> Readable:
        """A copy as Python writes it, of a file that only Python reads, such as one with two kinds of line ends."""
        copy = f"{base.copy_of(file.path)}-again"
        rewrite(file.path, self.files[0].delimiter, copy, self.reading.limits.max_line)
        return Readable(copy, has_header=file.has_header, is_rewritten=True)

    def _parts(self, file: CsvFile, base: Database) -> Iterator[Readable]:
        """The file, or blocks of it one after the other."""
        whole = _readable(file, base)
        if not whole.is_packed and os.path.getsize(whole.path) <= self.reading.limits.block_bytes:
            yield whole
            return
        part = os.path.join(base.folder, "part.csv")
        try:
            for number, block in enumerate(_blocks(whole.path, file.path, self.reading)):
                with open(part, "wb") as copy:
                    copy.write(block)
                yield Readable(part, has_header=whole.has_header and number == 0)
        except BROKEN as error:
            raise broken_gzip(file.path, error) from error

    def _number_sql(self, column: str) -> str:
        """A cell as a number; NULL where it is missing, NaN where it is odd and has to be looked at as text."""
        written = self.written
        odd = {"_", ".", written.thousands or "_"} - {written.decimal}
        is_odd = " OR ".join(f"contains({column}, {literal(mark)})" for mark in sorted(odd))
        is_odd += f" OR (starts_with({column}, '0') AND {column}[2] BETWEEN '0' AND '9')"  # 007 is a code, not 7
        if written.is_open:  # such as 1,136, which may be 1136
            is_odd += rf" OR regexp_full_match({column}, '\s*[+-]?[1-9]\d{{0,2}}[{written.decimal}]\d{{3}}\s*')"
        plain = column if written.decimal == "." else f"replace({column}, ',', '.')"
        # Missing cells that are no numbers are looked for last, where there is no number: most cells are one.
        words = sorted(filter(IS_WORD.fullmatch, self.reading.missing_cells))
        others = sorted(self.reading.missing_cells.difference(words))
        is_word, is_other = (f"{column} IN ({', '.join(map(literal, texts))})" for texts in (words, others))
        return (
            f"CASE WHEN {is_other} THEN NULL WHEN {is_odd} THEN 'nan'::DOUBLE ELSE "
            f"coalesce(TRY_CAST({plain} AS DOUBLE), CASE WHEN {is_word} THEN NULL ELSE 'nan'::DOUBLE END) END"
        )

    def _numbers(self, name: str, cells: NDArray[np.float64]) -> Column | None:
        """What the SQL of numbers found; None where a cell is odd."""
        is_absent, numbers = np.ma.getmaskarray(cells), np.ma.getdata(cells)
        with np.errstate(invalid="ignore"):
            is_odd = ~(np.abs(numbers) < LARGEST_EXACT) & ~is_absent
        if is_odd.any():
            return None
        return Column(name, "number", numbers=np.where(is_absent, np.nan, numbers), written=self.written)

    def _arrays(self, base: Database, cells: dict[int, str]) -> Iterator[tuple[int, NDArray[Any]]]:
        """Columns of the loaded table, many at once: a question about one takes as long as the table is wide."""
        columns, wide = list(cells.items()), self.reading.limits.wide
        for begin in range(0, len(columns), wide):
            some = columns[begin : begin + wide]
            arrays = base.arrays(f"SELECT {_as_cells(dict(some))} FROM cells")
            yield from ((at, arrays.pop(f"c{at}")) for at, _ in some)

    def _texts(self, base: Database, columns: Sequence[int]) -> dict[int, Column | None]:
        if len(columns) <= self.reading.limits.wide:
            return {at: self._text(self.names[at], base.coded(f"c{at}", "cells")) for at in columns}
        arrays = self._arrays(base, {at: f"c{at}" for at in columns})
        return {at: self._text(self.names[at], Coded.of(cells.tolist())) for at, cells in arrays}

    def _text(self, name: str, cells: Coded) -> Column:
        """A column of cells, of which some may still have spaces around them."""
        absent = self.reading.missing_cells
        stripped = (cell.strip() for cell in cells.distinct)
        return text_column(name, cells.mapped([None if cell in absent else cell for cell in stripped]), self.written)


def _as_cells(cells: dict[int, str]) -> str:
    return ", ".join(f"{sql} AS c{at}" for at, sql in cells.items())


def _settle(found: dict[int, Column | None], as_text: Callable[[Sequence[int]], dict[int, Column | None]]) -> None:
    """Columns with an odd cell become text; so do all numbers where their decimal marks are two."""
    for _ in range(2):
        again = [at for at, column in found.items() if column is None]
        if not again and has_two_marks([column for column in found.values() if column is not None]):
            again = [at for at, column in found.items() if column is not None and column.texts is None]
        if again:
            found |= as_text(again)


def _readable(file: CsvFile, base: Database) -> Readable:
    """The file itself, or a copy of its rows in UTF-8."""
    if file.is_plain:
        return Readable(plain_path(file.path, base.folder), file.is_packed)
    copy = base.copy_of(file.path)
    file.write_utf8(copy)
    return Readable(copy, has_header=False)


def _blocks(path: str, called: str, reading: Reading) -> Iterator[bytes]:
    """The file's bytes, cut after lines that no quoted cell goes on from."""
    rest, max_bytes = b"", reading.limits.max_row_bytes
    with open_bytes(path) as file:
        while fresh := file.read(reading.limits.block_bytes):
            block = rest + fresh
            end = block.rfind(b"\n") + 1
            n_quotes = block.count(b'"', 0, end)
            while end and n_quotes % 2:  # before a line break outside of quotes, the quotes are even
                before = block.rfind(b"\n", 0, end - 1) + 1
                n_quotes -= block.count(b'"', before, end)
                end = before
            if end:
                yield block[:end]
            rest = block[end:]
            if len(rest) > max_bytes:
                message = f"there is a row of more than {max_bytes:,} bytes; a quote may not be closed."
                raise TableFileError(message, where=Where(called), expected=max_bytes)
    if rest:
        yield rest
