"""CountCache: what trees of one portfolio have counted, by the results that lead to a node; and how long it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import ShardedCases

Path = frozenset[tuple[int, int]]  # of (test, outcome), in whichever order: the cases there are the same


@dataclass(slots=True)
class LevelTimes:
    """What the last two levels took, from their counts to their tests: a pass, and something for each node."""

    _nodes: tuple[int, int] = (0, 0)
    _seconds: tuple[float, float] = (0.0, 0.0)

    def add(self, n_nodes: int, seconds: float) -> None:
        """A level of so many nodes."""
        self._nodes, self._seconds = (self._nodes[1], n_nodes), (self._seconds[1], seconds)

    def expected(self, n_nodes: int) -> float:
        """What the next level may take: on the straight line through both, and no less than the last."""
        (few, many), (before, last) = self._nodes, self._seconds
        slope = max(last - before, 0.0) / (many - few) if many > few else 0.0
        return last + slope * max(n_nodes - many, 0)


class CountCache:
    """Keeps tables of counts as long as there is room; a pass over the shards is what it saves."""

    def __init__(self, max_bytes: int) -> None:
        self._room = max_bytes
        self._known: dict[Path, NDArray[np.int64]] = {}
        self.times = LevelTimes()

    def get(self, path: Path) -> NDArray[np.int64] | None:
        return self._known.get(path)

    def put(self, path: Path, counts: NDArray[np.int64]) -> None:
        if path not in self._known and counts.nbytes <= self._room:
            self._known[path] = counts.copy()
            self._room -= counts.nbytes


_caches: WeakKeyDictionary[Any, CountCache] = WeakKeyDictionary()


def cache_of(cases: ShardedCases, max_bytes: int) -> CountCache:
    """One for all trees of the same cases, whatever their prices and class weights."""
    return _caches.setdefault(cases.origin, CountCache(max_bytes))
