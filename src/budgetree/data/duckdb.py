"""The one connection to DuckDB: in memory, without a network, reading the files it is given and no others."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import ABSENT, Coded
from budgetree.data.table import QUOTED

if TYPE_CHECKING:
    import duckdb

GLOB_MARKS = "*?["
FEW = 16  # texts that are found sooner in a list: DuckDB looks once for each that a dictionary in the file has
OFFLINE = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@dataclass(frozen=True, slots=True)
class Database:
    """A database that lives as long as files are read; what does not fit into memory goes to its folder."""

    connection: duckdb.DuckDBPyConnection
    folder: str  # of its own, for copies of files

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of an answer; for few of them."""
        return self.connection.execute(sql).fetchall()

    def arrays(self, sql: str) -> dict[str, NDArray[Any]]:
        """The columns of an answer; masked where something is missing."""
        return dict(self.connection.execute(sql).fetchnumpy())

    def count(self, table: str) -> int:
        return int(self.run(f"SELECT count(*) FROM {table}")[0][0])

    def csv_lines(self, table: str, cells: Sequence[str], wide: int) -> list[str]:
        """The rows of a table as lines of CSV, made of these cells; so many cells are asked for at once."""
        is_quoted = " OR ".join(f"contains(cell, '{mark}')" for mark in QUOTED)
        in_quotes = """'"' || replace(cell, '"', '""') || '"'"""
        self.run(
            "CREATE OR REPLACE TEMP MACRO csv_cell(cell) AS "
            f"CASE WHEN cell IS NULL THEN '' WHEN {is_quoted} THEN {in_quotes} ELSE cell END"
        )
        pieces = []
        for begin in range(0, len(cells), wide):
            some = ", ".join(f"csv_cell({cell})" for cell in cells[begin : begin + wide])
            pieces.append(self.arrays(f"SELECT concat_ws(',', {some}) AS line FROM {table}")["line"].tolist())
        return pieces[0] if len(pieces) == 1 else list(map(",".join, zip(*pieces, strict=True)))

    def copy_of(self, path: str) -> str:
        return os.path.join(self.folder, sha256(path.encode()).hexdigest())

    def coded(self, column: str, table: str) -> Coded:
        """A column of any plain kind, each different value once. Values are distinguished by their text."""
        text = f"{column}::VARCHAR"
        known = f"SELECT DISTINCT {text} FROM {table} WHERE {column} IS NOT NULL"
        self.run(f"CREATE OR REPLACE TYPE texts AS ENUM ({known})")
        distinct = tuple(self.run("SELECT enum_range(NULL::texts)")[0][0])
        position = f"enum_code({text}::texts)::INTEGER"
        if len(distinct) <= FEW:
            position = f"(list_position([{', '.join(map(literal, distinct))}]::VARCHAR[], {text}) - 1)::TINYINT"
        positions = self.arrays(f"SELECT {position} AS position FROM {table}")["position"]
        return Coded(distinct, np.ma.filled(positions, ABSENT))


@contextmanager
def open_database(paths: Sequence[str], threads: int | None = None) -> Iterator[Database]:
    """A database that may read these files, by default with a thread for each processor."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="budgetree-", ignore_cleanup_errors=True) as folder:
        config: dict[str, Any] = OFFLINE | {"temp_directory": os.path.join(folder, "spilled")}
        config |= {} if threads is None else {"threads": threads}
        with duckdb.connect(":memory:", config=config) as connection:
            allowed = ", ".join(literal(os.path.abspath(path)) for path in paths)
            connection.execute(f"SET allowed_paths = [{allowed}]; SET allowed_directories = [{literal(folder)}]")
            connection.execute("SET enable_external_access = false; SET lock_configuration = true")
            yield Database(connection, folder)


def plain_path(path: str, folder: str) -> str:
    """A path that DuckDB does not take for a pattern."""
    full = os.path.abspath(path)
    if not any(mark in full for mark in GLOB_MARKS):
        return full
    link = os.path.join(folder, f"file{len(os.listdir(folder))}")
    try:
        os.symlink(full, link)
    except OSError:  # a system without links
        shutil.copyfile(full, link)
    return link


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
