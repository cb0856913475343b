"""From parts of a raw table to shards: a survey of each part, one plan for all, and then each part by itself.

    part ──► survey ─┐                                      ┌─► part ──► shard
    part ──► survey ─┼──► levels, categories, classes,  ────┼─► part ──► shard
    part ──► survey ─┘    unit of weight: the plan          └─► part ──► shard

Whoever has the parts does the first and the last step where they are; surveys are small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Shard
from budgetree.data.column import ABSENT, Column, is_missing, sort_key
from budgetree.data.encoders import (
    DEFAULT_LEVELS,
    UNSEEN,
    ColumnEncoder,
    LevelCounts,
    LevelPlan,
    as_learned,
    encoders_for,
    side_by_side,
)
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.profile import MAX_VALUES, ColumnSurvey, MixedColumnError, merged, survey_column
from budgetree.data.table import Table
from budgetree.problem import Losses, Prices, Schema
from budgetree.problem.raw_rows import Duplicates
from budgetree.problem.schema import distinct_names
from budgetree.problem.units import WeightFacts
from budgetree.services.words import counted, no_such

CASE_SETTINGS = ("prices", "losses", "levels", "duplicates", "weights")  # what a user says of the rows


@dataclass(frozen=True, slots=True, eq=False)
class CaseRequest:
    """How raw rows become known cases; as Instance.from_frame has it."""

    target: str
    prices: Prices
    losses: Losses | None = None
    levels: LevelPlan = field(default_factory=LevelPlan)
    duplicates: Duplicates = "merge"
    weights: str | None = None  # the column that says how much each row counts

    @classmethod
    def of(
        cls,
        target: Any,
        *,
        prices: Any = None,
        losses: Any = None,
        levels: LevelCounts = DEFAULT_LEVELS,
        duplicates: Literal["merge", "keep"] | None = None,
        weights: Any = None,
        **unknown: Any,
    ) -> CaseRequest:
        """What a user gave, checked as far as it can be without the table."""
        for name in unknown:
            raise TypeError(f"settings: {no_such('setting', name, CASE_SETTINGS)}")
        if duplicates not in ("merge", "keep", None):
            raise ValueError(f"duplicates is {duplicates!r}; expected 'merge' or 'keep'.")
        known = Losses.of(losses)
        counts_rows = known is not None or weights is not None
        alike: Duplicates = ("keep" if counts_rows else "merge") if duplicates is None else duplicates
        if isinstance(levels, Mapping):
            levels = {str(name): count for name, count in levels.items()}
        if alike == "merge" and counts_rows:
            alike = "add up"  # the most common label may be the wrong one
        column = None if weights is None else str(weights)
        return cls(str(target), Prices.of(prices), known, LevelPlan.of(levels), alike, column)

    def tests_of(self, table: Table) -> tuple[Column, ...]:
        """The columns that are tests."""
        return tuple(column for column in table.columns if column.name not in (self.target, self.weights))


@dataclass(frozen=True, slots=True, eq=False)
class PartSurvey:
    """What a part of the table holds."""

    part: str  # its name, for messages
    n_rows: int
    tests: tuple[ColumnSurvey, ...]
    labels: ColumnSurvey
    weights: WeightFacts | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(survey.contents.name for survey in self.tests)


def survey_part(table: Table, request: CaseRequest, part: str) -> PartSurvey:
    """Look at all rows of a part."""
    for what, name in (("target", request.target), ("weights", request.weights)):
        if name is not None and name not in table.names:
            listed = ", ".join(map(repr, table.names))
            raise ValueError(f"{what}: no column of {part} is named {name!r}; the columns are {listed}.")
    tests = request.tests_of(table)
    if not tests:
        raise ValueError(f"frame: {part} has no column beside the target; at least one test is needed.")
    request.levels.check([column.name for column in tests])
    labels = _label_column(table, request)
    absent = np.flatnonzero(labels.is_absent)
    if len(absent):
        raise ValueError(
            f"column {request.target!r}: {counted(len(absent), 'label is', 'labels are')} missing in {part}, the first "
            f"in row {absent[0]}; drop those rows or label them."
        )
    return PartSurvey(
        part,
        len(table),
        tuple(survey_column(column, part, request.levels.count(column.name)) for column in tests),
        survey_column(labels, part, 0),
        None if request.weights is None else WeightFacts.of(_weights(table, request.weights, part)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How every part becomes a shard."""

    request: CaseRequest
    schema: Schema
    part_rows: Mapping[str, int]  # by the part's name
    facts: WeightFacts | None  # of the weights
    scales: tuple[Fraction, ...]  # weights become units of the first; units these of the second, if losses ask for it

    @property
    def n_rows(self) -> int:
        """Of all parts."""
        return sum(self.part_rows.values())


def plan_for(surveys: Sequence[PartSurvey], request: CaseRequest) -> Plan:
    """One plan for all parts; MixedColumnError where a column is text in one and numbers in another."""
    n_rows = sum(survey.n_rows for survey in surveys)
    if n_rows == 0:
        raise ValueError("frame: the table is empty; at least one row is needed.")
    names = surveys[0].names
    for survey in surveys:
        if survey.names != names:
            differing = sorted(set(survey.names) ^ set(names)) or ["the order of the columns"]
            raise ValueError(
                f"frame: the columns of {survey.part} are not those of {surveys[0].part}: {', '.join(differing[:5])}; "
                "expected the same columns in the same order in all parts."
            )
    labels, *columns = _merged_columns(surveys, request)
    found = labels.contents.values or ()
    if len(surveys) > 1 and len(found) == MAX_VALUES:
        raise ValueError(
            f"column {request.target!r} has {MAX_VALUES:,} different labels or more; expected fewer where a table is "
            "read in parts. Is it the target?"
        )
    classes = tuple(sorted(found, key=sort_key))
    encoders = encoders_for(columns, request.levels)
    outcomes = tuple(
        distinct_names(encoder.outcome_names, f"outcome_names of test {encoder.name!r}") for encoder in encoders
    )
    schema = Schema(names, outcomes, classes, request.prices, Fraction(1), encoders, request.losses)
    facts = _all_weights([survey.weights for survey in surveys if survey.weights is not None])
    scales = _scales(facts, n_rows, schema.loss_table.largest)
    part_rows: Counter[str] = Counter()
    for survey in surveys:
        part_rows[survey.part] += survey.n_rows
    return Plan(request, replace(schema, weight_scale=scales[-1]), part_rows, facts, scales)


def encoded(tables: Iterable[Table], plan: Plan, part: str | None = None) -> Iterator[Shard]:
    """The tables of a part, or of all, as shards; at the end an error unless as many rows came as at first."""
    n_rows = 0
    for table in tables:
        n_rows += len(table)
        yield encode_part(table, plan)
    at_first = plan.n_rows if part is None else plan.part_rows[part]
    if n_rows != at_first:
        place = "" if part is None else f" of {part}"
        raise changed(f"{counted(n_rows, 'row')}{place} came when they were read again, and {at_first:,} at first")


def encode_part(table: Table, plan: Plan) -> Shard:
    """The cases of a part that count; an error where it holds what no survey saw."""
    schema, request = plan.schema, plan.request
    expected = [name for name in (request.target, request.weights, *schema.test_names) if name is not None]
    if gone := [name for name in expected if name not in table.names]:
        raise changed(f"column {gone[0]!r} was there at first, and was gone when the rows were read again")
    labels = _class_positions(_label_column(table, request), schema.class_names)
    units = None
    if request.weights is not None and plan.facts is not None:
        units = _units(_weights(table, request.weights, "the part"), plan.facts, plan.scales)
        rows = np.flatnonzero(units)
        if len(rows) < len(units):
            table, labels, units = table.take(rows), labels[rows], units[rows]
    encoders = schema.encoders or ()
    if any(column.texts is not None for column in table.columns):
        table = as_learned(table, encoders)
    by_name = {column.name: column for column in table.columns}
    codes = side_by_side([_known_codes(encoder, by_name[encoder.name]) for encoder in encoders], len(table))
    if units is not None and bool((units == 1).all()):
        units = None
    return Shard(codes, labels, units, schema.n_outcomes.astype(np.int32), len(schema.class_names))


def _merged_columns(surveys: Sequence[PartSurvey], request: CaseRequest) -> list[ColumnSurvey]:
    """The target and the tests, after all parts; all columns that are mixed are named."""
    found: list[ColumnSurvey] = []
    mixed: list[MixedColumnError] = []
    for columns in zip(*((survey.labels, *survey.tests) for survey in surveys), strict=True):
        try:
            found.append(merged(columns, request.levels.count(columns[0].contents.name)))
        except MixedColumnError as error:
            mixed.append(error)
    if mixed:
        mixed[0].others = tuple(error.name for error in mixed[1:])
        raise mixed[0]
    return found


def _label_column(table: Table, request: CaseRequest) -> Column:
    column = table.column(request.target)
    return replace(column, numbers=None, values=column.labels())


def changed(what: str) -> ValueError:
    """For rows that are not the same when they are read again."""
    return ValueError(
        f"{what}; expected the same rows at every reading. Files must not change meanwhile, and a function or a lazy "
        "frame must give the same rows each time."
    )


def _class_positions(column: Column, classes: Sequence[Any]) -> NDArray[np.int32]:
    labels, place = column.coded(), {value: index for index, value in enumerate(classes)}
    found = np.array([place.get(value, ABSENT) for value in labels.distinct], dtype=np.int32)
    positions = np.asarray(labels.look_up(found, ABSENT), dtype=np.int32)
    _refuse_new(column, positions == ABSENT)
    return positions


def _known_codes(encoder: ColumnEncoder, column: Column) -> NDArray[np.uint8]:
    codes = encoder.encode(column)
    _refuse_new(column, codes == UNSEEN)
    return codes


def _refuse_new(column: Column, is_new: NDArray[np.bool_]) -> None:
    """An error where some rows of a column hold what was not there at first."""
    if is_new.any():
        value = column.take(np.flatnonzero(is_new)[:1]).to_list()[0]
        shown = "a missing value" if is_missing(value) else f"{value!r:.60}"
        raise changed(f"column {column.name!r}: {shown} came when the rows were read again, and not at first")


def _weights(table: Table, name: str, part: str) -> NDArray[np.float64]:
    weights = table.column(name).as_numbers()
    if weights is None:
        raise ValueError(f"weights: column {name!r} holds {table.column(name).dtype} in {part}; expected numbers.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(
            f"weights: row {bad[0]} of {part} has weight {weights[bad[0]]}; weights must be finite and at least 0."
        )
    return weights


def _all_weights(parts: Sequence[WeightFacts]) -> WeightFacts | None:
    if not parts:
        return None
    facts = parts[0]
    for part in parts[1:]:
        facts = facts + part
    if facts.exact_total == 0:
        raise ValueError("weights: every weight is 0; at least one case must count.")
    return facts


def _scales(facts: WeightFacts | None, n_rows: int, largest_loss: int) -> tuple[Fraction, ...]:
    """Units that are exact when multiplied by any loss: weights of many digits get fewer, as in memory."""
    max_total = (LARGEST_EXACT - 1) // max(1, largest_loss)
    scale = Fraction(1) if facts is None else facts.scale()
    total = n_rows if facts is None else facts.total * float(scale)
    if largest_loss <= 1 or total <= max_total:
        return (scale,)
    if facts is None:
        raise ValueError(
            f"losses: the largest is {largest_loss:.4g} times the unit that makes all of them whole, and there are "
            f"{n_rows:,} cases; expected a product below 9e15. Round the losses to fewer digits."
        )
    return (scale, facts.scale(max_total))


def _units(weights: NDArray[np.float64], facts: WeightFacts, scales: tuple[Fraction, ...]) -> NDArray[np.int64]:
    units = facts.units(weights, scales[0])
    return units if len(scales) == 1 else facts.units(units / float(scales[0]), scales[1])
