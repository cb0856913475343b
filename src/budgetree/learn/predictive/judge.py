"""Judge: how well each set of tests predicts, by models that judge only cases they were not fitted to.

Forests see how results interact, and additive models make more of few cases; where there are few, the mean of both
losses is steadier than either.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.learn.predictive.basis import FEW_VALUES, Basis
from budgetree.learn.predictive.ridge import Models, TestSet
from budgetree.learn.predictive.sample import Sample, Seen
from budgetree.services.clock import Clock, OutOfTimeError

N_TREES = 48
N_TREES_LARGE = 12  # beyond FEW_CASES, whose losses are steadier
FEW_CASES = 3_000
N_QUICK_TREES = 8  # for a first look at many candidates …
N_QUICK_CASES = 1_500  # … on the first of the cases
MAX_SCOUTS = 3_000  # cases that say where it is worth stopping
N_BINS = 64
MIN_LEAF = 5
MIN_LEAF_OF_ALL = 15  # divided among the tests of a set: a leaf of one test alone holds as many


class Judge:
    """Per set of tests the out-of-bag Brier loss of every case, each set judged once."""

    def __init__(self, sample: Sample, clock: Clock, threads: int = 1) -> None:
        self.sample, self.clock, self._threads = sample, Clock(None), threads
        self._n_trees = N_TREES if self.is_small else N_TREES_LARGE
        self.n_quick = min(N_QUICK_CASES, sample.n_cases)  # cases that a first look sees
        self.n_scouts = min(MAX_SCOUTS, sample.n_cases)  # cases that have probabilities
        self._rows = sample.in_core(_binned)
        self._additive = Models(sample, Clock(None), threads) if self.is_small else None
        self._judged: dict[TestSet, NDArray[np.float32]] = {}
        self._glanced: dict[TestSet, NDArray[np.float32]] = {}
        self._thought: dict[TestSet, NDArray[np.float64]] = {}
        self.loss(())  # what there is when the time is over at once
        self.clock = clock

    @property
    def is_small(self) -> bool:
        return self.sample.n_cases <= FEW_CASES

    def losses(self, sets: Iterable[Iterable[int]]) -> list[NDArray[np.float32]]:
        """Per set, the loss of every case; OutOfTimeError where the clock is over first."""
        return self._look(sets, self._judged, self._n_trees, self.sample.n_cases)

    def loss(self, tests: Iterable[int]) -> NDArray[np.float32]:
        return self.losses([tests])[0]

    def glance(self, sets: Iterable[Iterable[int]]) -> list[NDArray[np.float32]]:
        """The same by fewer trees, of the first `n_quick` cases."""
        return self._look(sets, self._glanced, N_QUICK_TREES, self.n_quick)

    def probabilities(self, tests: Iterable[int]) -> NDArray[np.float64]:
        """Case × class: the probabilities of each of the first `n_scouts` cases by models not fitted to it."""
        wanted = tuple(sorted(map(int, tests)))
        if wanted not in self._thought:
            with Clock(None).in_core() as limit:
                settings = _forest_settings(self._n_trees, len(wanted))
                found = core.forest_probabilities(self._rows, wanted, settings, self.n_scouts, limit)
            assert found is not None
            honest = np.asarray(found, dtype=np.float64)
            additive = honest if self._additive is None else self._additive.probabilities(wanted)
            self._thought[wanted] = (honest + additive) / 2
        return self._thought[wanted]

    def _look(
        self, sets: Iterable[Iterable[int]], known: dict[TestSet, NDArray[np.float32]], n_trees: int, n_cases: int
    ) -> list[NDArray[np.float32]]:
        wanted = [tuple(sorted(map(int, tests))) for tests in sets]
        unknown = sorted((tests for tests in dict.fromkeys(wanted) if tests not in known), key=len)
        for size, of_size in groupby(unknown, key=len):
            missing, settings = list(of_size), _forest_settings(n_trees, size)
            if self.clock.is_over:  # the core looks at the clock only now and then
                raise OutOfTimeError
            with self.clock.in_core() as limit:
                found = core.forest_losses(self._rows, missing, settings, n_cases, self._threads, limit)
            if found is None:
                self.clock.end()
                raise OutOfTimeError
            if self._additive is not None and n_cases == self.sample.n_cases:
                found = (found + np.array(self._additive.losses(missing, self.clock))) / 2
            known |= zip(missing, found, strict=True)
        return [known[tests] for tests in wanted]


def _forest_settings(n_trees: int, n_tests: int) -> Any:
    return core.ForestSettings(n_trees=n_trees, min_leaf=max(MIN_LEAF, MIN_LEAF_OF_ALL // max(n_tests, 1)))


def _binned(codes: NDArray[np.uint8], basis: Basis) -> Seen:
    """What forests see of a test.

    A random cut between numbers should leave a share of the cases on either side, so many of them are binned by rank.
    """
    n_values = basis.n_outcomes if basis.missing is None else basis.missing
    cases = np.bincount(codes, minlength=basis.n_outcomes)[:n_values]
    missing = -1 if basis.missing is None else basis.missing
    if not basis.is_ordered or (cases > 0).sum() <= FEW_VALUES:
        return codes, basis.n_outcomes, basis.is_ordered, missing
    rank = (np.cumsum(cases) - cases / 2) / cases.sum()
    _, bins = np.unique(np.floor(rank * N_BINS), return_inverse=True)
    n_bins = int(bins[-1]) + 1
    own = np.append(bins, n_bins).astype(np.uint8)  # the missing one is the last
    return own[np.minimum(codes, n_values)], n_bins + (missing >= 0), True, n_bins if missing >= 0 else -1
