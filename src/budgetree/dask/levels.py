"""Levels on a cluster: per partition and level a task moves its cases and a task counts them; a tree of tasks adds.

    shard 0 ─ places ─► places' ─► counts ─┐
    shard 1 ─ places ─► places' ─► counts ─┼─► sum ─┐
    shard 2 ─ places ─► places' ─► counts ─┘        ├─► sum ─► the driver
    …                                       … sum ──┘

Places are outputs of tasks, so what a dead worker held is computed again from its partition, and the tree stays the
same. They are apart from the counts because they stay on their worker while the counts travel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from budgetree.counts import Step
from budgetree.counts.shard import Counts
from budgetree.dask.cluster import result
from budgetree.dask.kept import KeptShard, narrowed

FAN_IN = 8  # tables that one task adds up


class DaskLevels:
    """Counts shards that are futures."""

    def __init__(self, client: Client, shards: list[Future[KeptShard]]) -> None:
        self._client, self._shards = client, shards

    def start(self) -> list[None]:
        return [None] * len(self._shards)

    def advance(self, places: list[Any], step: Step) -> tuple[NDArray[np.int64], list[Any]]:
        client = self._client
        # A task that holds the step, since what is scattered is lost with its worker.
        shared = client.submit(_itself, step, pure=False)
        moved = places
        if step.moves or places[0] is None:
            moved = client.map(KeptShard.move, self._shards, places, step=shared, pure=False)
        # Before the moves of other shards: what was read for the move is still in memory then.
        tables: list[Any] = client.map(KeptShard.count, self._shards, moved, step=shared, pure=False, priority=1)
        while len(tables) > 1:
            groups = [tables[first : first + FAN_IN] for first in range(0, len(tables), FAN_IN)]
            tables = client.map(narrowed, groups, pure=False)
        total: Counts = result(client, tables[0])
        return total.astype(np.int64), moved


def _itself(step: Step) -> Step:
    return step
