"""What a CSV file is: its encoding, what separates its cells, its header; and its rows one by one, for messages."""

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
