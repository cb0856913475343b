"""CountCache: what trees of one portfolio have counted, by the results that lead to a node."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import ShardedCases

Path = frozenset[tuple[int, int]]  # of (test, outcome), in whichever order: the cases there are the same


class CountCache:
    """Keeps tables of counts as long as there is room; a pass over the shards is what it saves."""

    def __init__(self, max_bytes: int) -> None:
        self._room = max_bytes
        self._known: dict[Path, NDArray[np.int64]] = {}

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
