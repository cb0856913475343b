"""The rows that are sampled for new cases, from all parts of a table.

    part ──► hashes ─┐                                     ┌─► part ──► its rows among them ─┐
    part ──► hashes ─┼──► how many of each are drawn ──────┼─► part ──► …                    ├──► an Instance
    part ──► hashes ─┘                                     └─► part ──► …                    ┘

They are the rows that would be drawn from the whole table in memory (problem/drawing.py). Trees for new cases read
numbers as they are, so those are kept beside the codes; other values are what their codes say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import IO

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import ABSENT, Coded, Column
from budgetree.data.encoders import Categories, LevelPlan
from budgetree.data.profile import ColumnProfile
from budgetree.data.table import Table
from budgetree.problem import Instance, Schema, drawing
from budgetree.problem.instance import Rows

HASH_BYTES = 8
NO_HASHES = np.empty(0, dtype=np.uint64)
N_BUCKETS = 64  # of hashes that are counted one after the other


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Per hash of a row, how many of the rows that have it are drawn; hashes ascend."""

    hashes: NDArray[np.uint64]
    copies: NDArray[np.int64]

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], share: float) -> Draw:
        """From the hashes of all rows, or of all that have some of the hashes."""
        distinct, counts = np.unique(hashes, return_counts=True)
        copies = drawing.copies_drawn(distinct, counts, share)
        return cls(distinct[copies > 0], copies[copies > 0])

    @classmethod
    def joined(cls, draws: Sequence[Draw]) -> Draw:
        return cls(np.concatenate([one.hashes for one in draws]), np.concatenate([one.copies for one in draws]))

    @classmethod
    def of_file(cls, file: IO[bytes], n_rows: int) -> Draw:
        """From a file with the hashes of all rows, range by range."""
        file.flush()
        hashes: NDArray[np.uint64] = np.memmap(file, dtype=np.uint64, mode="r+")
        hashes.sort()
        ranges, share = np.split(hashes, range_ends(hashes, N_BUCKETS)[:-1]), drawing.share_to_draw(n_rows)
        return cls.joined([cls.of(one, share) for one in ranges])


def range_ends(ascending: NDArray[np.uint64], n_ranges: int) -> NDArray[np.int64]:
    starts = np.array([(number << 64) // n_ranges for number in range(1, n_ranges)], dtype=np.uint64)
    return np.append(np.searchsorted(ascending, starts), len(ascending)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class NumberTest:
    """A test whose raw numbers are kept."""

    name: str
    censored: tuple[float, ...] = ()  # numbers that stand for all beyond a limit
    is_exact: bool = True  # as floats they lose no digits


def number_tests(columns: Iterable[ColumnProfile | Column]) -> tuple[NumberTest, ...]:
    found = (column for column in columns if column.numbers is not None)
    return tuple(NumberTest(one.name, one.censored, one.values is None) for one in found)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """Rows that were drawn, as far as trees for new cases look at them."""

    codes: NDArray[np.uint8]  # row × test
    numbers: NDArray[np.float64]  # row × test that has numbers
    labels: NDArray[np.int32]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def joined(cls, parts: Sequence[DrawnRows]) -> DrawnRows:
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def take(self, rows: NDArray[np.int64]) -> DrawnRows:
        return DrawnRows(*(getattr(self, field.name)[rows] for field in fields(self)))

    def instance(self, schema: Schema, tests: Sequence[NumberTest], levels: LevelPlan | None = None) -> Instance:
        """The known cases that they make, coded as the whole table is."""
        weights = None if (self.weights == 1).all() else self.weights
        if schema.encoders is None:
            return Instance.from_codes(self.codes, self.labels.astype(np.int64), weights, schema)
        columns = {
            test.name: Column(
                test.name,
                "number",
                np.ascontiguousarray(numbers),
                None if test.is_exact else Coded.of_numbers(numbers),
                censored=test.censored,
            )
            for test, numbers in zip(tests, self.numbers.T, strict=True)
        }
        for encoder, codes in zip(schema.encoders, self.codes.T, strict=True):
            if isinstance(encoder, Categories) and encoder.name not in columns:
                positions = np.where(codes < len(encoder.values), codes.astype(np.int32), ABSENT)
                order, values = encoder.values if encoder.is_ordered else None, Coded(encoder.values, positions)
                columns[encoder.name] = Column(encoder.name, "values", values=values, order=order)
        ordered = tuple(columns[encoder.name] for encoder in schema.encoders)
        table = Table("rows that were drawn", ordered, len(self.labels))
        rows = Rows(
            table,
            self.labels.astype(np.int64),
            replace(levels or LevelPlan(), blanks=schema.blanks),
            weights=weights,
            input_columns=schema.input_columns,
        )
        return Instance.from_rows(
            rows,
            schema.class_names,
            schema.prices,
            schema.losses,
            schema.labels,
            {encoder.name: encoder for encoder in schema.encoders},
            dict(zip(schema.test_names, self.codes.T, strict=True)),
        )


def drawn_of(instance: Instance) -> tuple[DrawnRows, tuple[NumberTest, ...]]:
    """The rows to look at of an instance, and which of its tests have numbers."""
    positions = drawing.drawn_rows(instance)
    rows = instance.recoded({}, np.arange(instance.n_rows) if positions is None else positions)
    columns = () if rows.source is None else rows.source.tests.columns
    tests = number_tests(columns)
    labels, numbers = rows.row_labels.astype(np.int32), numbers_of(columns, tests, rows.n_rows)
    return DrawnRows(rows.codes[rows.case_of_row], numbers, labels, rows.row_weights), tests


def numbers_of(columns: Iterable[Column], tests: Sequence[NumberTest], n_rows: int) -> NDArray[np.float64]:
    """Row × test that has numbers; missing where a column of some rows holds nothing."""
    by_name = {column.name: column for column in columns}
    found = [by_name[test.name].as_numbers() for test in tests]
    nothing = np.full(n_rows, np.nan)
    return np.column_stack([nothing[:, None][:, :0], *(nothing if one is None else one for one in found)])
