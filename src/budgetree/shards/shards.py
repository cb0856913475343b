"""Shards: known cases as byte codes on disk, mapped into memory while they are counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from budgetree.counts import LevelCounter, LocalLevels, Shard, ShardedCases
from budgetree.problem import Schema
from budgetree.problem.class_order import ClassTotals, Unavoidable


def class_counts(shards: Sequence[Shard], n_classes: int) -> np.ndarray:
    counts = np.zeros(n_classes, dtype=np.int64)
    for shard in shards:
        np.add.at(counts, shard.labels, 1 if shard.weight_units is None else shard.weight_units)
    return counts


class Shards(ShardedCases):
    def __init__(self, schema: Schema, shards: Sequence[Shard], n_objects: int) -> None:
        totals = ClassTotals(class_counts(shards, len(schema.class_names)), schema.loss_table, sum(map(len, shards)))
        super().__init__(schema, n_objects, totals, counts_once=all(s.weight_units is None for s in shards))
        self._shards = shards

    def levels(self, threads: int) -> LevelCounter:
        return LocalLevels(self._shards, threads)

    def _find_unavoidable(self) -> Unavoidable:
        raise NotImplementedError
