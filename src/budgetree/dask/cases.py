"""DaskCases: known cases on a cluster, coded once and kept there as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from budgetree.counts import LevelCounter, ShardedCases
from budgetree.counts.shard import class_counts
from budgetree.dask.cluster import find_client, results
from budgetree.dask.kept import KeptShard
from budgetree.dask.levels import DaskLevels
from budgetree.dask.partitions import Partitions, of_frame
from budgetree.problem import LossTable
from budgetree.problem.duplicates import ClassTotals, Unavoidable
from budgetree.problem.raw_rows import Duplicates
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, no_report
from budgetree.services.words import counted
from budgetree.shards.identical import (
    Tally,
    all_unavoidable,
    join,
    merged_shard,
    n_buckets,
    split,
    tally,
    unavoidable,
)
from budgetree.shards.plan import CaseRequest


class DaskCases(ShardedCases):
    """Known cases on a cluster: what grow and frontier count. Make it once where several trees are wanted.

    frame     a Dask data frame
    target    the column that says what each row is
    client    a dask.distributed.Client; by default the one that was made last
    settings  prices, losses, levels and duplicates as in Instance.from_frame; weights: the column that says how much
              each row counts
    """

    def __init__(self, frame: Any, target: Any, *, client: Any = None, **settings: Any) -> None:
        request = CaseRequest.of(target, **settings)
        self._set(find_client(client), of_frame(frame, request.target), request)

    @classmethod
    def of(
        cls, client: Client, partitions: Partitions, request: CaseRequest, report: ProgressReport = no_report
    ) -> DaskCases:
        """From partitions of any kind."""
        made = cls.__new__(cls)
        made._set(client, partitions, request, report)
        return made

    def _set(
        self, client: Client, partitions: Partitions, request: CaseRequest, report: ProgressReport = no_report
    ) -> None:
        report(0, 2, f"levels and categories of {counted(len(partitions.parts), 'partition')}")
        plan, as_text = partitions.plan(client, request)
        report(1, 2, f"coding {plan.n_rows:,} rows")
        schema = plan.schema
        shards = partitions.encode(client, plan, as_text)
        if request.duplicates != "keep":
            buckets = _grouped(client, shards)
            shape = (schema.n_outcomes.astype(np.int32), len(schema.class_names))
            shards = client.map(_merged, buckets, duplicates=request.duplicates, shape=shape, pure=False)
        totals = results(client, client.map(_totals, shards, pure=False))
        counts = np.sum([one.counts for one in totals], axis=0)
        n_cases = sum(one.n_cases for one in totals)
        super().__init__(
            schema,
            plan.n_rows if request.duplicates == "keep" else n_cases,
            ClassTotals(counts, schema.loss_table, n_cases),
            counts_once=all(one.counts_once for one in totals),
        )
        self._client, self._shards = client, shards

    def levels(self, threads: int) -> LevelCounter:
        return DaskLevels(self._client, self._shards)

    def _find_unavoidable(self, clock: Clock | None = None) -> Unavoidable:
        buckets = _grouped(self._client, self._shards, clock)
        lost = self._client.map(_lost, buckets, losses=self.schema.loss_table, pure=False)
        return all_unavoidable(iter(results(self._client, lost, clock)))


class _Totals:
    """Of one shard."""

    def __init__(self, kept: KeptShard) -> None:
        self.counts = class_counts(kept.shards(), kept.n_classes)
        self.n_cases = len(kept)
        self.counts_once = all(shard.weight_units is None for shard in kept.shards())


def _totals(kept: KeptShard) -> _Totals:
    return _Totals(kept)


def _grouped(client: Client, shards: list[Future[KeptShard]], clock: Clock | None = None) -> list[Future[Tally]]:
    """A group-by on the cluster: cases that are alike meet in one bucket."""
    n_bytes = sum(results(client, client.map(_n_bytes, shards, pure=False), clock))
    n_parts = n_buckets(n_bytes)
    pieces = client.map(_pieces, shards, n_parts=n_parts, pure=False)
    by_bucket = [client.map(_piece, pieces, number=number, pure=False) for number in range(n_parts)]
    buckets: list[Future[Tally]] = client.map(join, by_bucket, pure=False)
    return buckets


def _n_bytes(kept: KeptShard) -> int:
    return kept.nbytes


def _pieces(kept: KeptShard, n_parts: int) -> list[Tally]:
    return split(join([tally(shard) for shard in kept.shards()]), n_parts)


def _piece(pieces: list[Tally], number: int) -> Tally:
    return pieces[number]


def _merged(bucket: Tally, duplicates: Duplicates, shape: tuple[NDArray[np.int32], int]) -> KeptShard:
    return KeptShard([merged_shard(bucket, duplicates, *shape)], *shape)


def _lost(bucket: Tally, losses: LossTable) -> Unavoidable:
    return unavoidable(bucket, losses)
