"""CSV that a spreadsheet shows rather than runs: it takes a text that begins with = for a formula."""

from __future__ import annotations

import csv
import io
import math

from budgetree.data.batches import csv_cell

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are full width


def safe_line(line: str) -> str:
    """A line of CSV, with ' before every cell that is no number and could be a formula.

    >>> safe_line("=cmd(),-3.5,-x,plain")
    "'=cmd(),-3.5,'-x,plain"
    """
    if not any(mark in line for mark in FORMULA):
        return line
    (cells,) = csv.reader(io.StringIO(line, newline=""))
    return ",".join(csv_cell(_safe_cell(cell)) for cell in cells)


def _safe_cell(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and cell.isprintable()
    except ValueError:
        return False
