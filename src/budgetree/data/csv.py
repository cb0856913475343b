"""CSV files as tables: DuckDB reads them, and each different cell is looked at once."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING

from budgetree.errors import TableFileError
from budgetree.services.words import counted

if TYPE_CHECKING:
    from _csv import Reader
import os
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column, text_column
from budgetree.data.duckdb import Database, literal, open_database, plain_path, position_sql
from budgetree.data.number_format import LARGEST_EXACT, NumberFormat
from budgetree.data.source import Reading
from budgetree.data.table import Lines, Table, has_two_marks
from budgetree.services.words import listed

DELIMITERS = ",;\t|"
GZIP = b"\x1f\x8b"
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error)  # what Python says of a file that gzip did not finish
SAMPLE_BYTES = 4096  # which show the encoding
MAX_CELL = 10_000_000  # characters
MAX_LINE = 50_000_000  # a file of a few megabytes, packed, may have one that takes all memory
MAX_SHOWN = 60  # characters of a line, in a message
SNIFFED_LINES, SNIFFED_SIZE = 30, 1_000_000  # lines, or characters, which show the delimiter
LINE_BREAK = re.compile(r"\r\n|\r|\n")
Record = tuple[int, list[str]]  # the line at which it begins, and its cells


@dataclass(frozen=True, slots=True)
class CsvSource:
    """One file with a header line, whose cells are separated by commas, semicolons, tabs or bars."""

    path: str
    encoding: str
    is_packed: bool  # by gzip
    delimiter: str
    names: tuple[str, ...]
    header_line: int
    header_end: int  # the line at which the header ends: a name in quotes may have line breaks
    has_end: bool  # every row ends with a delimiter, so that an empty cell seems to follow

    @property
    def shape(self) -> tuple[tuple[str, ...], str, bool]:
        """What files that are read together have in common."""
        return self.names, self.delimiter, self.has_end

    @property
    def is_plain(self) -> bool:
        """Whether DuckDB can read it as it is: it skips a line, not a row."""
        return self.encoding == "utf-8-sig" and self.header_end == 1

    def records(self) -> Iterator[Record]:
        """The rows one by one, without the header, as Python reads them: slowly, and with good messages."""
        for line, row in _records(self.path, self.encoding, self.delimiter):
            if line > self.header_line:
                if not (has_end(row, len(self.names)) if self.has_end else len(row) == len(self.names)):
                    raise TableFileError(f"{self.path}, line {line}: {self._unexpected(line, len(row))}")
                yield line, row[: len(self.names)]

    def _unexpected(self, line: int, n_cells: int) -> str:
        """How many cells a row has and should have, and what may be the reason."""
        n_names, found = len(self.names), counted(n_cells, "cell")
        if self.has_end and n_cells == n_names + 1:
            return (
                f"there is something in column {n_cells}, which has no name and is empty above. Name it in the header, "
                "or is there a delimiter too many?"
            )
        if self.has_end:
            above = f"the rows above have {n_names + 1}, of which the last is empty"
            return f"{found}, but {above}. Is a delimiter missing?"
        header = f"{found}, but the header has {counted(n_names, 'column')}"
        if line == self.header_end + 1:
            return f"{header}. Is line {self.header_line} a title above the table (then delete it)?"
        return f"{header}. Is a quote or a delimiter missing?"

    def lines(self) -> Iterator[int]:
        """Where the rows begin."""
        found = _records(self.path, self.encoding, self.delimiter)
        return (line for line, _ in found if line > self.header_line)

    def check(self) -> None:
        """An error that says where the file is broken, if it is."""
        for _ in self.records():
            pass


def open_csv(path: str, encoding: str | None = None) -> CsvSource:
    """Look at the beginning of a file."""
    with open(path, "rb") as file:
        is_packed = file.read(2) == GZIP
    encoding = _known_encoding(encoding) or _encoding_of(path)
    delimiter = _delimiter_of(path, encoding)
    first_two = list(islice(_records(path, encoding, delimiter), 2))
    if not first_two:
        raise TableFileError(f"{path}: the file is empty; expected a header line and a row per case.")
    line, cells = first_two[0]
    names = tuple(name.strip() for name in _named(cells))
    if "\0" in "".join(names):
        raise TableFileError(
            f"{path}, line {line}: the header has zero bytes, as no text has. Save the file as CSV in UTF-8, or say "
            "its --encoding, such as utf-16-le."
        )
    check_header(f"{path}, line {line}", names)
    header_end = line + sum(len(LINE_BREAK.findall(cell)) for cell in cells)
    rows_end = any(has_end(row, len(names)) for _, row in first_two[1:])
    return CsvSource(path, encoding, is_packed, delimiter, names, line, header_end, rows_end)


def _delimiter_of(path: str, encoding: str) -> str:
    """The mark that cuts the first rows into equally many cells; of several, the one that makes most of the header."""
    start, size = [], 0
    with _text(path, encoding) as text:
        for line in _lines(text, path, encoding):
            start.append(line)
            size += len(line)
            if len(start) == SNIFFED_LINES or size > SNIFFED_SIZE:
                break
    return max(DELIMITERS, key=lambda delimiter: _header_cells(start, delimiter))


def _header_cells(lines: Sequence[str], delimiter: str) -> tuple[bool, int]:
    """Whether the rows have as many cells as the header, and how many it has.

    >>> [_header_cells(["x;y|z", "1|2"], delimiter) for delimiter in ";|"]
    [(False, 2), (True, 2)]
    """
    reader, rows = _reader(lines, delimiter), []
    try:
        for row in reader:
            rows += [row] if row else []
    except csv.Error:  # which the last line need not be: a cell may go on in the next
        is_broken = reader.line_num < len(lines)
    else:
        is_broken = False
    width = len(_named(rows[0])) if rows else 1
    return width > 1 and not is_broken and all(len(row) == width or has_end(row, width) for row in rows), width


def _named(header: list[str]) -> list[str]:
    """The header without the empty name that a delimiter at its end makes."""
    return header[:-1] if len(header) > 1 and has_end(header, len(header) - 1) else header


def has_end(row: list[str], width: int) -> bool:
    """Whether a row of so many cells ends with a delimiter, so that an empty one seems to follow."""
    return len(row) == width + 1 and not row[-1].strip()


def check_header(where: str, names: tuple[str, ...]) -> None:
    """Every column has a name of its own."""
    for place, name in enumerate(names, start=1):
        if not name:
            raise TableFileError(
                f"{where}: column {place} has no name; give every column one. If this is a title above the table, "
                "delete it."
            )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        places = "; ".join(
            f"{name!r} in columns {', '.join(str(i) for i, other in enumerate(names, 1) if other == name)}"
            for name in repeated
        )
        raise TableFileError(f"{where}: column names must differ, but there is {places}. Rename or drop them.")


def open_bytes(path: str) -> IO[bytes]:
    """The file's content, unpacked."""
    with open(path, "rb") as file:
        is_packed = file.read(2) == GZIP
    return gzip.open(path, "rb") if is_packed else open(path, "rb")  # type: ignore[return-value]


def write_utf8(source: CsvSource, path: str) -> None:
    """A copy of the file in UTF-8, without its header."""
    with _text(source.path, source.encoding) as text, open(path, "w", encoding="utf-8", newline="") as copy:
        lines = enumerate(_lines(text, source.path, source.encoding), start=1)
        copy.writelines(line for number, line in lines if number > source.header_end)


def rewrite(path: str, delimiter: str, copy: str) -> None:
    """A copy of a file in UTF-8 that Python reads and DuckDB does not, such as one with two kinds of line ends."""
    with open(copy, "w", encoding="utf-8", newline="") as file:
        rows = (row for _, row in _records(path, "utf-8-sig", delimiter))
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def _records(path: str, encoding: str, delimiter: str) -> Iterator[Record]:
    """All rows that are not empty lines, with the line at which they begin."""
    with _text(path, encoding) as text:
        reader = _reader(_lines(text, path, encoding), delimiter)
        first_line = 1
        try:
            for row in reader:
                if row:
                    yield first_line, row
                first_line = reader.line_num + 1
        except csv.Error as error:
            raise TableFileError(f"{path}, line {first_line}: {error}; a quote may not be closed.") from error


def _reader(lines: Iterable[str], delimiter: str) -> Reader:
    csv.field_size_limit(MAX_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)


def _text(path: str, encoding: str) -> IO[str]:
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")


def _lines(text: IO[str], path: str, encoding: str) -> Iterator[str]:
    """The lines of a file; where one cannot be decoded, or has no end, an error that names it."""
    try:
        while line := text.readline(MAX_LINE):
            if len(line) == MAX_LINE:
                raise TableFileError(
                    f"{path}: there is a line of more than {MAX_LINE:,} characters; expected a line per case."
                )
            yield line
    except UnicodeError as error:
        raise _no_text(path, encoding) from error
    except BROKEN as error:
        raise broken_gzip(path, error) from error


def broken_gzip(path: str, error: Exception) -> TableFileError:
    """What to say of a file that gzip did not finish."""
    return TableFileError(f"{path}: this gzip file is broken, perhaps cut short on the way; copy it again ({error}).")


def _no_text(path: str, encoding: str) -> TableFileError:
    if encoding != "utf-8-sig":
        return TableFileError(f"{path}: not {encoding} text. Say another --encoding, or save the file as CSV in UTF-8.")
    with open_bytes(path) as file:
        number, broken = next((place, line) for place, line in enumerate(file, start=1) if not _is_utf8(line))
    save = "save the file as CSV in UTF-8 (spreadsheets call it 'CSV UTF-8')"
    try:
        shown = broken.decode("windows-1252").strip()[:MAX_SHOWN]
    except UnicodeDecodeError:
        return TableFileError(f"{path}, line {number}: not UTF-8 text. {save.capitalize()}.")
    return TableFileError(
        f"{path}, line {number}: not UTF-8 text. As Windows-1252 it reads {shown!r}: if that is right, say "
        f"--encoding windows-1252; else {save}."
    )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _encoding_of(path: str) -> str:
    try:
        with open_bytes(path) as file:
            start = file.read(SAMPLE_BYTES)
    except BROKEN as error:
        raise broken_gzip(path, error) from error
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Text has no zero bytes, but every second byte of UTF-16 is one where letters are plain, as most of a table's are.
    for encoding, others in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if len(others) and others.count(0) > len(others) / 2 and start.count(0) == others.count(0):
            return encoding
    return "utf-8-sig"


def _known_encoding(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        found = codecs.lookup(name).name
        "".encode(found)  # which base64 and others that are no encodings of text refuse
    except (LookupError, ValueError) as error:
        raise ValueError(f"encoding is {name!r:.60}; expected a name such as 'utf-8' or 'windows-1252'.") from error
    return "utf-8-sig" if found in ("utf-8", "utf-8-sig") else found


SAMPLE_ROWS = 10_000  # a file that has no more is read as text alone
WIDE = 200  # columns: with more, a question to DuckDB for each takes longer than looking at few rows
MAX_CODED = 100  # different texts of a column in the sample, so that a position in them fits in a byte
MAX_LINE_BYTES = 20_000_000  # bytes
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
        rewritten = f", max_line_size={MAX_LINE_BYTES}, new_line='\\n'" if file.is_rewritten else ""
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
