"""A file's rows as known cases: the columns that are asked for are there, and nothing in them is doubtful."""

from __future__ import annotations

from collections.abc import Sequence

from budgetree.errors import TableFileError
from budgetree.problem.tables.files import read_table
from budgetree.problem.tables.reading import Reading
from budgetree.problem.tables.table import Table
from budgetree.problem.tables.texts import check_numbers
from budgetree.services.words import counted, no_such

MAX_PLACES = 3  # of gaps that are named


def read_known_cases(data: str, target: str, reading: Reading) -> Table:
    """The tests and the target of a file."""
    return as_known_cases(read_table(data, reading), target, reading.drop)


def as_known_cases(table: Table, target: str, dropped: Sequence[str]) -> Table:
    """The same from a table that has been read: no empty row, no column that is dropped."""
    table = table.without_empty_rows()
    for name in (target, *dropped):
        if name not in table.names:
            raise TableFileError(f"{table.source}: {no_such('column', name, table.names)}")
    if len(table) == 0:
        raise TableFileError(f"{table.source}: there is a header, but no row below it; expected a row per case.")
    if target in dropped:
        raise TableFileError(f"{table.source}: {target!r} is the target; it cannot be dropped.")
    empty = table.column(target).is_absent.nonzero()[0]
    if len(empty):
        more = ", …" if len(empty) > MAX_PLACES else ""
        places = ", ".join(table.where(row) for row in empty[:MAX_PLACES]) + more
        raise TableFileError(
            f"{table.source}: {target!r} is empty in {counted(len(empty), 'row')} ({places}); "
            f"fill in what the case is, or delete the row{'s' if len(empty) > 1 else ''}."
        )
    kept = table.without(dropped)
    check_numbers(kept.without([target]))
    return kept
