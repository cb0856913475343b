"""The model of a paid set: ridge regression on the columns of its tests, multinomial (logistic for two classes).

Fitted on all known cases, whichever of them come to a node, and judged honestly: the loss of a case is the Brier loss
of the probabilities that the model would give it had it been left out. That takes no refits. Leaving a case out moves
its score of one class, to first order (one Newton step from the fitted model), by

    − h / (1 − p (1 − p) h) · (y − p),    h = zᵀ H⁻¹ z

with z its columns and H the Hessian of that class's block; h times the weight of a case that has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.learn.predictive.sample import Cases
from budgetree.learn.predictive.select import brier
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.tree import Model, Totals
from budgetree.tree.leaves import SCORE_UNIT

MAX_CONTRIBUTING = 20_000  # cases that say what single results contribute; points are too coarse to tell more
CACHE_BYTES = 1 << 28  # of losses; the cheapest thing to forget is all of them

TestSet = tuple[int, ...]  # ascending


class Solver:
    """Fits the models of sets, by the core."""

    def __init__(self, cases: Cases, threads: int = 1) -> None:
        self._threads = threads
        self._ridge = core.Ridge(
            np.ascontiguousarray(cases.codes.T),
            cases.labels.astype(np.int32),
            cases.weights,
            [np.ascontiguousarray(basis.values) for basis in cases.bases],
            cases.n_classes,
        )

    def fit(
        self, sets: Sequence[TestSet], clock: Clock
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float32]] | None:
        """Per set the coefficients (class × column, the intercept first), and set × case the leave-one-out losses.

        None where the clock was over first.
        """
        if clock.is_over:  # the core looks at the clock only now and then
            return None
        with clock.in_core() as limit:
            fitted: tuple[list[NDArray[np.float64]], NDArray[np.float32]] | None
            fitted = self._ridge.fit([list(tests) for tests in sets], self._threads, limit)
        return fitted

    def honest(self, tests: TestSet) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The coefficients, and case × class the probabilities of each case by the model without it."""
        found: tuple[NDArray[np.float64], NDArray[np.float64]] = self._ridge.honest(list(tests))
        return found


class Models:
    """The models of sets of tests and their honest losses, each fitted once."""

    def __init__(self, cases: Cases, clock: Clock, threads: int = 1) -> None:
        self.cases, self.clock, self._solver = cases, clock, Solver(cases, threads)
        self._losses: dict[TestSet, NDArray[np.float32]] = {}
        self._coefficients: dict[TestSet, NDArray[np.float64]] = {}
        self.loss((), Clock(None))  # what there is when the time is over at once

    def losses(self, sets: Iterable[Iterable[int]], clock: Clock | None = None) -> list[NDArray[np.float32]]:
        """Per set, the honest Brier loss of every case; OutOfTimeError where the clock is over first.

        Another clock than usual is for what must be known.
        """
        wanted = [tuple(sorted(tests)) for tests in sets]
        missing = [tests for tests in dict.fromkeys(wanted) if tests not in self._losses]
        if (len(self._losses) + len(missing)) * 4 * self.cases.n_cases > CACHE_BYTES:
            self._losses.clear()
            missing = list(dict.fromkeys(wanted))
        if missing:
            clock = clock or self.clock
            fitted = self._solver.fit(missing, clock)
            if fitted is None:
                clock.end()
                raise OutOfTimeError
            for tests, coefficients, losses in zip(missing, *fitted, strict=True):
                self._coefficients[tests], self._losses[tests] = coefficients, losses
        return [self._losses[tests] for tests in wanted]

    def loss(self, tests: Iterable[int], clock: Clock | None = None) -> NDArray[np.float32]:
        return self.losses([tests], clock)[0]

    def probabilities(self, tests: Iterable[int]) -> NDArray[np.float64]:
        """Case × class: the probabilities of each case by the model without it."""
        wanted = tuple(sorted(tests))
        self._coefficients[wanted], honest = self._solver.honest(wanted)
        if wanted not in self._losses:
            self._losses[wanted] = brier(honest, self.cases.labels).astype(np.float32)
        return honest

    def contributions(self, tests: Sequence[int], cases: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """Per test, what each outcome adds to the log odds of class 1, fitted to the cases at these positions."""
        own, every = self.cases, max(-(-len(cases) // MAX_CONTRIBUTING), 1)
        cases = cases[::every]  # of cases in the canonical order a fair sample
        part = Cases(own.codes[cases], own.labels[cases], own.weights[cases], own.n_classes, own.bases)
        models = self if len(cases) == own.n_cases else Models(part, Clock(None))
        totals = models.model(tests).totals
        of_test = dict(zip(totals.tests, totals.points, strict=True))
        return [of_test[test][:-1, 0] / SCORE_UNIT for test in tests]

    def model(self, tests: Iterable[int]) -> Model:
        """The fitted model of a set, in whole millionths; a result that is not listed counts as the average case.

        Two classes have one score, the log odds of the second.
        """
        wanted = tuple(sorted(tests))
        if wanted not in self._coefficients:
            self.losses([wanted], Clock(None))
        coefficients = self._coefficients[wanted][1 if self.cases.n_classes == 2 else 0 :]
        ends = np.cumsum([1, *(self.cases.bases[test].width for test in wanted)])
        points = [
            _millionths(self.cases.bases[test].values @ coefficients[:, a:b].T)
            for test, (a, b) in zip(wanted, pairwise(ends), strict=True)
        ]
        nothing = np.zeros((1, len(coefficients)), dtype=np.int32)  # columns are centred on the known cases
        tables = tuple(np.vstack([table, nothing]) for table in points)
        return Model(Totals(wanted, tables, _millionths(coefficients[:, 0]).astype(np.int64)))


def _millionths(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    limit = np.iinfo(np.int32).max
    return np.clip(np.rint(scores * SCORE_UNIT), -limit, limit).astype(np.int32)
