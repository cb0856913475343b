"""Engine: one pass counts all nodes of a tree's level, over partitions that lie anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed.partition import AnyPartition, Positions, Step, add, count, move


class Engine(Protocol):
    """Maps `move` and `count` over partitions, and adds the counts; positions are opaque, an array per partition."""

    def start(self) -> Any:
        """All cases at position 0."""

    def advance(self, positions: Any, step: Step) -> tuple[NDArray[np.int64], Any]:
        """The counts of all partitions together, and the new positions; the old ones may be asked again."""


class LocalEngine:
    """Counts partitions of this machine, one per thread at a time."""

    def __init__(self, partitions: Sequence[AnyPartition], threads: int) -> None:
        self._partitions = partitions
        self._threads = max(1, min(threads, len(partitions)))

    def start(self) -> list[Positions | None]:
        return [None] * len(self._partitions)

    def advance(
        self, positions: Sequence[Positions | None], step: Step
    ) -> tuple[NDArray[np.int64], list[Positions | None]]:
        after = self.start()

        def count_one(number: int) -> Any:
            moved = after[number] = move(self._partitions[number], positions[number], step)
            return count(self._partitions[number], moved, step)

        def count_every(first: int) -> NDArray[np.int64]:
            """This partition, and every so many after it: each thread adds up its own."""
            return add(map(count_one, range(first, len(self._partitions), self._threads)))

        if self._threads == 1:
            return count_every(0), after
        with ThreadPoolExecutor(self._threads) as pool:
            return add(pool.map(count_every, range(self._threads))), after
