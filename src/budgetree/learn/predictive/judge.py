"""Judge: how well each set of tests predicts, by forests that judge only cases they were not grown from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.learn.predictive.sample import Sample
from budgetree.services.clock import Clock, OutOfTimeError

N_TREES = 24
N_TREES_LARGE = 12  # beyond LARGE cases, whose losses are steadier
LARGE = 3_000
N_QUICK_TREES = 8  # for a first look at many candidates …
N_QUICK_CASES = 1_500  # … on the first of the cases
MIN_LEAF = 5
MIN_LEAF_OF_ALL = 15  # divided among the tests of a set: a leaf of one test alone holds as many

TestSet = tuple[int, ...]  # ascending


class Judge:
    """Per set of tests the out-of-bag Brier loss of every case, each set judged once."""

    def __init__(self, sample: Sample, clock: Clock, threads: int = 1) -> None:
        self.sample, self.clock, self._threads = sample, clock, threads
        n_outcomes = np.array([basis.n_outcomes for basis in sample.bases], dtype=np.int32)
        is_ordered = np.array([basis.is_ordered for basis in sample.bases], dtype=bool)
        missing = np.array([-1 if basis.missing is None else basis.missing for basis in sample.bases], dtype=np.int32)
        is_plain = bool((sample.weights == 1).all())
        weights = None if is_plain else sample.weights
        self._rows = core.CodedRows(
            sample.codes, sample.labels, weights, n_outcomes, is_ordered, missing, sample.n_classes
        )
        self._judged: dict[TestSet, NDArray[np.float32]] = {}
        self._glanced: dict[TestSet, NDArray[np.float32]] = {}

    @property
    def n_quick(self) -> int:
        """How many cases a first look sees."""
        return min(N_QUICK_CASES, self.sample.n_cases)

    def losses(self, sets: Iterable[Iterable[int]]) -> list[NDArray[np.float32]]:
        """Per set, the loss of every case; OutOfTimeError where the clock is over first."""
        n_trees = N_TREES if self.sample.n_cases <= LARGE else N_TREES_LARGE
        return self._look(sets, self._judged, n_trees, self.sample.n_cases)

    def loss(self, tests: Iterable[int]) -> NDArray[np.float32]:
        return self.losses([tests])[0]

    def glance(self, sets: Iterable[Iterable[int]]) -> list[NDArray[np.float32]]:
        """The same by fewer trees, of the first `n_quick` cases."""
        return self._look(sets, self._glanced, N_QUICK_TREES, self.n_quick)

    def _look(
        self, sets: Iterable[Iterable[int]], known: dict[TestSet, NDArray[np.float32]], n_trees: int, n_cases: int
    ) -> list[NDArray[np.float32]]:
        wanted = [tuple(sorted(map(int, tests))) for tests in sets]
        for size, missing in _by_size(tests for tests in dict.fromkeys(wanted) if tests not in known):
            min_leaf = max(MIN_LEAF, MIN_LEAF_OF_ALL // max(size, 1))
            settings = core.ForestSettings(n_trees=n_trees, min_leaf=min_leaf)
            with self.clock.in_core() as limit:
                found = core.forest_losses(self._rows, missing, settings, n_cases, self._threads, limit)
            if found is None:
                self.clock.end()
                raise OutOfTimeError
            known |= zip(missing, found, strict=True)
        return [known[tests] for tests in wanted]


def _by_size(sets: Iterable[TestSet]) -> Sequence[tuple[int, list[TestSet]]]:
    sizes: dict[int, list[TestSet]] = {}
    for tests in sets:
        sizes.setdefault(len(tests), []).append(tests)
    return list(sizes.items())
