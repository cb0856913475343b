"""Columns of a file as a model knows them: the same cell may be a number in one file and a word in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from budgetree.errors import TableFileError
from budgetree.problem.tables.coded import Coded
from budgetree.problem.tables.encoding import Categories, ColumnEncoder, NumberEncoder
from budgetree.problem.tables.number_format import NumberFormat
from budgetree.problem.tables.table import Column, Table
from budgetree.problem.tables.texts import check_column, check_marks, first_word, number_column
from budgetree.problem.tables.values import same_text


def as_learned(table: Table, encoders: Sequence[ColumnEncoder]) -> Table:
    """Each encoder's column, in the kind of values that it was learned from."""
    check_marks(table)
    columns = tuple(_as_learned(table, table.column(encoder.name), encoder) for encoder in encoders)
    return replace(table, columns=columns)


def _as_learned(table: Table, column: Column, encoder: ColumnEncoder) -> Column:
    if isinstance(encoder, Categories):
        return _as_known_values(table, column, encoder)
    return column if column.texts is None else _as_numbers(table, column, encoder)


def _as_numbers(table: Table, column: Column, encoder: NumberEncoder) -> Column:
    """The numbers that the texts are; a text that is none is named with its line."""
    check_column(table, column)
    row = first_word(column)
    if column.texts is not None and row is not None:
        raise TableFileError(
            f"{table.source}, {table.where(row)}: {encoder.name!r} is {column.texts[row]!r:.40}; the model knows "
            "it as a number. Correct the cell, or leave it empty."
        )
    return number_column(column)


def _as_known_values(table: Table, column: Column, encoder: Categories) -> Column:
    """Cell by cell, the values of the encoder: one cell that is no number does not make texts of the others."""
    knows_texts = all(isinstance(value, str) for value in encoder.values)
    if column.texts is not None and knows_texts:
        return replace(column, dtype="text", numbers=None, values=column.texts)
    if column.texts is not None:
        if not any(isinstance(value, str) for value in encoder.values):
            check_column(table, column)  # 1,500 where numbers are known is one of two
        texts = Coded.of(column.texts)
        known = [_known_value(text, encoder, column.written) for text in texts.distinct]
        return replace(column, dtype="value", numbers=None, values=texts.mapped(known))
    if not knows_texts:
        return column
    values = column.coded()
    if all(isinstance(value, str) for value in values.distinct):
        return column
    known = [_known_text(value, encoder) for value in values.distinct]
    return replace(column, numbers=None, values=values.mapped(known))


def _known_value(text: str | None, encoder: Categories, written: NumberFormat) -> Any:
    """The value that a cell of text stands for, of those that the encoder knows; else a number or the text itself."""
    if text is None or text in encoder.values:
        return text
    if written.is_number(text):
        return written.number(text)
    alike = [value for value in encoder.values if same_text(value, text)]
    return alike[0] if len(alike) == 1 else text


def _known_text(value: Any, encoder: Categories) -> Any:
    """The text, of those that the encoder knows, that a value of a typed file would be written as; else the value."""
    alike = [text for text in encoder.values if same_text(value, text)]
    return alike[0] if len(alike) == 1 else value
