"""CSV files: read as spreadsheets write them, with errors that name the line and the column."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from budgetree.errors import TableFileError
from budgetree.problem.tables.table import Table
from budgetree.problem.tables.texts import text_column
from budgetree.services.words import counted

DELIMITERS = ",;\t|"
# What spreadsheets and statistics programs write for a cell without a value. "None" and "?" are not among them: they
# may be answers, and are outcomes of their own in any case.
MISSING_CELLS = frozenset({"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"})
MAX_CELL = 10_000_000  # characters


def read_csv(path: str | Path, missing: Collection[str] = ()) -> Table:
    """A file with a header line; commas, semicolons, tabs or bars separate its cells, whichever the header has most.

    `missing` are texts that stand for a missing value, beside the empty cell and the usual ones.
    """
    text = _decoded(path)
    first_line = text.lstrip("\r\n").partition("\n")[0]
    unquoted = re.sub(r'"[^"]*"', "", first_line)
    delimiter = max(DELIMITERS, key=unquoted.count)
    header, rows, lines = _split(path, text, delimiter)
    absent = MISSING_CELLS | set(missing)
    cells: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) if rows else [[] for _ in header]
    columns = tuple(
        text_column(
            name,
            [None if cell.strip() in absent else cell.strip() for cell in column],
            decimal_comma=delimiter == ";",  # 3,5 is a number where semicolons separate the cells
        )
        for name, column in zip(header, cells, strict=True)
    )
    return Table(str(path), columns, len(rows), lines=lines)


def _split(path: str | Path, text: str, delimiter: str) -> tuple[list[str], list[list[str]], list[int]]:
    """The header, the rows, and the line at which each row begins."""
    header: list[str] | None = None
    rows: list[list[str]] = []
    lines: list[int] = []
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    first_line = 1
    try:
        for row in reader:
            if row and header is None:
                header = [name.strip() for name in row]
                _check_header(path, first_line, header)
            elif row and header is not None:  # an empty line is no row
                if len(row) != len(header):
                    raise TableFileError(
                        f"{path}, line {first_line}: {counted(len(row), 'cell')}, but the header has "
                        f"{counted(len(header), 'column')}. Is a quote or a delimiter missing?"
                    )
                rows.append(row)
                lines.append(first_line)
            first_line = reader.line_num + 1
    except csv.Error as error:
        raise TableFileError(f"{path}, line {first_line}: {error}; a quote may not be closed.") from error
    if header is None:
        raise TableFileError(f"{path}: the file is empty; expected a header line and a row per case.")
    return header, rows, lines


def _decoded(path: str | Path) -> str:
    content = Path(path).read_bytes()
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TableFileError(
            f"{path}, line {line}: not UTF-8 text. Save the file as CSV in UTF-8 (spreadsheets call it 'CSV UTF-8')."
        ) from error


def _check_header(path: str | Path, line: int, header: list[str]) -> None:
    for place, name in enumerate(header, start=1):
        if not name:
            raise TableFileError(f"{path}, line {line}: column {place} has no name; give every column one.")
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        places = "; ".join(
            f"{name!r} in columns {', '.join(str(i) for i, other in enumerate(header, 1) if other == name)}"
            for name in repeated
        )
        raise TableFileError(
            f"{path}, line {line}: column names must differ, but there is {places}. Rename or drop them."
        )
