"""Parts of a raw table that are read one after the other, as often as asked: batches of files, or data frames."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from budgetree.counts import Shard
from budgetree.data.batches import Wanted, open_batches
from budgetree.data.column import Column
from budgetree.data.frames import read_frame
from budgetree.data.parquet import check_kinds
from budgetree.data.profile import MixedColumnError
from budgetree.data.source import Reading, find_files, kind_of
from budgetree.data.table import Table
from budgetree.services.words import no_such
from budgetree.shards.plan import CaseRequest, Plan, encoded, plan_for, survey_part


class Parts(Protocol):
    """Where the rows come from."""

    def tables(self, as_text: Collection[str]) -> Iterator[tuple[str, Table]]:
        """All parts in order, with their names; in these columns the cells as text."""

    @property
    def has_texts(self) -> bool:
        """Whether cells are written as text, so that 5 may be a word."""


@dataclass(frozen=True, slots=True, eq=False)
class FileParts:
    """Batches of the files that a pattern names."""

    data: str
    reading: Reading
    drop: Collection[str] = ()

    @property
    def has_texts(self) -> bool:
        return kind_of(find_files(self.data)) != "Parquet"

    def tables(self, as_text: Collection[str]) -> Iterator[tuple[str, Table]]:
        batches = open_batches(self.data, self.reading)
        for name in self.drop:
            if name not in batches.names:
                raise ValueError(f"{self.data}: {no_such('column', name, batches.names)}")
        if not self.has_texts:
            check_kinds(self.data, find_files(self.data), self.drop)
        names = [name for name in batches.names if name not in self.drop]
        wanted = Wanted([name for name in names if name not in as_text], list(as_text), lines=False)
        for number, batch in enumerate(batches.read(wanted), start=1):
            table = batch.table.only(names).without_empty_rows()
            columns = tuple(_as_text(column) if column.name in as_text else column for column in table.columns)
            yield f"part {number} of {self.data}", replace(table, columns=columns)


@dataclass(frozen=True, slots=True, eq=False)
class FrameParts:
    """Data frames of any library, which can be gone through more than once."""

    frames: Callable[[], Iterable[Any]]
    target: str
    has_texts: bool = False

    @classmethod
    def of(cls, frames: Any, target: str) -> FrameParts:
        """A list of frames, or a function that gives them, for example by reading one file after another."""
        if callable(frames):
            return cls(frames, target)
        if isinstance(frames, Sequence) and not len(frames):
            raise ValueError("frames: there is none; at least one with one row is needed.")
        if not isinstance(frames, Sequence) or isinstance(frames, str):
            raise ValueError(
                f"frames is a {type(frames).__name__}; expected a list of data frames, or a function without arguments "
                "that gives them again each time it is called, since they are read twice."
            )
        return cls(lambda: frames, target)

    def tables(self, as_text: Collection[str]) -> Iterator[tuple[str, Table]]:
        for number, frame in enumerate(self.frames()):
            yield f"frame {number}", read_frame(frame, self.target)


def find_plan(parts: Parts, request: CaseRequest) -> tuple[Plan, Collection[str]]:
    """The plan for all parts, and the columns whose cells it takes as text."""
    as_text: tuple[str, ...] = ()
    while True:
        surveys = [survey_part(table, request, part) for part, table in parts.tables(as_text)]
        if not surveys:
            raise ValueError("rows: there are none; at least one is needed.")
        try:
            return plan_for(surveys, request), as_text
        except MixedColumnError as error:
            if not parts.has_texts or error.name in as_text:
                raise
            as_text = (*as_text, error.name, *error.others)


def coded(parts: Parts, plan: Plan, as_text: Collection[str]) -> Iterator[Shard]:
    """All parts, read again, as shards."""
    return encoded((table for _, table in parts.tables(as_text)), plan)


def _as_text(column: Column) -> Column:
    if column.texts is None:
        return column
    return replace(column, dtype="text", numbers=None, values=column.texts)
