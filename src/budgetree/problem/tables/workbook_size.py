"""How large a workbook becomes when it is read: a file of two kilobytes may say that it has a cell in the last corner.

Whoever reads a sheet makes room for all cells between the first and the last, so a few far apart would take all memory;
so would a part that unpacks to a thousand times its size. What the archive itself says of sizes may be false.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO
from xml.parsers import expat

from budgetree.errors import TableFileError

MAX_SPANNED = 2_000_000  # cells that a sheet may span whatever it holds; beyond that, a share of them has to be there
LEAST_SHARE = 4  # one in so many
MAX_UNPACKED, MAX_RATIO = 100 << 20, 100  # bytes of a part, and how many times its packed size beyond that
CHUNK = 1 << 20
LOCAL_HEADER = 30  # bytes, without the name and what follows it

# A reference of a cell or a row, also where no blank stands before it: readers are patient.
REFERENCE = re.compile(rb"""r\s?=\s?["']([A-Za-z]{0,9})([0-9]{1,30})""")
BLANKS = re.compile(rb"\s{2,}")
CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
OPEN_ROW = re.compile(rb"<table:table-row\b([^>]*)>")
ROW_END = b"</table:table-row>"
OPEN_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b([^>]*)>")
ROWS_REPEATED = re.compile(rb"""number-rows-repeated=["']([0-9]{1,9})""")
COLUMNS_REPEATED = re.compile(rb"""number-columns-repeated=["']([0-9]{1,9})""")


def unreadable(path: str, why: Exception | str) -> TableFileError:
    """What a workbook is told that nobody can read."""
    return TableFileError(
        f"{path}: this looks like a workbook or an archive, but no sheet can be read ({why}). Save the table as CSV "
        "and give that."
    )


def check_size(path: str) -> None:
    """TableFileError where a workbook is larger than its file can hold, or that cannot be known."""
    with open(path, "rb") as file:
        if file.read(2) != b"PK":  # an old workbook (.xls), which is not measured
            return
    try:
        with zipfile.ZipFile(path) as book, open(path, "rb") as file:
            for part in book.infolist():
                if part.filename.endswith("workbook.bin"):
                    raise unreadable(path, "it is a binary workbook, .xlsb")
                chunks = _measured(path, part, _unpacked(file, part))
                if part.filename == "content.xml":
                    _check_span(path, *_span_of_rows(_well_formed(chunks)))
                elif "worksheets/" in part.filename:
                    _check_span(path, *_span_of_cells(chunks))
                else:
                    for _ in chunks:
                        pass
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, UnicodeDecodeError, expat.ExpatError) as error:
        raise unreadable(path, error) from error


def _unpacked(file: IO[bytes], part: zipfile.ZipInfo) -> Iterator[bytes]:
    """The part's content, however long the archive says that it is."""
    file.seek(part.header_offset)
    header = file.read(LOCAL_HEADER)
    if len(header) < LOCAL_HEADER:
        return
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    left, unpack = part.compress_size, zlib.decompressobj(-zlib.MAX_WBITS)
    while left > 0 and (packed := file.read(min(CHUNK, left))):
        left -= len(packed)
        if part.compress_type == zipfile.ZIP_STORED:
            yield packed
            continue
        while packed and not unpack.eof:
            yield unpack.decompress(packed, CHUNK)
            packed = unpack.unconsumed_tail


def _measured(path: str, part: zipfile.ZipInfo, chunks: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > max(MAX_UNPACKED, MAX_RATIO * part.compress_size):
            raise TableFileError(
                f"{path}: {part.filename!r} unpacks to more than {MAX_RATIO} times its size, as no table does. "
                "Save the table as CSV and give that."
            )
        yield chunk


def _well_formed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same; ExpatError where a tag is not closed, for whose end the reader of .ods would wait forever."""
    parser = expat.ParserCreate()
    for chunk in chunks:
        parser.Parse(chunk)
        yield chunk
    parser.Parse(b"", True)


def _span_of_cells(chunks: Iterator[bytes]) -> tuple[int, int]:
    """Of a sheet of .xlsx: how many cells lie between the first and the last, and how many there are."""
    last_row, columns, n_cells, rest = 0, set[bytes](), 0, b""
    for chunk in chunks:
        text = BLANKS.sub(b" ", rest + chunk)
        n_cells += len(CELL.findall(text))
        if found := REFERENCE.findall(text):
            last_row = max(last_row, max(int(row) for _, row in found))
            columns.update({column for column, _ in found})
        rest = text[-60:]  # a reference may begin here
    return last_row * max(map(_column_number, columns | {b"A"})), n_cells


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _span_of_rows(chunks: Iterator[bytes]) -> tuple[int, int]:
    """The same of .ods, whose rows and cells may say that they are there many times; empty ones at the end are not."""
    n_rows, width, n_cells, rest = 0, 0, 0, b""
    for chunk in chunks:
        *rows, rest = (rest + chunk).split(ROW_END)
        for row in rows:
            opened = OPEN_ROW.search(row)
            filled, seen = 0, 0
            for cell in OPEN_CELL.finditer(row):
                repeated = COLUMNS_REPEATED.search(cell.group(1))
                seen += int(repeated.group(1)) if repeated else 1
                if b"value" in cell.group(1):
                    filled, n_cells = seen, n_cells + 1
            times = ROWS_REPEATED.search(opened.group(1)) if opened and filled else None
            n_rows += int(times.group(1)) if times else 1
            width = max(width, filled)
    return n_rows * width, n_cells


def _check_span(path: str, spanned: int, n_cells: int) -> None:
    if spanned > max(MAX_SPANNED, LEAST_SHARE * n_cells):
        raise TableFileError(
            f"{path}: the {n_cells:,} cells of a sheet span {spanned:,}, which would take all memory; some lie far "
            "from the table. Delete them, or save the table as CSV and give that."
        )
