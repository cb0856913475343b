"""From what the user calls DATA to an instance, or to raw columns for a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from budgetree.problem import Instance, Schema
    from budgetree.problem.tables.columns import Column
    from budgetree.problem.tables.csv_file import CsvTable
    from budgetree.problem.tables.encoding import ColumnEncoder

PARQUET, ZIP = b"PAR1", b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Request:
    """What the options of `options.table` say."""

    data: str
    target: str | None = None
    prices: str | None = None
    levels: int = 10
    drop: Sequence[str] = ()
    missing: Sequence[str] = ()
    duplicates: str = "keep"


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a file or a bundled data set."""

    source: str
    columns: list[Column]
    csv: CsvTable | None = None  # for files of text, which can name their lines

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def where(self, row: int) -> str:
        """What to call a row."""
        return f"line {self.csv.lines[row]}" if self.csv is not None else f"row {row + 1}"

    def rows(self) -> list[list[str]]:
        """The cells as text."""
        if self.csv is not None:
            return [self.csv.row(place) for place in range(len(self))]
        from budgetree.problem.tables.columns import is_missing

        cells = [["" if is_missing(value) else str(value) for value in column.to_list()] for column in self.columns]
        return [list(row) for row in zip(*cells, strict=True)]


def open_table(data: str, missing: Sequence[str] = ()) -> Table:
    """A CSV or Parquet file, or a bundled data set; a file comes first where both have the name."""
    if not Path(data).exists() and _is_bundled(data):
        from budgetree.datasets import frame_columns

        return Table(data, frame_columns(data))
    with open(data, "rb") as file:
        begins = file.read(4)
    if begins == PARQUET:
        return Table(data, _parquet_columns(data))
    if begins == ZIP:
        raise ValueError(f"{data}: this looks like a spreadsheet or an archive; save the table as CSV and give that.")
    from budgetree.problem.tables.csv_file import read_csv

    table = read_csv(data, missing)
    return Table(data, [table.column(name) for name in table.names], table)


def load_instance(request: Request) -> Instance:
    """The known cases, with prices."""
    from budgetree import datasets
    from budgetree.problem import Prices

    prices = None if request.prices is None else Prices.from_toml(request.prices)
    if not Path(request.data).exists() and _is_bundled(request.data):
        if request.target is not None or request.drop or request.duplicates != "keep":
            raise ValueError(
                f"{request.data}: a bundled data set is prepared as in the paper; --target, --drop and --duplicates "
                "are for files."
            )
        return datasets.load(request.data, prices=prices)
    return instance_from(open_table(request.data, request.missing), request, prices)


def instance_from(table: Table, request: Request, prices: Any) -> Instance:
    """A file's rows as known cases."""
    from budgetree.problem import Instance

    if table.csv is not None and len(full := table.csv.without_empty_rows()) < len(table):
        table = Table(table.source, [full.column(name) for name in full.names], full)
    target = check_columns(table, request)
    columns = [column for column in table.columns if column.name not in request.drop]
    try:
        return Instance.from_columns(
            columns,
            target,
            prices=prices,
            levels=request.levels,
            duplicates=request.duplicates,  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise ValueError(f"{table.source}: {error}") from error


def check_columns(table: Table, request: Request) -> str:
    """The target's name, once it and the columns to leave out are known to exist."""
    listed = ", ".join(table.names)
    if request.target is None:
        raise ValueError(
            f"{table.source}: say which column the tree should find out: --target COL. There are: {listed}."
        )
    for name in (request.target, *request.drop):
        if name not in table.names:
            raise ValueError(f"{table.source}: there is no column {name!r}. There are: {listed}.")
    if request.target in request.drop:
        raise ValueError(f"--drop {request.target}: that is the target; it cannot be left out.")
    from budgetree.problem.tables.columns import is_missing

    column = table.columns[table.names.index(request.target)]
    empty = [row for row, value in enumerate(column.to_list()) if is_missing(value)]
    if empty:
        places = ", ".join(table.where(row) for row in empty[:3])
        raise ValueError(
            f"{table.source}: {request.target!r} is empty in {len(empty)} row(s), first in {places}; "
            "fill in what the case is, or delete the row."
        )
    return request.target


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """An error if a file could not be written, or would replace what is read or another output."""
    from budgetree.services.files import check_place

    taken = {os.path.realpath(path): path for path in inputs if path is not None}
    for path in outputs:
        if path is None:
            continue
        check_place(path)
        if os.path.realpath(path) in taken:
            raise ValueError(f"{path}: this file is in use by the same command; choose another name for the output.")
        taken[os.path.realpath(path)] = path


def codes_for(schema: Schema, used: frozenset[int], table: Table) -> Any:
    """The codes of a table's rows, as the model reads them."""
    import numpy as np

    from budgetree.problem import UNSEEN

    for test in sorted(used):
        if schema.test_names[test] not in table.names:
            raise ValueError(
                f"{table.source}: there is no column {schema.test_names[test]!r}, which the model may ask for. "
                f"There are: {', '.join(table.names)}."
            )
    if schema.encoders is None:  # a model of codes: a cell holds an outcome's name
        codes = np.full((len(table), len(schema.test_names)), UNSEEN, dtype=np.uint8)
        for test in used:
            place = {name: code for code, name in enumerate(schema.outcome_names[test])}
            cells = table.columns[table.names.index(schema.test_names[test])].to_list()
            codes[:, test] = [place.get(str(cell), UNSEEN) for cell in cells]
        return codes
    needed = [schema.encoders[test] for test in sorted(used)]
    if table.csv is not None:
        columns = [table.csv.column_for(encoder) for encoder in needed]
    else:
        columns = [_as_learned(table.columns[table.names.index(encoder.name)], encoder) for encoder in needed]
    return schema.encode(columns, used, len(table))


def _as_learned(column: Column, encoder: ColumnEncoder) -> Column:
    """Values of a typed file as the texts that a model learned from a file of text knows, where they mean the same."""
    from budgetree.problem.tables.columns import is_missing
    from budgetree.problem.tables.csv_file import same_text
    from budgetree.problem.tables.encoding import Categories

    texts = isinstance(encoder, Categories) and all(isinstance(value, str) for value in encoder.values)
    if not texts or all(isinstance(value, str) or is_missing(value) for value in column.to_list()):
        return column

    def known(value: Any) -> Any:
        alike = [text for text in encoder.values if same_text(value, text)]  # type: ignore[union-attr]
        return alike[0] if len(alike) == 1 and not is_missing(value) else value

    return replace(column, numbers=None, values=[known(value) for value in column.to_list()])


def _is_bundled(data: str) -> bool:
    from budgetree import datasets

    return data in datasets.names()


def _parquet_columns(data: str) -> list[Column]:
    import narwhals.stable.v2 as nw

    from budgetree.problem.tables.columns import installed_library, read_frame

    library = installed_library()
    if library is None:
        raise ImportError(f"{data}: reading Parquet needs a library for it: pip install 'budgetree[parquet]'.")
    try:
        frame = nw.read_parquet(data, backend=library)  # type: ignore[arg-type]
    except Exception as error:  # each library refuses in its own words
        raise ValueError(f"{data}: this Parquet file cannot be read: {error}") from error
    return read_frame(frame.to_native())
