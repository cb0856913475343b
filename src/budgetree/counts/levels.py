"""Levels: all nodes of a tree's level are counted in one pass over shards, wherever these are."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree.counts.shard import Shard, Step, add, count, move


class LevelCounter(Protocol):
    """Maps `move` and `count` over shards, and adds the counts. Places are opaque: an array per shard, somewhere."""

    def start(self) -> Any:
        """All cases at place 0."""

    def advance(self, places: Any, step: Step) -> tuple[NDArray[np.int64], Any]:
        """The counts of all shards together, and the new places; the old ones may be asked again."""


class LocalLevels:
    """Counts shards of this machine, one per thread at a time."""

    def __init__(self, shards: Sequence[Shard], threads: int) -> None:
        self._shards = shards
        self._threads = max(1, min(threads, len(shards)))

    def start(self) -> list[NDArray[np.int32] | None]:
        return [None] * len(self._shards)

    def advance(
        self, places: list[NDArray[np.int32] | None], step: Step
    ) -> tuple[NDArray[np.int64], list[NDArray[np.int32] | None]]:
        after: list[NDArray[np.int32] | None] = [None] * len(self._shards)

        def every(first: int) -> NDArray[np.int64]:
            """This shard, and every so many after it: each thread adds up its own."""
            counts: NDArray[np.int64] | None = None
            for number in range(first, len(self._shards), self._threads):
                shard = self._shards[number]
                moved = after[number] = move(shard, places[number], step)
                found = count(shard, moved, step)
                counts = add([found]) if counts is None else np.add(counts, found, out=counts)
            assert counts is not None
            return counts

        if self._threads == 1:
            return every(0), after
        with ThreadPoolExecutor(self._threads) as pool:
            return add(list(pool.map(every, range(self._threads)))), after
