"""Partitions: parts of a raw table that workers read, whoever made them: a Dask frame, arrays, or files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import dask.array
import dask.dataframe
import narwhals.stable.v2 as nw
import numpy as np
from dask.delayed import Delayed, delayed
from distributed import Client, Future

from budgetree.dask.cluster import results
from budgetree.dask.kept import KeptShard
from budgetree.data.column import Coded, Column
from budgetree.data.frames import code_series, read_array, read_frame
from budgetree.data.profile import MixedColumnError
from budgetree.data.table import Table
from budgetree.services.words import counted
from budgetree.shards.plan import CaseRequest, PartSurvey, Plan, encoded, plan_for, survey_part

Load = Callable[[Any, Collection[str]], Iterable[Table]]  # a partition in one table or more, some columns as text


@dataclass(frozen=True, slots=True, eq=False)
class Partitions:
    """What to read, and how; both are sent to workers."""

    parts: Sequence[Any]  # delayed frames, or descriptions of files
    load: Load
    has_texts: bool = False  # cells are written as text, so that 5 may be a word

    def plan(self, client: Client, request: CaseRequest) -> tuple[Plan, tuple[str, ...]]:
        """Levels, categories and classes from one pass over all partitions."""
        as_text: tuple[str, ...] = ()
        while True:
            survey = delayed(_survey, pure=False)
            tasks = [survey(part, self.load, as_text, request, _name(number)) for number, part in enumerate(self.parts)]
            try:
                return plan_for(_without_errors(results(client, client.compute(tasks))), request), as_text
            except MixedColumnError as error:
                if not self.has_texts or error.name in as_text:
                    raise
                as_text = (*as_text, error.name, *error.others)

    def encode(self, client: Client, plan: Plan, as_text: tuple[str, ...]) -> list[Future[KeptShard]]:
        """The shard of each partition, on the cluster."""
        encode = delayed(_encode, pure=False)
        shared = delayed(plan)
        tasks = [encode(part, self.load, as_text, shared, _name(number)) for number, part in enumerate(self.parts)]
        futures: list[Future[KeptShard]] = client.compute(tasks)
        return futures


def of_frame(frame: Any, target: str) -> Partitions:
    """The partitions of a Dask frame."""
    if not isinstance(frame, dask.dataframe.DataFrame):
        raise ValueError(
            f"frame is a {type(frame).__module__.partition('.')[0]} {type(frame).__name__}; expected a "
            "dask.dataframe.DataFrame. For a table in memory there is budgetree.grow(Instance.from_frame(…)); "
            "dask.dataframe.from_pandas splits one."
        )
    return Partitions(frame.to_delayed(), partial(_load_frame, target))


def of_columns(X: Any, y: Any, weights: Any, names: ColumnNames) -> Partitions:  # noqa: N803
    """Rows, their labels and weights in collections of the same partitions, as scikit-learn has them."""
    given = {"X": X, "y": y} if weights is None else {"X": X, "y": y, "sample_weight": weights}
    is_dask = {what: isinstance(part, (dask.dataframe.DataFrame, dask.dataframe.Series, dask.array.Array))
               for what, part in given.items()}  # fmt: skip
    if not all(is_dask.values()):
        local = [f"{what} ({type(given[what]).__name__})" for what, is_there in is_dask.items() if not is_there]
        raise ValueError(
            f"{', '.join(local)}: local, where Dask collections are expected; X, y and sample_weight must all be Dask "
            "frames, series or arrays. For data in memory there is BudgetTreeClassifier."
        )
    if X.ndim != 2:
        raise ValueError(
            f"X has {counted(X.ndim, 'dimension')}; expected a row per case and a column per test. For a single test: "
            "frame[['test']], or array.reshape(-1, 1)."
        )
    pieces = {what: row_parts(part, what) for what, part in given.items()}
    n_parts = {what: len(parts) for what, parts in pieces.items()}
    if len(set(n_parts.values())) > 1:
        found = ", ".join(f"{what} has {count}" for what, count in n_parts.items())
        raise ValueError(
            f"partitions: {found}; expected the same rows in the same partitions. Repartition one of them."
        )
    rows = list(zip(*pieces.values(), strict=True))
    return Partitions(rows, partial(_load_columns, names))


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """What labels and weights are called in a table, beside the columns of X."""

    target: str
    weights: str


def row_parts(collection: Any, what: str) -> list[Delayed]:
    """The partitions of a frame or a series, the blocks of rows of an array."""
    if not isinstance(collection, dask.array.Array):
        return list(collection.to_delayed())
    if collection.ndim == 2 and collection.numblocks[1] > 1:
        raise ValueError(
            f"{what}: its columns are in {collection.numblocks[1]} chunks; expected all columns in one, which "
            ".rechunk({1: -1}) does."
        )
    return list(collection.to_delayed().ravel())


def table_of(rows: Any) -> Table:
    """A partition of X."""
    return read_frame(rows) if nw.dependencies.is_into_dataframe(rows) else read_array(np.asarray(rows))


def _load_frame(target: str, frame: Any, as_text: Collection[str]) -> list[Table]:
    return [read_frame(frame, target)]


def _load_columns(names: ColumnNames, rows: tuple[Any, ...], as_text: Collection[str]) -> list[Table]:
    table = table_of(rows[0])
    columns = [Column(names.target, "labels", values=label_codes(rows[1]))]
    if len(rows) > 2:
        columns.append(Column(names.weights, "weights", numbers=np.asarray(rows[2], dtype=np.float64).ravel()))
    for column in columns:
        if len(column) != len(table):
            raise ValueError(
                f"partitions: {len(column)} {column.dtype} for {len(table)} rows of X; expected the same rows in the "
                "same partitions."
            )
    return [replace(table, columns=(*table.columns, *columns))]


def label_codes(labels: Any) -> Coded:
    """The labels of a partition, each different one once."""
    array = np.asarray(labels)
    if array.dtype.kind in "iub":
        distinct, positions = np.unique(array.ravel(), return_inverse=True)
        return Coded.of_distinct(distinct.tolist(), positions.astype(np.int32))
    return code_series(labels) if hasattr(labels, "to_list") else Coded.of(array.ravel().tolist())


def _survey(part: Any, load: Load, as_text: tuple[str, ...], request: CaseRequest, name: str) -> list[PartSurvey] | str:
    try:
        return [survey_part(table, request, name) for table in load(part, as_text)]
    except ValueError as error:  # a worker would print all the way to it
        return str(error)


def _without_errors(found: Sequence[list[PartSurvey] | str]) -> list[PartSurvey]:
    """The surveys of all partitions, or the error of the first that has one."""
    for survey in found:
        if isinstance(survey, str):
            raise ValueError(survey)
    return [survey for surveys in found for survey in surveys if isinstance(survey, PartSurvey)]


def _name(number: int) -> str:
    """What a partition is called in messages."""
    return f"partition {number}"


def _encode(part: Any, load: Load, as_text: tuple[str, ...], plan: Plan, name: str) -> KeptShard:
    shards = encoded(load(part, as_text), plan, name)
    return KeptShard(shards, plan.schema.n_outcomes.astype(np.int32), len(plan.schema.class_names))
