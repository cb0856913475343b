"""Cells of text: which of them are numbers, and what a column of them holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from budgetree.errors import TableFileError
from budgetree.problem.tables.coded import Coded
from budgetree.problem.tables.number_format import POINTS, NumberFormat
from budgetree.problem.tables.table import Column, Table


def text_column(name: str, texts: Sequence[str | None], written: NumberFormat | None = None) -> Column:
    """Numbers where every cell is one and none is a code such as 007, else texts; None stands for a missing value."""
    coded = Coded.of(texts)
    present = coded.present()
    written = (written or POINTS).settled(present)
    column = Column(name, "text", values=coded, texts=coded, written=written)
    are_numbers = bool(present) and all(map(written.is_number, present)) and not any(map(written.is_code, present))
    return number_column(column) if are_numbers else column


def number_column(column: Column) -> Column:
    """The column's texts as numbers, which all of them must be."""
    texts = Coded.of(column.texts or ())
    written = column.written
    numbers = [written.number(text) if written.is_number(text) else np.nan for text in texts.distinct]
    return Column(column.name, "number", texts.look_up(np.array(numbers, np.float64), np.nan), None, texts, written)


def first_word(column: Column) -> int | None:
    """The first row whose text is there and is no number."""
    return _first_row(column, lambda text: not column.written.is_number(text))


def check_numbers(table: Table) -> None:
    """An error where a column would be numbers if its file said what the marks in them mean."""
    check_marks(table)
    for column in table.columns:
        check_column(table, column)


def check_marks(table: Table) -> None:
    """The same for commas that were guessed to be decimal, where another column has decimal points."""
    if has_two_marks(table.columns):
        for column in table.columns:
            if column.written.is_guess:
                check_column(table, replace(column, written=POINTS))


def has_two_marks(columns: Sequence[Column]) -> bool:
    """Whether decimal commas were guessed, and a column has decimal points all the same."""
    formats = [column.written for column in columns]
    return any(written.is_guess and written.decimal == "," for written in formats) and POINTS in formats


def check_column(table: Table, column: Column) -> None:
    """The same for one column."""
    written = column.written
    row = _first_row(column, written.is_ambiguous)
    is_word = _first_row(column, lambda text: not written.is_number(text) and not written.is_ambiguous(text))
    if row is None or is_word is not None or column.texts is None:
        return
    cell = column.texts[row] or ""
    other, decimal = written.other, written.decimal
    without = cell.replace(other, "")
    readings = [f"{without} (say --decimal {decimal} --thousands {other})"]
    if cell.count(other) == 1 and decimal not in cell:
        readings.append(f"{cell.replace(other, '.')} (say --decimal {other})")
    raise TableFileError(
        f"{table.source}, {table.where(row)}: column {column.name!r} has {cell!r:.40}, which could be "
        f"{' or '.join(readings)}. Say which, or write the numbers without {other!r}."
    )


def _first_row(column: Column, is_wanted: Callable[[str], bool]) -> int | None:
    if column.texts is None:
        return None
    texts = Coded.of(column.texts)
    wanted = np.array([is_wanted(text) for text in texts.distinct], dtype=bool)
    if not wanted.any():
        return None
    rows = np.flatnonzero(texts.look_up(wanted, False))
    return int(rows[0]) if len(rows) else None
