"""The core's ridge regression in NumPy: coefficients, and each case judged by the model without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.ridge import TestSet
from budgetree.learn.predictive.sample import Cases
from budgetree.services.clock import Clock

RIDGE = 1.0
INTERCEPT_RIDGE = 0.001
MAX_SWEEPS = 12
MAX_STEP = 2.0
TOLERANCE = 0.03  # a sweep that moves no coefficient by more is the last
MAX_SCORE = 30.0
MIN_CURVATURE = 1e-6  # per case, so that separated classes keep a Hessian
MIN_LEFT = 0.05  # of 1 − p (1 − p) h: a case that determines its own score alone


def design_of(cases: Cases, tests: Sequence[int]) -> NDArray[np.float64]:
    """The intercept's ones, and the columns of the tests."""
    columns = [cases.bases[test].values[cases.codes[:, test]] for test in tests]
    return np.hstack([np.ones((cases.n_cases, 1)), *columns])


class ReferenceSolver:
    """Fits and judges one set after another."""

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
            design = design_of(self._cases, tests)
            fitted = self._solve(design)
            coefficients.append(fitted)
            losses[index] = ((self._leave_out(design, fitted) - self._answers) ** 2).sum(axis=1)
        return coefficients, losses

    def honest(self, tests: TestSet) -> NDArray[np.float64]:
        design = design_of(self._cases, tests)
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
        left_out = self._cases.weights
        for label in self._blocks:
            p = fitted[:, label]
            root = np.linalg.cholesky(self._hessian(design, p))
            h = left_out * (np.linalg.solve(root, design.T) ** 2).sum(axis=0)
            honest[:, label] -= h / np.maximum(1 - p * (1 - p) * h, MIN_LEFT) * (self._answers[:, label] - p)
        return softmax(honest)


def _penalty(n_columns: int) -> NDArray[np.float64]:
    return np.concatenate([[INTERCEPT_RIDGE], np.full(n_columns - 1, RIDGE)])


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores as probabilities, row by row."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
