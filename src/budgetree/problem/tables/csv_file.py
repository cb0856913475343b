"""CSV files: read as spreadsheets write them, with errors that name the line and the column."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from budgetree.errors import TableFileError
from budgetree.problem.tables.columns import LARGEST_EXACT, Column
from budgetree.problem.tables.encoding import Categories, ColumnEncoder, Levels

DELIMITERS = ",;\t|"
# What spreadsheets and statistics programs write for a cell without a value. "None" and "?" are not among them: they
# may be answers, and are outcomes of their own in any case.
MISSING_CELLS = frozenset({"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"})
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LONGEST_CELL = 10_000_000  # characters


@dataclass(frozen=True, slots=True, eq=False)
class CsvTable:
    """The cells of a file, column by column; None where a value is missing."""

    path: str
    names: tuple[str, ...]
    cells: tuple[Sequence[str | None], ...]
    lines: Sequence[int]  # where each row begins in the file
    decimal_comma: bool  # 3,5 is a number where semicolons part the cells

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str) -> Column:
        """Numbers where every cell is one, else texts."""
        cells = self._cells(name)
        distinct = set(cells)
        if distinct == {None} or not all(map(self._is_number, distinct)):
            return Column(name, "text", values=cells)
        return self._numbers(name)

    def column_for(self, encoder: ColumnEncoder) -> Column:
        """The column as its encoder knows it: the same text may be a number in one file and a word in another."""
        name = encoder.name
        if isinstance(encoder, Levels):
            row = self.first_text(name)
            if row is not None:
                raise TableFileError(
                    f"{self.path}, line {self.lines[row]}: {name!r} is {self._cells(name)[row]!r:.40}; the model knows "
                    "it as a number. Correct the cell, or leave it empty."
                )
            return self._numbers(name)
        if all(isinstance(value, str) for value in encoder.values):
            return Column(name, "text", values=self._cells(name))
        # Cell by cell: one that is no number must not make texts of the others.
        known = {cell: self._as_known(cell, encoder) for cell in set(self._cells(name))}
        return Column(name, "value", values=[known[cell] for cell in self._cells(name)])

    def first_text(self, name: str) -> int | None:
        """The first row whose cell is there and is no number."""
        return next((row for row, cell in enumerate(self._cells(name)) if not self._is_number(cell)), None)

    def without_empty_rows(self) -> CsvTable:
        """The rows that hold anything; spreadsheets like to add some that do not."""
        kept = [row for row in range(len(self)) if any(cells[row] is not None for cells in self.cells)]
        if len(kept) == len(self):
            return self
        cells = tuple([column[row] for row in kept] for column in self.cells)
        return replace(self, cells=cells, lines=[self.lines[row] for row in kept])

    def _as_known(self, cell: str | None, encoder: Categories) -> Any:
        """The value that a cell stands for, of those that the encoder knows; else a number or the text itself."""
        if cell is None or cell in encoder.values:
            return cell
        if self._is_number(cell):
            return float(self._with_point(cell))
        alike = [value for value in encoder.values if same_text(value, cell)]
        return alike[0] if len(alike) == 1 else cell

    def row(self, place: int) -> list[str]:
        """One row as it is written."""
        return ["" if cells[place] is None else str(cells[place]) for cells in self.cells]

    def _cells(self, name: str) -> Sequence[str | None]:
        return self.cells[self.names.index(name)]

    def _is_number(self, cell: str | None) -> bool:
        if cell is None:
            return True
        text = self._with_point(cell)
        if NUMBER.fullmatch(text) is None or math.isinf(float(text)):
            return False
        # Whole numbers that floats cannot tell apart are names, not amounts.
        return not (text.isdigit() and int(text[:40]) > LARGEST_EXACT)

    def _numbers(self, name: str) -> Column:
        cells = self._cells(name)
        if self.decimal_comma:
            cells = [cell and self._with_point(cell) for cell in cells]
        return Column(name, "number", numbers=np.array([np.nan if cell is None else float(cell) for cell in cells]))

    def _with_point(self, cell: str) -> str:
        return cell.replace(",", ".") if self.decimal_comma else cell


def same_text(value: object, text: str) -> bool:
    """Whether a value of another kind would be written like that: true for True, a date with or without its time."""
    if isinstance(value, date):
        try:
            return datetime.fromisoformat(str(value)) == datetime.fromisoformat(text)
        except (TypeError, ValueError):  # no date, or only one of them with a time zone
            return False
    return str(value).casefold() == text.casefold()


def read_csv(path: str | Path, missing: Collection[str] = ()) -> CsvTable:
    """A file with a header line; commas, semicolons, tabs or bars separate its cells, whichever the header has most.

    `missing` are texts that stand for a missing value, beside the empty cell and the usual ones.
    """
    text = _decoded(path)
    first_line = text.lstrip("\r\n").partition("\n")[0]
    bare = re.sub(r'"[^"]*"', "", first_line)
    delimiter = max(DELIMITERS, key=bare.count)
    absent = MISSING_CELLS | set(missing)
    header: list[str] | None = None
    rows: list[list[str]] = []
    lines: list[int] = []
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    begins = 1
    try:
        for row in reader:
            if row:  # an empty line is no row
                if header is None:
                    header = [name.strip() for name in row]
                    _check_header(path, begins, header)
                elif len(row) != len(header):
                    raise TableFileError(
                        f"{path}, line {begins}: {len(row)} cell(s), but the header has {len(header)} columns. "
                        "Is a quote or a delimiter missing?"
                    )
                else:
                    rows.append(row)
                    lines.append(begins)
            begins = reader.line_num + 1
    except csv.Error as error:
        raise TableFileError(f"{path}, line {begins}: {error}; a quote may not be closed.") from error
    if header is None:
        raise TableFileError(f"{path}: the file is empty; expected a header line and a row per case.")
    cells = zip(*rows, strict=True) if rows else ([] for _ in header)
    return CsvTable(
        path=str(path),
        names=tuple(header),
        cells=tuple([None if cell.strip() in absent else cell.strip() for cell in column] for column in cells),
        lines=lines,
        decimal_comma=delimiter == ";",
    )


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
        told = "; ".join(
            f"{name!r} in columns {', '.join(str(i) for i, each in enumerate(header, 1) if each == name)}"
            for name in repeated
        )
        raise TableFileError(
            f"{path}, line {line}: column names must differ, but there is {told}. Rename or drop them."
        )
