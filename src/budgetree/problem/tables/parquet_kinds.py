"""The columns of Parquet files that are read together: the same names, and one kind of values for each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from budgetree.errors import TableFileError
from budgetree.problem.tables.database import literal
from budgetree.problem.units import LARGEST_EXACT

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE", "DECIMAL")
QUICK = NUMBERS[:-1]  # DuckDB hands them over as they are
LONG_NUMBERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
WITH_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")
NOTHING = '"NULL"'  # the kind of a column without any value
TOO_LARGE = "has whole numbers that are too large to stand beside the decimal numbers of other files"


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file: their names, and what they hold, as DuckDB calls it."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, described: Sequence[tuple[Any, ...]]) -> Header:
        """From what DuckDB says of a file."""
        return cls(tuple(row[0] for row in described), tuple(row[1] for row in described))

    def without(self, names: Collection[str]) -> Header:
        """The other columns."""
        kept = [(name, kind) for name, kind in zip(self.names, self.kinds, strict=True) if name not in names]
        return Header.of(kept)

    def as_kinds(self, wanted: Sequence[str], path: str) -> str:
        """What SQL selects for columns of these kinds, of the file at this path."""
        columns = enumerate(zip(self.names, self.kinds, wanted, strict=True))
        return ", ".join(
            f"{_as_kind(f'c{at}', kind, other, f'{path}: column {name!r} {TOO_LARGE}. Convert them.')} AS c{at}"
            for at, (name, kind, other) in columns
        )


def common_names(paths: Sequence[str], headers: Sequence[Header]) -> tuple[str, ...]:
    """The names that all files have, in the same order; TableFileError where they have not."""
    names = headers[0].names
    for path, header in zip(paths, headers, strict=True):
        if header.names != names:
            raise TableFileError(
                f"{path}: its columns are not those of {paths[0]}; files that are read together need the same columns "
                "in the same order."
            )
    return names


def common_header(paths: Sequence[str], headers: Sequence[Header]) -> Header:
    """What files with these headers are read as; TableFileError where they do not fit together."""
    names = common_names(paths, headers)
    by_column = zip(names, zip(*(header.kinds for header in headers), strict=True), strict=True)
    return Header(names, tuple(_common(name, kinds, paths) for name, kinds in by_column))


def _common(name: str, kinds: Sequence[str], paths: Sequence[str]) -> str:
    """One kind for a column that has these in several files."""
    known = [(kind, path) for kind, path in zip(kinds, paths, strict=True) if kind != NOTHING]
    first, where = known[0] if known else (NOTHING, "")
    other = next(((kind, path) for kind, path in known if kind != first), None)
    if other is None:
        return first
    if all(is_number(kind) for kind, _ in known):
        return "DOUBLE" if any(kind.startswith(WITH_FRACTIONS) for kind, _ in known) else "HUGEINT"
    raise TableFileError(
        f"{other[1]}: column {name!r} holds {other[0]}, but {first} in {where}; files that are read together need one "
        "kind of values in a column. Convert one of them."
    )


def is_number(kind: str) -> bool:
    """Whether a column holds numbers, and no lists of them."""
    return kind.startswith((*NUMBERS, *LONG_NUMBERS)) and not kind.endswith("]")


def _as_kind(column: str, kind: str, wanted: str, problem: str) -> str:
    """A column of numbers as another kind of numbers; the problem is DuckDB's error where floats are the same."""
    if kind == wanted:
        return column
    if wanted != "DOUBLE" or not kind.startswith((*LONG_NUMBERS, "DECIMAL")):
        return f"{column}::{wanted}"
    is_small = f"coalesce({column} BETWEEN -{LARGEST_EXACT} AND {LARGEST_EXACT}, true)"
    return f"CASE WHEN {is_small} THEN {column}::DOUBLE ELSE error({literal(problem)}) END"
