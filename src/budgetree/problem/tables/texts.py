"""Cells of text: which of them are numbers, and what a column of them holds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from budgetree.problem.tables.table import Column
from budgetree.problem.units import LARGEST_EXACT

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def text_column(name: str, texts: Sequence[str | None], *, decimal_comma: bool = False) -> Column:
    """Numbers where every cell is one, else texts; None stands for a missing value."""
    distinct = set(texts)
    if distinct == {None} or not all(text is None or is_number(text, decimal_comma) for text in distinct):
        return Column(name, "text", values=texts, texts=texts, decimal_comma=decimal_comma)
    return number_column(Column(name, "text", texts=texts, decimal_comma=decimal_comma))


def number_column(column: Column) -> Column:
    """The column's texts as numbers, which all of them must be."""
    texts = column.texts or ()
    if column.decimal_comma:
        texts = [text and _with_point(text, True) for text in texts]
    numbers = [math.nan if text is None else float(text) for text in texts]
    return Column(column.name, "number", np.array(numbers), None, column.texts, column.decimal_comma)


def first_word(column: Column) -> int | None:
    """The first row whose text is there and is no number."""
    rows = enumerate(column.texts or ())
    return next((row for row, text in rows if text is not None and not is_number(text, column.decimal_comma)), None)


def is_number(text: str, decimal_comma: bool) -> bool:
    """Whether a cell is a number; whole numbers that floats cannot tell apart are names, not amounts."""
    written = _with_point(text, decimal_comma)
    if NUMBER.fullmatch(written) is None or math.isinf(float(written)):
        return False
    return not (written.isdigit() and int(written[:40]) > LARGEST_EXACT)


def as_number(text: str, decimal_comma: bool) -> float:
    """The number that a cell is."""
    return float(_with_point(text, decimal_comma))


def _with_point(text: str, decimal_comma: bool) -> str:
    return text.replace(",", ".") if decimal_comma else text
