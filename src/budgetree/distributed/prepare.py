"""From parts of a raw table to partitions: a survey of each part, one plan for all, and then each part by itself.

    part ──► survey ─┐                                      ┌─► part ──► partition
    part ──► survey ─┼──► levels, categories, classes,  ────┼─► part ──► partition
    part ──► survey ─┘    unit of weight: the plan          └─► part ──► partition

The first and the last step are done where the parts are; surveys are small.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import ABSENT, Coded, Column, is_missing, sort_key
from budgetree.data.encoders import (
    DEFAULT_LEVELS,
    UNSEEN,
    Binning,
    BlankReading,
    LevelCounts,
    LevelPlan,
    as_learned,
    encoder_for,
)
from budgetree.data.frames import read_array, read_frame
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.parquet import ParquetSource
from budgetree.data.profile import ColumnProfile, MixedColumnError, check_labelled, code_labels, merged
from budgetree.data.source import FileKind, Reading, Wanted, find_files, kind_of, open_source
from budgetree.data.table import Table, check_numbers
from budgetree.distributed.drawn import NO_HASHES, Draw, DrawnRows, NumberTest, number_tests, numbers_of
from budgetree.distributed.partition import SIZES, Partition, Sizes, shape_of
from budgetree.errors import BudgetreeError, SettingError, TableError, TableFileError, Where
from budgetree.problem import Losses, Prices, Schema, drawing
from budgetree.problem.instance import Duplicates, check_duplicates, find_tests, row_hashes
from budgetree.problem.schema import distinct_names
from budgetree.problem.units import WeightFacts, too_fine_losses
from budgetree.services.words import counted, no_such

# What a user says of the rows.
CASE_SETTINGS = ("prices", "losses", "levels", "binning", "duplicates", "weights", "blanks")
DrawnPart = tuple[NDArray[np.uint64], DrawnRows]  # rows of a part, each with its hash
Load = Callable[[Any, Collection[str]], Iterable[Table]]  # a part in one table or more, some columns as text


@dataclass(frozen=True, slots=True, eq=False)
class CaseRequest:
    """How raw rows become known cases; as Instance.from_frame has it."""

    target: str
    prices: Prices
    losses: Losses | None = None
    levels: LevelPlan = field(default_factory=LevelPlan)
    duplicates: Duplicates = "keep"
    weights: str | None = None  # the column that says how much each row counts
    sizes: Sizes = SIZES

    @classmethod
    def of(
        cls,
        target: Any,
        *,
        prices: Any = None,
        losses: Any = None,
        levels: LevelCounts = DEFAULT_LEVELS,
        binning: Binning = "quantile",
        duplicates: Duplicates = "keep",
        weights: Any = None,
        blanks: BlankReading = None,
        sizes: Sizes = SIZES,
        **unknown: Any,
    ) -> CaseRequest:
        """What a user gave, checked as far as it can be without the table."""
        for name in unknown:
            raise TypeError(f"settings: {no_such('setting', name, CASE_SETTINGS)}")
        known = Losses.of(losses)
        check_duplicates(duplicates, losses=known is not None, weights=weights is not None)
        column, plan = None if weights is None else str(weights), LevelPlan.of(levels, binning, blanks)
        return cls(str(target), Prices.of(prices), known, plan, duplicates, column, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A raw table in parts, each of which is read by itself and as often as asked: files, frames, partitions."""

    parts: Callable[[], Iterable[Any]]
    load: Load
    where: Callable[[int], Where]  # a part or, where one is read in several tables, a table
    has_texts: bool = False  # cells are written as text, so that 5 may be a word

    def tables(self, as_text: Collection[str]) -> Generator[Table]:
        """All parts in order; in these columns the cells as text."""
        for part in self.parts():
            yield from self.load(part, as_text)


class FileRows(NamedTuple):
    """The files of a pattern, or some rows of one file."""

    path: str
    first_row: int = 0
    n_rows: int | None = None  # None for all


def parts_of_files(data: str, reading: Reading, *, n_threads: int | None = None, sizes: Sizes = SIZES) -> Parts:
    """The files of a pattern: in batches, one after the other; or in parts for so many threads of a cluster.

    Its workers read a CSV file each, or rows of Parquet files in parts of one size; they must see the same paths.
    """
    paths = find_files(data)
    kind = kind_of(paths)
    word, first = ("part", 1) if n_threads is None else ("partition", 0)
    if n_threads is not None and kind.is_workbook:
        message = "workbooks are read in memory; for a cluster, save it as CSV or Parquet."
        raise TableFileError(message, found=kind, where=Where(data))
    parts: list[tuple[FileRows, ...]] = [(FileRows(path),) for path in ([data] if n_threads is None else paths)]
    if kind is FileKind.PARQUET:
        source = ParquetSource.open(data, paths, reading)
        source.kinds(reading.drop)  # which are the same in all files
        parts = parts if n_threads is None else _parquet_parts(source, n_threads, sizes)
    load, where = partial(_load_files, reading), lambda number: Where(data, entry=f"{word} {number + first}")
    return Parts(lambda: parts, load, where, has_texts=kind is not FileKind.PARQUET)


def parts_of_frames(frames: Any, target: str) -> Parts:
    """A list of data frames, or a function that gives them, for example by reading one file after another."""
    if not callable(frames) and (not isinstance(frames, Sequence) or isinstance(frames, str) or not len(frames)):
        message = (
            f"frames is a {type(frames).__name__}; expected a list of at least one data frame, or a function without "
            "arguments that gives them again each time it is called, since they are read twice."
        )
        raise SettingError(message, subject="frames", found=frames)
    every = frames if callable(frames) else lambda: frames
    return Parts(every, partial(load_frame, target), lambda number: Where(f"frame {number}"))


def load_frame(target: str, frame: Any, as_text: Collection[str]) -> list[Table]:
    return [read_frame(frame, target)]


def load_columns(target: str, weights: str, rows: tuple[Any, ...], as_text: Collection[str]) -> list[Table]:
    """Rows of X, their labels and, if given, their weights as a part, with these names for the last two."""
    is_frame = nw.dependencies.is_into_dataframe(rows[0])
    table = read_frame(rows[0]) if is_frame else read_array(np.asarray(rows[0]))
    columns = [Column(target, "labels", values=flat_labels(rows[1]))]
    if len(rows) > 2:
        columns.append(Column(weights, "weights", numbers=np.asarray(rows[2], dtype=np.float64).ravel()))
    n_rows = len(table)
    for column in columns:
        if len(column) != n_rows:
            message = f"{len(column)} {column.dtype} for {n_rows} rows of X; expected one for each, in all partitions."
            raise TableError(message, subject=column.dtype, found=len(column), expected=n_rows)
    return [replace(table, columns=(*table.columns, *columns))]


def flat_labels(labels: Any) -> Coded:
    """Those of a series, or of an array that may have a column."""
    return code_labels(labels if hasattr(labels, "to_list") else np.asarray(labels).ravel())


@dataclass(frozen=True, slots=True, eq=False)
class PartSurvey:
    """What a part of the table holds."""

    part: Where
    n_rows: int
    columns: tuple[ColumnProfile, ...]  # the target, then the tests
    weights: WeightFacts | None
    input_columns: tuple[str, ...]  # the tests as they came
    hashes: NDArray[np.uint64]  # per row; they stay where the part is

    @property
    def tests(self) -> tuple[str, ...]:
        return tuple(profile.name for profile in self.columns[1:])


def survey_part(table: Table, request: CaseRequest, part: Where) -> PartSurvey:
    target, levels, name = request.target, request.levels, _name(part)
    tests, labels = find_tests(table, target, request.weights, part), table.column(target).as_values()
    levels.check(tests)
    try:
        check_labelled(labels.is_absent, f"column {target!r}", target)
        check_numbers(table.only(tests))
        columns = levels.as_planned(table.only(tests)).by_name().columns
        profiles = [ColumnProfile.of(column, levels.count(column.name), name) for column in columns]
        weights = None if request.weights is None else _weights(table, request.weights)
        facts = None if weights is None else WeightFacts.of(weights)
        every = (ColumnProfile.of(labels, 0, name), *profiles)
        return PartSurvey(part, len(table), every, facts, tuple(tests), row_hashes(columns, labels, weights))
    except BudgetreeError as error:
        raise error.at(part) from None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How every part becomes a partition."""

    request: CaseRequest
    schema: Schema
    part_rows: Mapping[Where, int]
    facts: WeightFacts | None  # of the weights
    scales: tuple[Fraction, ...]  # weights become units of the first; units these of the second, if losses ask for it
    as_text: tuple[str, ...] = ()  # columns whose cells are taken as text
    numbers: tuple[NumberTest, ...] = ()  # tests whose raw numbers trees for new cases read
    draw: Draw | None = None  # the rows that those are learned from; None for all

    @property
    def n_rows(self) -> int:
        return sum(self.part_rows.values())


def find_plan(
    parts: Parts, request: CaseRequest, survey: Callable[[tuple[str, ...]], Sequence[PartSurvey]] | None = None
) -> Plan:
    """One plan for all parts, from a pass over them; `survey` makes that pass elsewhere, with some columns as text."""

    def survey_here(as_text: tuple[str, ...]) -> Iterator[PartSurvey]:
        with closing(parts.tables(as_text)) as tables:  # a part that is refused leaves no file open
            for number, table in enumerate(tables):
                found = survey_part(table, request, parts.where(number))
                hashes.write(found.hashes.tobytes())
                yield replace(found, hashes=NO_HASHES)

    as_text: tuple[str, ...] = ()
    while True:
        try:
            with tempfile.TemporaryFile() as hashes:  # of all rows: they may not fit into memory
                plan = replace(plan_for(list((survey or survey_here)(as_text)), request), as_text=as_text)
                is_drawn = survey is None and plan.n_rows > drawing.MAX_ROWS
                return replace(plan, draw=Draw.of_file(hashes, plan.n_rows)) if is_drawn else plan
        except MixedColumnError as error:
            if not parts.has_texts or error.subject in as_text:
                raise
            as_text = (*as_text, error.subject or "", *error.others)


def plan_for(surveys: Sequence[PartSurvey], request: CaseRequest) -> Plan:
    """One plan for all parts; MixedColumnError where a column is text in one and numbers in another."""
    n_rows = sum(survey.n_rows for survey in surveys)
    if n_rows == 0:
        raise TableError("the table is empty; at least one row is needed.", found=0)
    tests, part_rows = surveys[0].tests, Counter[Where]()
    for survey in surveys:
        part_rows[survey.part] += survey.n_rows
        if survey.tests != tests:
            differing = sorted(set(survey.tests) ^ set(tests))
            message = f"the columns are not those of {_name(surveys[0].part)}: {', '.join(differing[:5])}; expected "
            message += "the same columns in all parts."
            raise TableError(message, found=survey.tests, expected=tests, where=survey.part)
    labels, *columns = _merged_columns(surveys, request)
    found = labels.values or ()
    if len(surveys) > 1 and len(found) == request.sizes.column_values:
        many = f"column {request.target!r} has {len(found):,} different labels or more"
        message = f"{many}; expected fewer where a table is read in parts. Is it the target?"
        raise TableError(message, subject=request.target, found=len(found))
    encoders = tuple(encoder_for(column, request.levels) for column in columns)
    outcomes = tuple(distinct_names(one.outcome_names, f"outcome_names of test {one.name!r}") for one in encoders)
    classes = tuple(sorted(found, key=sort_key))
    others = (encoders, request.losses, None, surveys[0].input_columns, request.levels.blanks)
    schema = Schema(tests, outcomes, classes, request.prices, Fraction(1), *others)
    weights = [survey.weights for survey in surveys if survey.weights is not None]
    facts = reduce(add, weights) if weights else None
    scales = _scales(facts, n_rows, schema.loss_table.largest)
    schema = replace(schema, weight_scale=scales[-1])
    return Plan(request, schema, part_rows, facts, scales, numbers=number_tests(columns))


def encoded(
    tables: Iterable[Table], plan: Plan, part: Where | None = None, drawn: list[DrawnPart] | None = None
) -> Iterator[Partition]:
    """The tables of a part, or of all, as partitions; at the end an error unless as many rows came as at first.

    drawn  gets those of the rows that are drawn
    """
    n_rows = 0
    for table in tables:
        n_rows += len(table)
        cases, rows = encode_part(table, plan)
        if drawn is not None:
            drawn.append(rows)
        yield cases
    at_first = plan.n_rows if part is None else plan.part_rows[part]
    if n_rows != at_first:
        came = f"{counted(n_rows, 'row')} came when they were read again, and {at_first:,} at first"
        raise _changed(came, found=n_rows, expected=at_first, where=part)


def encode_part(table: Table, plan: Plan) -> tuple[Partition, DrawnPart]:
    """The cases of a part that count, and the rows that are drawn of it, or all; an error for what no survey saw."""
    schema, request = plan.schema, plan.request
    labels, codes = _labels(table, plan), _codes(table, schema)
    given = None if request.weights is None else _weights(table, request.weights)
    weights = np.ones(len(table)) if given is None else given
    cases = Partition(codes, labels, None, *shape_of(schema))
    if plan.facts is not None:
        rounded = weights
        for scale in plan.scales:
            units = plan.facts.units(rounded, scale)
            rounded = units / float(scale)
        rows = np.flatnonzero(units)
        counted_units = None if (units[rows] == 1).all() else units[rows]
        cases = replace(cases, codes=codes[rows], labels=labels[rows], weight_units=counted_units)
    columns = request.levels.as_planned(table.only(schema.test_names)).by_name().columns
    hashes = row_hashes(columns, table.column(request.target).as_values(), given)
    if plan.draw is not None:
        hashes, first = np.unique(hashes, return_index=True)
        kept = np.isin(hashes, plan.draw.hashes, assume_unique=True)
        hashes, rows = hashes[kept], first[kept]
        columns = tuple(column.take(rows) for column in columns)
        codes, labels, weights = codes[rows], labels[rows], weights[rows]
    return cases, (hashes, DrawnRows(codes, numbers_of(columns, plan.numbers, len(labels)), labels, weights))


def gathered(parts: Sequence[DrawnPart], plan: Plan) -> DrawnRows:
    """The rows that were drawn from all parts, each as often as it was."""
    rows = DrawnRows.joined([part for _, part in parts])
    if plan.draw is not None:
        _, first = np.unique(np.concatenate([hashes for hashes, _ in parts]), return_index=True)
        if len(first) != len(plan.draw.hashes):
            raise _changed("other rows came when they were read again")
        rows = rows.take(np.repeat(first, plan.draw.copies))
        rows = rows.take(drawing.trimmed(rows.instance(plan.schema, plan.numbers).row_ranks))
    return rows


def _labels(table: Table, plan: Plan) -> NDArray[np.int32]:
    schema, request = plan.schema, plan.request
    expected = [name for name in (request.target, request.weights, *schema.test_names) if name is not None]
    if gone := [name for name in expected if name not in table.names]:
        what = f"column {gone[0]!r} was there at first, and was gone when the rows were read again"
        raise _changed(what, subject=gone[0])
    column = table.column(request.target)
    coded, position = column.coded(), {value: index for index, value in enumerate(schema.class_names)}
    found = np.array([position.get(value, ABSENT) for value in coded.distinct], dtype=np.int32)
    return _as_at_first(column, coded.look_up(found, ABSENT), ABSENT)


def _codes(table: Table, schema: Schema) -> NDArray[np.uint8]:
    encoders = schema.encoders or ()
    if any(column.texts is not None for column in table.columns):
        table = as_learned(table, encoders)
    by_name = {column.name: column for column in table.columns}
    columns = [(encoder, by_name[encoder.name]) for encoder in encoders]
    return np.stack([_as_at_first(column, e.encode(column), UNSEEN) for e, column in columns], axis=1)


def _load_files(reading: Reading, part: Sequence[FileRows], as_text: Collection[str]) -> Iterator[Table]:
    for path, first_row, n_rows in part:
        if n_rows is not None:
            parquet = ParquetSource.open(path, [path], reading)
            kept = Wanted(texts=set(parquet.names).difference(reading.drop), lines=False)
            yield from (batch.table for batch in parquet.rows(0, first_row, n_rows, kept, threads=1))
            continue
        source = open_source(path, reading)
        for name in (name for name in reading.drop if name not in source.names):
            raise SettingError(no_such("column", name, source.names), subject="drop", found=name, where=Where(path))
        names = [name for name in source.names if name not in reading.drop]
        wanted = Wanted([name for name in names if name not in as_text], list(as_text), lines=False)
        for batch in source.batches(wanted):
            table = batch.table.only(names).without_empty_rows()
            yield replace(table, columns=tuple(_as_text(c) if c.name in as_text else c for c in table.columns))


def _as_text(column: Column) -> Column:
    return column if column.texts is None else replace(column, dtype="text", numbers=None, values=column.texts)


def _parquet_parts(source: ParquetSource, n_threads: int, sizes: Sizes) -> list[tuple[FileRows, ...]]:
    # Whole batches, in a number of parts that the threads share evenly.
    n_rows, batch_rows = sum(source.n_rows), source.reading.limits.batch_rows
    n_parts = max(-(-n_rows * len(source.names) // sizes.task_bytes), sizes.tasks_per_thread * n_threads)
    n_parts = -(-n_parts // n_threads) * n_threads
    part_rows = max(1, -(-n_rows // (n_parts * batch_rows))) * batch_rows
    parts: list[tuple[FileRows, ...]] = []
    n_free = 0  # rows that the last part still takes
    for path, n_here in zip(source.paths, source.n_rows, strict=True):
        first = 0
        while True:  # once for an empty file, too: its columns must be the same
            if not n_free:
                parts.append(())
                n_free = part_rows
            taken = min(n_free, n_here - first)
            parts[-1] += (FileRows(path, first, taken),)
            first, n_free = first + taken, n_free - taken
            if first == n_here:
                break
    return parts


def _merged_columns(surveys: Sequence[PartSurvey], request: CaseRequest) -> list[ColumnProfile]:
    """The target and the tests, after all parts; all columns that are mixed are named."""
    found: list[ColumnProfile] = []
    mixed: list[MixedColumnError] = []
    for columns in zip(*(survey.columns for survey in surveys), strict=True):
        try:
            found.append(merged(columns, request.sizes.column_values))
        except MixedColumnError as error:
            mixed.append(error)
    if mixed:
        mixed[0].others = tuple(error.subject or "" for error in mixed[1:])
        raise mixed[0]
    return found


def _name(part: Where) -> str:
    return part.entry or part.source


def _changed(what: str, **fields: Any) -> TableError:
    """For rows that are not the same when they are read again."""
    return TableError(
        f"{what}; expected the same rows at every reading. Files must not change meanwhile, and a function or a lazy "
        "frame must give the same rows each time.",
        **fields,
    )


def _as_at_first(column: Column, codes: NDArray[Any], unseen: int) -> NDArray[Any]:
    """The codes, or an error where some rows of the column hold what was not there at first."""
    rows = np.flatnonzero(codes == unseen)
    if len(rows):
        value = column.take(rows[:1]).to_list()[0]
        shown = "a missing value" if is_missing(value) else f"{value!r:.60}"
        came = f"column {column.name!r}: {shown} came when the rows were read again, and not at first"
        raise _changed(came, subject=column.name, found=None if is_missing(value) else value)
    return codes


def _weights(table: Table, name: str) -> NDArray[np.float64]:
    column = table.column(name)
    weights = column.as_numbers()
    if weights is None:
        message = f"weights: column {name!r} holds {column.dtype}; expected numbers."
        raise TableError(message, subject=name, found=column.dtype)
    return weights


def _scales(facts: WeightFacts | None, n_rows: int, largest_loss: int) -> tuple[Fraction, ...]:
    """Units that are exact when multiplied by any loss: weights of many digits get fewer, as in memory."""
    max_total = (LARGEST_EXACT - 1) // max(1, largest_loss)
    scale = Fraction(1) if facts is None else facts.scale()
    total = n_rows if facts is None else facts.total * float(scale)
    if largest_loss <= 1 or total <= max_total:
        return (scale,)
    if facts is None:
        raise too_fine_losses(largest_loss, n_rows)
    return (scale, facts.scale(max_total))
