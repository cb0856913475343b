"""The model of a paid set: ridge regression on the columns of its tests, multinomial (logistic for two classes).

Fitted on all known cases, whichever of them come to a node, and judged honestly: the loss of a case is the Brier loss
of the probabilities that the model would give it had it been left out. That takes no refits. Leaving a case out moves
its score of one class, to first order (one Newton step from the fitted model), by

    − h / (1 − p (1 − p) h) · (y − p),    h = zᵀ H⁻¹ z

with z its columns and H the Hessian of that class's block. With weights, one case of the weight is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.tree.leaf_models import Basis, Model, softmax

RIDGE = 1.0
INTERCEPT_RIDGE = 0.001
MAX_SWEEPS = 12
MAX_STEP = 2.0
TOLERANCE = 0.03  # a sweep that moves no coefficient by more is the last
MAX_SCORE = 30.0
MIN_CURVATURE = 1e-6  # per case, so that separated classes keep a Hessian
MIN_LEFT = 0.05  # of 1 − p (1 − p) h: a case that determines its own score alone

CACHE_BYTES = 1 << 28  # of losses; the cheapest thing to forget is all of them

TestSet = tuple[int, ...]  # ascending


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The known cases as the models see them; all have a weight above 0."""

    codes: NDArray[np.uint8]  # case × test
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_classes: int
    bases: tuple[Basis, ...]

    @property
    def n_cases(self) -> int:
        return len(self.labels)

    def design(self, tests: Sequence[int]) -> NDArray[np.float64]:
        """The intercept's ones, and the columns of the tests."""
        columns = [self.bases[test].values[self.codes[:, test]] for test in tests]
        return np.hstack([np.ones((self.n_cases, 1)), *columns])


class Solver(Protocol):
    """Fits the models of sets."""

    def fit(
        self, sets: Sequence[TestSet], clock: Clock
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float32]] | None:
        """Per set the coefficients (class × column, the intercept first), and set × case the honest losses.

        None where the clock was over first.
        """

    def honest(self, tests: TestSet) -> NDArray[np.float64]:
        """Case × class: the probabilities of each case by the model without it."""


class PlainSolver:
    """The core's twin in NumPy."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._answers = np.eye(cases.n_classes)[cases.labels]

    def fit(
        self, sets: Sequence[TestSet], clock: Clock
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float32]] | None:
        coefficients, losses = [], np.empty((len(sets), self._cases.n_cases), dtype=np.float32)
        for index, tests in enumerate(sets):
            if clock.is_over:
                return None
            design = self._cases.design(tests)
            fitted = self._solve(design)
            coefficients.append(fitted)
            losses[index] = ((self._leave_out(design, fitted) - self._answers) ** 2).sum(axis=1)
        return coefficients, losses

    def honest(self, tests: TestSet) -> NDArray[np.float64]:
        design = self._cases.design(tests)
        return self._leave_out(design, self._solve(design))

    @property
    def _blocks(self) -> range:
        """The classes with coefficients: of two the second alone, whose score is the log odds."""
        n_classes = self._cases.n_classes
        return range(1 if n_classes == 2 else 0, n_classes)

    def _solve(self, design: NDArray[np.float64]) -> NDArray[np.float64]:
        cases, answers = self._cases, self._answers
        coefficients = np.zeros((cases.n_classes, design.shape[1]))
        prior = np.log(cases.weights @ answers + 0.5) - np.log(cases.weights.sum() + 0.5 * cases.n_classes)
        coefficients[:, 0] = prior if cases.n_classes > 2 else prior - prior[0]
        raised = np.exp(np.tile(coefficients[:, 0], (cases.n_cases, 1)))
        for _ in range(MAX_SWEEPS):
            largest = 0.0
            for label in self._blocks:
                p = raised[:, label] / raised.sum(axis=1)
                gradient = design.T @ (cases.weights * (answers[:, label] - p))
                gradient -= _penalty(design.shape[1]) * coefficients[label]
                step = np.linalg.solve(self._hessian(design, p), gradient)
                moved = float(np.abs(step).max())
                coefficients[label] += step * min(1.0, MAX_STEP / moved) if moved > MAX_STEP else step
                largest = max(largest, moved)
                raised[:, label] = np.exp(np.clip(design @ coefficients[label], -MAX_SCORE, MAX_SCORE))
            if largest < TOLERANCE:
                break
        return coefficients

    def _hessian(self, design: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
        curvature = self._cases.weights * (p * (1 - p) + MIN_CURVATURE)
        return np.asarray((design.T * curvature) @ design + np.diag(_penalty(design.shape[1])))

    def _leave_out(self, design: NDArray[np.float64], coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.clip(design @ coefficients.T, -MAX_SCORE, MAX_SCORE)
        fitted, honest = softmax(scores), scores.copy()
        left_out = np.minimum(self._cases.weights, 1.0)
        for label in self._blocks:
            p = fitted[:, label]
            root = np.linalg.cholesky(self._hessian(design, p))
            h = left_out * (np.linalg.solve(root, design.T) ** 2).sum(axis=0)
            honest[:, label] -= h / np.maximum(1 - p * (1 - p) * h, MIN_LEFT) * (self._answers[:, label] - p)
        return softmax(honest)


def _penalty(n_columns: int) -> NDArray[np.float64]:
    return np.concatenate([[INTERCEPT_RIDGE], np.full(n_columns - 1, RIDGE)])


class NativeSolver:
    """The same by the core."""

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
        if clock.is_over:  # the core looks at the clock only now and then
            return None
        with clock.in_core() as limit:
            fitted: tuple[list[NDArray[np.float64]], NDArray[np.float32]] | None
            fitted = self._ridge.fit([list(tests) for tests in sets], self._threads, limit)
        return fitted

    def honest(self, tests: TestSet) -> NDArray[np.float64]:
        honest: NDArray[np.float64] = self._ridge.honest(list(tests))
        return honest


class Models:
    """The models of sets of tests and their honest losses, each fitted once."""

    def __init__(self, cases: Cases, clock: Clock, threads: int = 1, solver: Solver | None = None) -> None:
        self.cases = cases
        self.clock = clock
        self._solver = solver or NativeSolver(cases, threads)
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

    def model(self, tests: Iterable[int]) -> Model:
        """The fitted model of a set."""
        wanted = tuple(sorted(tests))
        if wanted not in self._coefficients:
            self.losses([wanted], Clock(None))
        coefficients = self._coefficients[wanted]
        ends = np.cumsum([1, *(self.cases.bases[test].width for test in wanted)])
        parts = [np.ascontiguousarray(coefficients[:, a:b].T) for a, b in pairwise(ends)]
        return Model(wanted, coefficients[:, 0].copy(), tuple(parts))
