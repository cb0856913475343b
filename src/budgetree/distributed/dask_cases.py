"""DaskCases: known cases on a cluster, coded once and persisted there; the same functions move and count them.

    partition 0 ─ positions ─► positions' ─► counts ─┐
    partition 1 ─ positions ─► positions' ─► counts ─┼─► sum ─┐
    partition 2 ─ positions ─► positions' ─► counts ─┘        ├─► sum ─► the driver
    …                                           … sum ──┘

Positions are outputs of tasks, so what a dead worker held is computed again from its partition, and the tree stays the
same. They are apart from the counts because they stay on their worker while the counts are sent.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any
from weakref import finalize

import dask.array
import dask.dataframe
import numpy as np
from dask.delayed import Delayed, delayed
from distributed import Client, Future, get_worker
from numpy.typing import NDArray

from budgetree.distributed.cases import DistributedCases, Engine
from budgetree.distributed.dask_client import find_client, results
from budgetree.distributed.drawn import HASH_BYTES, NO_HASHES, Draw, range_ends
from budgetree.distributed.partition import (
    SIZES,
    Counts,
    Partition,
    Sizes,
    Step,
    Tally,
    class_counts,
    count,
    join,
    lost_in_bucket,
    merged,
    move,
    n_buckets,
    narrowed,
    shape_of,
    split,
    tally,
)
from budgetree.distributed.prepare import (
    CaseRequest,
    DrawnPart,
    Load,
    Parts,
    PartSurvey,
    Plan,
    encoded,
    find_plan,
    gathered,
    load_columns,
    load_frame,
    survey_part,
)
from budgetree.distributed.store import read_partitions, write_partitions
from budgetree.errors import SettingError, Where
from budgetree.problem import drawing
from budgetree.problem.duplicates import ClassTotals, Unavoidable
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, no_report
from budgetree.services.words import counted

SHOWN_OF_SIZE = 8  # what Dask is shown is a part of the size: see PersistedPartition.__sizeof__


class DaskCases(DistributedCases):
    """Known cases on a cluster: what grow and frontier count. Make it once where several trees are wanted.

    frame     a Dask data frame
    target    the column that says what each row is
    client    a dask.distributed.Client; by default the one that was made last
    settings  prices, losses, levels, binning, duplicates as in Instance.from_frame; weights: the column that says how
              much each row counts
    """

    def __init__(self, frame: Any, target: Any, *, client: Any = None, **settings: Any) -> None:
        request = CaseRequest.of(target, **settings)
        self._set(find_client(client), parts_of_dask_frame(frame, request.target), request)

    @classmethod
    def of(cls, client: Client, parts: Parts, request: CaseRequest, report: ProgressReport = no_report) -> DaskCases:
        made = cls.__new__(cls)
        made._set(client, parts, request, report)
        return made

    def _set(self, client: Client, parts: Parts, request: CaseRequest, report: ProgressReport = no_report) -> None:
        every = [(part, parts.where(number)) for number, part in enumerate(parts.parts())]
        report(0, 2, f"levels and categories of {counted(len(every), 'partition')}")
        surveyed: list[Future[Any]] = []

        def survey(as_text: tuple[str, ...]) -> list[PartSurvey]:
            task = delayed(_survey, pure=False)
            tasks = [task(part, parts.load, as_text, request, where) for part, where in every]
            nonlocal surveyed
            surveyed = client.compute(tasks)
            found = results(client, client.map(itemgetter(0), surveyed, pure=False))
            for error in found:
                if isinstance(error, ValueError):
                    raise error
            return list(chain.from_iterable(found))

        plan = find_plan(parts, request, survey)
        if plan.n_rows > drawing.MAX_ROWS:
            plan = replace(plan, draw=_draw(client, surveyed, plan.n_rows, request.sizes))
        del surveyed
        report(1, 2, f"coding {plan.n_rows:,} rows")
        schema, shared, encode = plan.schema, delayed(plan), delayed(_encode, pure=False)
        both = client.compute([encode(part, parts.load, shared, where) for part, where in every])
        partitions = client.map(itemgetter(0), both, pure=False)
        rows = gathered(list(chain.from_iterable(results(client, client.map(itemgetter(1), both, pure=False)))), plan)
        if request.duplicates == "merge":
            buckets, shape = _bucketed(client, partitions, request.sizes), shape_of(schema)
            partitions = client.map(lambda one: PersistedPartition([merged(one, *shape)], *shape), buckets, pure=False)
        facts = results(client, client.map(_facts, partitions, pure=False))
        counts, n_cases, once = zip(*facts, strict=True)
        totals = ClassTotals(np.sum(counts, axis=0), schema.loss_table, sum(n_cases))
        n_objects = plan.n_rows if request.duplicates == "keep" else totals.n_cases
        drawn = partial(rows.instance, schema, plan.numbers, request.levels)
        super().__init__(schema, n_objects, totals, counts_once=all(once), drawn=drawn, sizes=request.sizes)
        self._client, self._partitions = client, partitions

    def engine(self, threads: int) -> Engine:
        return DaskEngine(self._client, self._partitions, self.sizes.fan_in)

    def _lost(self, clock: Clock | None) -> list[Unavoidable]:
        buckets = _bucketed(self._client, self._partitions, self.sizes, clock)
        lost = self._client.map(lost_in_bucket, buckets, losses=self.schema.loss_table, pure=False)
        return results(self._client, lost, clock)


class DaskEngine:
    """Counts partitions that are futures: per partition a task moves and a task counts, and a tree of tasks adds."""

    def __init__(self, client: Client, partitions: list[Future[Any]], fan_in: int = 8) -> None:
        self._client, self._partitions, self._fan_in = client, partitions, fan_in

    def start(self) -> list[None]:
        return [None] * len(self._partitions)

    def advance(self, positions: list[Any], step: Step) -> tuple[NDArray[np.int64], list[Any]]:
        client, moved = self._client, positions
        # A task that holds the step, since what is scattered is lost with its worker.
        shared = client.submit(lambda: step, pure=False)
        if step.moves or positions[0] is None:
            moved = client.map(move, self._partitions, positions, step=shared, pure=False)
        # Before the moves of other partitions: what was read for the move is still in memory then.
        tables: list[Any] = client.map(count, self._partitions, moved, step=shared, pure=False, priority=1)
        while len(tables) > 1:
            groups = [tables[first : first + self._fan_in] for first in range(0, len(tables), self._fan_in)]
            tables = client.map(narrowed, groups, pure=False)
        total: Counts = results(client, tables)[0]
        return total.astype(np.int64), moved


class PersistedPartition:
    """Cases in a folder of their worker, which ends with this object or with the worker's folder.

    Codes never change. Were they values in memory, Dask would write what does not fit to disk, and write it again
    whenever it had been read; files are written once, and stay in memory as long as the system has memory for them.
    """

    def __init__(
        self, partitions: Iterable[Partition], n_outcomes: NDArray[np.int32], n_classes: int, sizes: Sizes = SIZES
    ) -> None:
        self.n_outcomes, self.n_classes, self._sizes = n_outcomes, n_classes, sizes
        self._folder = Path(tempfile.mkdtemp(prefix="budgetree-", dir=_workers_folder()))
        finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        try:
            self._n_cases = write_partitions(self._folder, partitions, sizes)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            reason = (
                "the codes of a partition could not be written; free some of the worker's disk, or give workers "
                "another folder (`dask worker --local-directory`, or temporary-directory in Dask's settings)"
            )
            raise OSError(errno.ENOSPC, reason, str(self._folder)) from error
        self.nbytes = sum(file.stat().st_size for file in self._folder.iterdir())

    def __len__(self) -> int:
        return self._n_cases

    def __sizeof__(self) -> int:
        """What Dask weighs. Moving the cases costs their size, so tasks should go to them; but they take none of the
        worker's memory, and must not make it write other things to disk."""
        return self.nbytes // SHOWN_OF_SIZE

    def __reduce__(self) -> tuple[Callable[..., PersistedPartition], tuple[Any, ...]]:
        """On another worker the cases are written again; files are seen by their own machine alone."""
        return PersistedPartition, (list(self.windows()), self.n_outcomes, self.n_classes, self._sizes)

    def windows(self) -> Iterator[Partition]:
        """All cases, some of them at a time, so that a large partition is never in memory as a whole."""
        if not self._n_cases:
            empty = np.empty((0, len(self.n_outcomes)), dtype=np.uint8)
            yield Partition(empty, np.empty(0, dtype=np.int32), None, self.n_outcomes, self.n_classes)
        yield from read_partitions(self._folder, self.n_outcomes, self.n_classes, are_checked=True)


def parts_of_dask_frame(frame: Any, target: str) -> Parts:
    if not isinstance(frame, dask.dataframe.DataFrame):
        message = (
            f"frame is a {type(frame).__module__.partition('.')[0]} {type(frame).__name__}; expected a "
            "dask.dataframe.DataFrame. For a table in memory there is budgetree.grow(Instance.from_frame(…)); "
            "dask.dataframe.from_pandas splits one."
        )
        raise SettingError(message, subject="frame", found=frame)
    return Parts(frame.to_delayed, partial(load_frame, target), _partition)


def parts_of_columns(X: Any, y: Any, weights: Any, names: tuple[str, str]) -> Parts:  # noqa: N803
    """Rows, their labels and weights in collections of the same partitions, as scikit-learn has them.

    The names are those of labels and weights in a table, beside the columns of X.
    """
    given = {"X": X, "y": y} if weights is None else {"X": X, "y": y, "sample_weight": weights}
    collections = (dask.dataframe.DataFrame, dask.dataframe.Series, dask.array.Array)
    local = tuple(what for what, part in given.items() if not isinstance(part, collections))
    if local:
        message = (
            f"{', '.join(f'{what} ({type(given[what]).__name__})' for what in local)}: local, where Dask collections "
            "are expected; X, y and sample_weight must all be Dask frames, series or arrays. For data in memory there "
            "is OptimalBudgetTreeClassifier."
        )
        raise SettingError(message, subject=local[0], found=local)
    if X.ndim != 2:
        message = (
            f"X has {counted(X.ndim, 'dimension')}; expected a row per case and a column per test. For a single test: "
            "frame[['test']], or array.reshape(-1, 1)."
        )
        raise SettingError(message, subject="X", found=X.ndim, expected=2)
    pieces = {what: row_parts(part, what) for what, part in given.items()}
    n_parts = {what: len(parts) for what, parts in pieces.items()}
    if len(set(n_parts.values())) > 1:
        found = ", ".join(f"{what} has {count}" for what, count in n_parts.items())
        message = f"partitions: {found}; expected the same rows in the same partitions. Repartition one of them."
        raise SettingError(message, subject="partitions", found=n_parts)
    rows = list(zip(*pieces.values(), strict=True))
    return Parts(lambda: rows, partial(load_columns, *names), _partition)


def row_parts(collection: Any, what: str) -> list[Delayed]:
    """The partitions of a frame or a series, the blocks of rows of an array."""
    if not isinstance(collection, dask.array.Array):
        return list(collection.to_delayed())
    n_chunks = collection.numblocks[1] if collection.ndim == 2 else 1
    if n_chunks > 1:
        message = f"{what}: its columns are in {n_chunks} chunks; expected all in one, which .rechunk({{1: -1}}) does."
        raise SettingError(message, subject=what, found=n_chunks, expected=1)
    return list(collection.to_delayed().ravel())


def _partition(number: int) -> Where:
    return Where(f"partition {number}")


def _survey(
    part: Any, load: Load, as_text: Collection[str], request: CaseRequest, where: Where
) -> tuple[list[PartSurvey] | ValueError, NDArray[np.uint64]]:
    """What the driver must know, and the hashes of the rows, which stay."""
    try:
        found = [survey_part(table, request, where) for table in load(part, as_text)]
    except ValueError as error:  # as a value: a worker prints the way to what is raised
        return error, NO_HASHES
    hashes = np.sort(np.concatenate([NO_HASHES, *(one.hashes for one in found)]))
    return [replace(one, hashes=NO_HASHES) for one in found], hashes


def _encode(part: Any, load: Load, plan: Plan, where: Where) -> tuple[PersistedPartition, list[DrawnPart]]:
    drawn: list[DrawnPart] = []
    partitions = encoded(load(part, plan.as_text), plan, where, drawn)
    return PersistedPartition(partitions, *shape_of(plan.schema), plan.request.sizes), drawn


def _draw(client: Client, surveyed: list[Future[Any]], n_rows: int, sizes: Sizes) -> Draw:
    """Which rows are drawn: equal ones are counted together, range by range of their hashes."""
    n_parts, share = n_buckets(n_rows * HASH_BYTES, sizes.bucket_bytes), drawing.share_to_draw(n_rows)
    by_range = _regrouped(client, surveyed, lambda of: np.split(of[1], range_ends(of[1], n_parts)[:-1]), n_parts)
    draws = client.map(lambda hashes: Draw.of(np.concatenate(hashes), share), by_range, pure=False)
    return Draw.joined(results(client, draws))


def _regrouped(
    client: Client, futures: list[Future[Any]], divide: Callable[[Any], list[Any]], n_groups: int
) -> list[list[Future[Any]]]:
    """Per group, the piece of it that each of the futures has."""
    pieces = client.map(divide, futures, pure=False)
    return [client.map(itemgetter(number), pieces, pure=False) for number in range(n_groups)]


def _bucketed(
    client: Client, partitions: list[Future[Any]], sizes: Sizes, clock: Clock | None = None
) -> list[Future[Tally]]:
    """A group-by on the cluster: duplicates meet in one bucket."""
    n_bytes = results(client, client.map(attrgetter("nbytes"), partitions, pure=False), clock)
    n_parts = n_buckets(sum(n_bytes), sizes.bucket_bytes)
    by_bucket = _regrouped(client, partitions, lambda partition: split(tally(partition), n_parts), n_parts)
    buckets: list[Future[Tally]] = client.map(join, by_bucket, pure=False)
    return buckets


def _facts(partition: PersistedPartition) -> tuple[NDArray[np.int64], int, bool]:
    counts_once = all(window.weight_units is None for window in partition.windows())
    return class_counts([partition], partition.n_classes), len(partition), counts_once


def _workers_folder() -> str | None:
    """Where the worker keeps what it writes, which Dask deletes also after a worker that was killed."""
    try:
        return str(get_worker().local_directory)
    except ValueError:  # this thread is not a worker's
        folder: str | None = dask.config.get("temporary-directory", None)
        return folder
