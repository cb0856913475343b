"""CsvFile: the encoding, delimiter and header of a CSV file; and its rows one by one, for messages."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, cast

from budgetree.data.number_format import NumberFormat
from budgetree.data.source import Reading
from budgetree.data.table import check_width
from budgetree.errors import Remedy, SettingError, TableFileError, Where
from budgetree.services.words import counted

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ",;\t|"
GZIP = b"\x1f\x8b"
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error)  # what Python says of a file that gzip did not finish
SNIFFED_BYTES = 4096  # which show the encoding
SNIFFED_LINES, SNIFFED_SIZE = 30, 1_000_000  # lines, or characters, which show the delimiter
# Beyond so many bytes, a packed file may unpack to so many times its size: gzip makes a thousand of one, tables do not.
MAX_UNPACKED, MAX_RATIO = 1 << 30, 100
MOST_BY_GZIP = 1033
CHUNK = 1 << 20
MAX_CELL = 10_000_000  # characters
MAX_SHOWN = 60  # characters of a line, in a message
LINE_BREAK = re.compile(r"\r\n|\r|\n")
SAVE = "save the file as CSV in UTF-8"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """One file with a header line, whose cells are separated by commas, semicolons, tabs or bars."""

    path: str
    encoding: str
    is_packed: bool  # by gzip
    delimiter: str
    names: tuple[str, ...]
    header_line: int
    header_end: int  # the line at which the header ends: a name in quotes may have line breaks
    has_end: bool  # every row ends with a delimiter, so that an empty cell seems to follow
    max_line: int
    written: NumberFormat  # 3,5 is a number where semicolons separate the cells

    @classmethod
    def sniff(cls, path: str, reading: Reading, opened: IO[bytes] | None = None) -> CsvFile:
        """Look at the beginning of a file, which is opened once, or was."""
        encoding, max_line = _known_encoding(reading.encoding), reading.limits.max_line
        file = open_bytes(path, opened)
        try:
            encoding = encoding or _encoding_of(file.read(SNIFFED_BYTES))
            file.seek(0)
        except BROKEN as error:
            file.close()
            raise broken_gzip(path, error) from error
        first, last = reading.header_rows or (1, 1)
        with closing(lines_of(path, encoding, max_line, file)) as lines:
            for _ in islice(lines, first - 1):  # what stands above
                pass
            start: list[str] = []
            for line in islice(lines, SNIFFED_LINES):
                start.append(line)
                if sum(map(len, start)) > SNIFFED_SIZE:
                    break
            delimiter = max(DELIMITERS, key=lambda mark: _header_cells(start, mark))
            found = records(chain(start, lines), path, delimiter, above=first - 1)
            header, below_it = list(islice(found, 1 + last - first)), list(islice(found, 1))
            written = reading.number_format("," if delimiter == ";" else ".")
            below = islice(chain(start[1:], lines), reading.limits.sample_rows)
            with_mark = records((line for line in below if written.decimal in line), path, delimiter)
            with suppress(TableFileError):  # which reading all of the file says better
                written = written.shown_by(cell.strip() for _, row in with_mark for cell in row)
        if len(header) <= last - first:
            is_empty = first == last == 1
            found_none = "the file is empty" if is_empty else f"the file ends before row {last}"
            message = f"{found_none}; expected a header line and a row per case."
            raise TableFileError(message, subject=None if is_empty else "header_row", where=Where(path))
        line_number, cells = header[-1]
        where = Where(path, line_number)
        names = tuple(joined_names([*(filled_right(row) for _, row in header[:-1]), _named(cells)]))
        if "\0" in "".join(names):
            message = "the header has zero bytes, as no text has. Save the file as CSV in UTF-8,"
            remedy = Remedy(*(f"or say its {option}, such as utf-16-le." for option in ("encoding", "--encoding")))
            raise TableFileError(message, where=where, remedy=remedy)
        check_header(where, names)
        header_end = line_number + sum(len(LINE_BREAK.findall(cell)) for cell in cells)
        rows_end = any(_has_end(row, len(names)) for _, row in below_it)
        is_packed = isinstance(file, gzip.GzipFile)
        return cls(path, encoding, is_packed, delimiter, names, line_number, header_end, rows_end, max_line, written)

    @property
    def shape(self) -> tuple[tuple[str, ...], str, bool]:
        """What files that are read together have in common."""
        return self.names, self.delimiter, self.has_end

    @property
    def is_plain(self) -> bool:
        """Whether DuckDB can read it as it is: it skips a line, not a row."""
        return self.encoding == "utf-8-sig" and self.header_end == 1

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The line and the cells of each row below the header, as Python reads them: slowly, and with good messages."""
        lines = islice(lines_of(self.path, self.encoding, self.max_line), self.header_end, None)
        return records(lines, self.path, self.delimiter, above=self.header_end)

    def check(self) -> None:
        """TableFileError with the line at which the file is broken, if it is."""
        for line, row in self.rows():
            if not (_has_end(row, len(self.names)) if self.has_end else len(row) == len(self.names)):
                raise TableFileError(self._unexpected(line, len(row)), where=Where(self.path, line), found=len(row))

    def check_size(self, max_bytes: int | None) -> None:
        """TableFileError where the file is larger than it may be; by default, where it unpacks as no table does."""
        size = os.path.getsize(self.path)
        limit = max_bytes
        if limit is None:
            limit = max(MAX_UNPACKED, MAX_RATIO * size) if self.is_packed else size
        if self.is_packed and size * MOST_BY_GZIP > limit:
            size, block = 0, b" "
            try:
                with open_bytes(self.path) as file:
                    while block and size <= limit:
                        block = file.read(CHUNK)
                        size += len(block)
            except BROKEN as error:
                raise broken_gzip(self.path, error) from error
        if size > limit:
            unpacked = "unpacked, it has" if self.is_packed else "it has"
            message = f"{unpacked} more than {limit:,} bytes, which may take all memory."
            options = ("Give a larger max_bytes", "Use a larger --max-bytes")
            remedy = Remedy(*(f"{option} if this is the table that you expect." for option in options))
            raise TableFileError(message, subject="max_bytes", expected=limit, where=Where(self.path), remedy=remedy)

    def write_utf8(self, copy: str) -> None:
        """A copy of the file in UTF-8, without its header."""
        with open(copy, "w", encoding="utf-8", newline="") as file:
            file.writelines(islice(lines_of(self.path, self.encoding, self.max_line), self.header_end, None))

    def _unexpected(self, line: int, n_cells: int) -> str:
        """How many cells a row has and should have, and what may be the reason."""
        n_names, found = len(self.names), counted(n_cells, "cell")
        if self.has_end and n_cells == n_names + 1:
            above = f"there is something in column {n_cells}, which has no name and is empty above"
            return f"{above}. Name it in the header, or is there a delimiter too many?"
        if self.has_end:
            above = f"the rows above have {n_names + 1}, of which the last is empty"
            return f"{found}, but {above}. Is a delimiter missing?"
        reason = "a quote or a delimiter missing"
        if line == self.header_end + 1:
            reason = f"line {self.header_line} a title above the table (then delete it, or say the header's row)"
        return f"{found}, but the header has {counted(n_names, 'column')}. Is {reason}?"


def filled_right(cells: Sequence[str]) -> list[str]:
    """What stands over columns, of which only the first has the name of the group."""
    names: list[str] = []
    for cell in cells:
        names.append(cell if cell.strip() or not names else names[-1])
    return names


def joined_names(rows: Sequence[Sequence[str]]) -> list[str]:
    """The names of columns from one row of the header or several; the last says how many there are."""
    padded = [[*row, *[""] * len(rows[-1])] for row in rows]
    return [" ".join(filter(None, map(str.strip, cells))) for _, *cells in zip(rows[-1], *padded, strict=False)]


def check_header(where: Where, names: Sequence[str]) -> None:
    """Every column has a name of its own, and there are not too many to examine each."""
    check_width(len(names), TableFileError, where)
    if "" in names:
        message = (
            f"column {names.index('') + 1} has no name; name it, or delete it if it only numbers the rows (pandas: "
            "to_csv(…, index=False)). If this is a title above the table,"
        )
        remedy = Remedy(
            *(f"delete it, or say where the names are: {how}." for how in ("header_row=2", "--header-row 2"))
        )
        raise TableFileError(message, where=where, remedy=remedy)
    numbers: dict[str, list[str]] = {}
    for number, name in enumerate(names, 1):
        numbers.setdefault(name, []).append(str(number))
    repeated = {name: f"{name!r} in columns {', '.join(found)}" for name, found in numbers.items() if len(found) > 1}
    if repeated:
        message = f"column names must differ, but there is {'; '.join(repeated.values())}. Rename or drop them."
        raise TableFileError(message, subject=next(iter(repeated)), where=where)


def _header_cells(lines: Sequence[str], delimiter: str) -> tuple[bool, int]:
    """Whether the rows have as many cells as the header, and how many it has.

    >>> [_header_cells(["x;y|z", "1|2"], delimiter) for delimiter in ";|"]
    [(False, 2), (True, 2)]
    """
    reader, rows, is_broken = _reader(lines, delimiter), [], False
    try:
        for row in reader:
            rows += [row] if row else []
    except csv.Error:  # which the last line need not be: a cell may go on in the next
        is_broken = reader.line_num < len(lines)
    width = len(_named(rows[0])) if rows else 1
    return width > 1 and not is_broken and all(len(row) == width or _has_end(row, width) for row in rows), width


def _named(header: list[str]) -> list[str]:
    """The header without the empty name that a delimiter at its end makes."""
    return header[:-1] if len(header) > 1 and _has_end(header, len(header) - 1) else header


def _has_end(row: list[str], width: int) -> bool:
    """Whether a row of so many cells ends with a delimiter, so that an empty one seems to follow."""
    return len(row) == width + 1 and not row[-1].strip()


def records(lines: Iterable[str], path: str, delimiter: str, above: int = 0) -> Iterator[tuple[int, list[str]]]:
    """All rows that are not empty lines, with the line at which they begin; so many lines stand above them."""
    reader, first_line = _reader(lines, delimiter), 1 + above
    try:
        for row in reader:
            if row:
                yield first_line, row
            first_line = reader.line_num + 1 + above
    except csv.Error as error:
        raise TableFileError(f"{error}; a quote may not be closed.", where=Where(path, first_line)) from error


def _reader(lines: Iterable[str], delimiter: str) -> Reader:
    csv.field_size_limit(MAX_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)


def open_bytes(path: str, opened: IO[bytes] | None = None) -> IO[bytes]:
    """The file's content, unpacked."""
    file = opened or open(path, "rb")  # noqa: SIM115  the caller closes it
    is_packed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    if not is_packed:
        return file
    file.close()
    return cast("IO[bytes]", gzip.open(path, "rb"))


def lines_of(path: str, encoding: str, max_line: int, file: IO[bytes] | None = None) -> Generator[str]:
    """The lines of a file, which may be open; where one cannot be decoded, or has no end, an error that names it."""
    try:
        with io.TextIOWrapper(file or open_bytes(path), encoding=encoding, newline="") as text:
            while line := text.readline(max_line):
                if len(line) == max_line:  # a file of a few megabytes, packed, may have one that takes all memory
                    message = f"there is a line of more than {max_line:,} characters; expected a line per case."
                    raise TableFileError(message, where=Where(path), expected=max_line)
                yield line
    except UnicodeError as error:
        raise _no_text(path, encoding) from error
    except BROKEN as error:
        raise broken_gzip(path, error) from error


def broken_gzip(path: str, error: Exception) -> TableFileError:
    message = f"this gzip file is broken, perhaps truncated; copy it again ({error})."
    return TableFileError(message, where=Where(path))


def _no_text(path: str, encoding: str) -> TableFileError:
    if encoding != "utf-8-sig":
        remedy = Remedy(f"Give another encoding, or {SAVE}.", f"Use another --encoding, or {SAVE}.")
        return TableFileError(f"not {encoding} text.", where=Where(path), found=encoding, remedy=remedy)
    with open_bytes(path) as file:
        lines = enumerate(file, 1)
        number, broken = next(pair for pair in lines if pair[1].decode("utf-8", "ignore").encode() != pair[1])
    save, where = f"{SAVE} (spreadsheets call it 'CSV UTF-8')", Where(path, number)
    try:
        shown = broken.decode("windows-1252").strip()[:MAX_SHOWN]
    except UnicodeDecodeError:
        return TableFileError(f"not UTF-8 text. S{save[1:]}.", where=where)
    options = ("give encoding='windows-1252'", "use --encoding windows-1252")
    remedy = Remedy(*(f"if that is right, {option}; else {save}." for option in options))
    message = f"not UTF-8 text. As Windows-1252 it reads {shown!r}:"
    return TableFileError(message, where=where, expected="windows-1252", remedy=remedy)


def _encoding_of(start: bytes) -> str:
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
        "".encode(found)  # which base64 and others that are not encodings of text refuse
    except (LookupError, ValueError) as error:
        raise SettingError.refusing("encoding", name, "a name such as 'utf-8' or 'windows-1252'") from error
    return "utf-8-sig" if found in ("utf-8", "utf-8-sig") else found


def rewrite(path: str, delimiter: str, copy: str, max_line: int) -> None:
    """A copy of a file in UTF-8, as Python writes it."""
    rows = records(lines_of(path, "utf-8-sig", max_line), path, delimiter)
    with open(copy, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(row for _, row in rows)
