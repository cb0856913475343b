"""Models of sets of tests: additive first, then small trees that correct it where results interact.

The trees start from the scores that the additive model gives a case which it was not fitted to, rounded, so that the
last digits of a linear solver decide nothing. One model per fold, fitted to the other folds, judges that fold; the mean
of these models answers. Of many cases there is one fold, and one model, fitted to all that are never held out. Where a
pathway of two classes would have more ends of trees than a small file holds, each of its models gets a share of them:
by larger steps, which take fewer rounds, and the mean of fewer models.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.learn.predictive.basis import Basis
from budgetree.learn.predictive.ridge import Models, TestSet
from budgetree.learn.predictive.sample import Cases, Seen
from budgetree.learn.predictive.select import brier, mean_and_error
from budgetree.services.clock import Clock
from budgetree.tree import Ensemble, Model, Totals
from budgetree.tree.leaves import SCORE_UNIT, class_scores, softmax

START_UNIT = 1024  # start scores are multiples of 1 / this
MAX_START = 16.0
SMALL = {"n_leaves": 12, "rate": 0.15}
# From so many cases on trees are larger, and fewer do as well.
SETTINGS = (
    (50_000, {"n_leaves": 127, "rate": 0.3, "patience": 4}),
    (5_000, {"n_leaves": 63, "rate": 0.2, "patience": 6}),
    (0, SMALL),
)
FAST = 0.3  # the rate where there would be too many ends
MAX_SMALL = 20_000  # cases whose pathway fits into a small file, if there are two classes
MAX_ENDS = 4_000  # of such a pathway: about 60 kB of its file, and 130 of SQL
MAX_SHRINK = 8  # how many times smaller a model may become; beyond, it would be worse
MAX_LEVELS = 64  # of a number that a model tells apart, as many as the core's bins
MAX_STEPS = 32  # of what they add, from the least to the most
SCORE_STEP = 500  # of what a result or an end adds, in millionths: short to write, and no case notices


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """What was fitted to one set of tests."""

    model: Model
    probabilities: NDArray[np.float64]  # case × class, by models that were not fitted to the case; NaN without one


class BoostedModels:
    """The models of sets of tests, each fitted once."""

    def __init__(self, cases: Cases, folds: NDArray[np.int64], clock: Clock, threads: int = 1) -> None:
        self.cases, self._folds, self.clock, self._threads = cases, folds.astype(np.int32), clock, threads
        self.additive = Models(cases, Clock(None), threads)
        self._rows = cases.in_core(_as_coded)
        self._fitted: dict[TestSet, Boosted] = {}
        self._additive: dict[TestSet, Boosted] = {}  # without trees

    def probabilities(self, tests: Iterable[int]) -> NDArray[np.float64]:
        """Case × class: the probabilities of each case by a model that was not fitted to it."""
        return self._fit(tests).probabilities

    def model(self, tests: Iterable[int]) -> Model:
        """The model of a set of tests."""
        return self._fit(tests).model

    def smaller(self, sets: Iterable[TestSet]) -> dict[TestSet, Model]:
        """Models of these sets that are small enough together; none where they are, need not be, or would be worse.

        Worse: by more than a standard error of the Brier score. A large file is then the lesser evil, and is reported.
        """
        ends = {tests: n for tests in sorted(set(sets)) if (n := _n_ends(self.model(tests)))}
        if self.cases.n_classes > 2 or self.cases.n_cases > MAX_SMALL or sum(ends.values()) <= MAX_ENDS:
            return {}
        share, left = MAX_ENDS, MAX_ENDS
        for n_before, n_ends in enumerate(sorted(ends.values())):  # who needs less than a share leaves it to others
            share = left // (len(ends) - n_before)
            if n_ends > share:
                break
            left -= n_ends
        tried = [tests for tests, n_ends in ends.items() if share < n_ends <= MAX_SHRINK * share]
        found = {tests: self._smaller(tests, share) for tests in tried}
        return {tests: model for tests, model in found.items() if model is not None}

    def _smaller(self, tests: TestSet, max_ends: int) -> Model | None:
        """The mean of as many models with larger steps as have few enough ends; of fewer than two, one of all cases."""
        n_leaves = SMALL["n_leaves"]
        found = self._rounds(tests, n_leaves=n_leaves, rate=FAST, max_rounds=max_ends // n_leaves, refits=True)
        if found is None:  # late
            return None
        judged = self._folds >= 0
        large, small = (
            brier(each[judged], self.cases.labels[judged]) for each in (self.probabilities(tests), self._honest(found))
        )
        excess, error = mean_and_error(small - large, self.cases.weights[judged])
        if excess > error:
            return None
        if not found.n_rounds:
            return self._additive_model(tests)
        n_models = int((np.cumsum([(model.test < 0).sum() for model in found.models]) <= max_ends).sum())
        return self._with_trees(tests, found.models[:n_models] if n_models > 1 else [found.refit])

    def _fit(self, tests: Iterable[int]) -> Boosted:
        """What is fitted to a set; where there is no time for trees, the additive model alone."""
        wanted = tuple(sorted(tests))
        if wanted not in self._fitted:
            boosted = self._boosted(wanted) if wanted else self._alone(wanted)
            if boosted is None:
                return self._alone(wanted)
            self._fitted[wanted] = boosted
        return self._fitted[wanted]

    def _alone(self, tests: TestSet) -> Boosted:
        if tests not in self._additive:
            self._additive[tests] = Boosted(self._additive_model(tests), self.additive.probabilities(tests))
        return self._additive[tests]

    def _additive_model(self, tests: TestSet) -> Model:
        totals = self.additive.model(tests).totals
        points = tuple(
            _rounded(self._stepped(test, own)) for test, own in zip(totals.tests, totals.points, strict=True)
        )
        return Model(Totals(totals.tests, points, _rounded(totals.intercept).astype(np.int64)))

    def _stepped(self, test: int, points: NDArray[np.int32]) -> NDArray[Any]:
        """The points of a number's levels in few steps, those that the trees do not tell apart by their mean."""
        basis = self.cases.bases[test]
        n_levels = basis.n_outcomes if basis.missing is None else basis.missing
        if not basis.is_ordered or n_levels <= MAX_STEPS:
            return points
        count = np.bincount(self.cases.codes[:, test], minlength=n_levels)[:n_levels]
        share = (np.cumsum(count) - count) * MAX_LEVELS // max(count.sum(), 1)
        bins = np.unique(share, return_inverse=True)[1] if n_levels > MAX_LEVELS else np.arange(n_levels)
        weight = np.maximum(count, 1)
        own = points[:n_levels].astype(np.float64)
        sums = [np.bincount(bins, weight * column) for column in own.T]
        means = (np.column_stack(sums) / np.bincount(bins, weight)[:, None])[bins]
        step = SCORE_STEP * max(1, round(float(np.ptp(own, axis=0).max()) / MAX_STEPS / SCORE_STEP))
        levels = np.where(np.abs(own - means) > step, own, means)  # a blank that is a result is unlike its neighbours
        return np.vstack([np.rint(levels / step) * step, points[n_levels:]])

    def _boosted(self, tests: TestSet) -> Boosted | None:
        """With trees; None where the clock is over first."""
        found = self._rounds(tests, **next(own for least, own in SETTINGS if self.cases.n_cases >= least))
        if found is None:
            return None
        if not found.n_rounds:
            return self._alone(tests)
        return Boosted(self._with_trees(tests, found.models), self._honest(found))

    def _honest(self, found: Any) -> NDArray[np.float64]:
        probabilities, held_out = np.full((self.cases.n_cases, self.cases.n_classes), np.nan), self._folds >= 0
        scores = np.rint(found.scores[held_out] * SCORE_UNIT).astype(np.int64)
        probabilities[held_out] = softmax(class_scores(scores))
        return probabilities

    def _rounds(self, tests: TestSet, **settings: Any) -> Any:
        """What the core finds from the scores of the additive model; None where the clock is over first."""
        if self.clock.is_over:
            return None
        start, wanted = _scores(self.additive.probabilities(tests)), core.BoostingSettings(**settings)
        with self.clock.in_core() as limit:
            found = core.boost(self._rows, list(tests), start, self._folds, wanted, self._threads, limit)
        if found is None:
            self.clock.end()
        return found

    def _with_trees(self, tests: TestSet, models: Sequence[Any]) -> Model:
        totals = self._additive_model(tests).totals
        return Model(Totals(totals.tests, totals.points, totals.intercept, self._mean(tests, models)))

    def _mean(self, tests: TestSet, models: Sequence[Any]) -> Ensemble:
        """The trees of all models, of which each adds its share."""
        missing = [self.cases.bases[test].missing for test in tests]
        of_test = np.array([*tests, -1], dtype=np.int32)
        of_missing = np.array([*(-1 if code is None else code for code in missing), -1], dtype=np.int16)
        parts: dict[str, list[NDArray[Any]]] = {}
        n_nodes = 0
        for model in models:
            is_end = model.test < 0
            for name, array in {
                "start": model.tree_start[:-1] + n_nodes,
                "test": of_test[model.test],
                "cut": model.cut,
                "by_equal": model.is_nominal,
                "left": np.where(is_end, -1, model.left + n_nodes),
                "right": np.where(is_end, -1, model.right + n_nodes),
                "default_left": model.default_left,
                "missing": of_missing[model.test],
                "value": _rounded(model.value * (SCORE_UNIT / len(models))),
            }.items():
                parts.setdefault(name, []).append(array)
            n_nodes += len(model.test)
        return Ensemble(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


def _as_coded(codes: NDArray[np.uint8], basis: Basis) -> Seen:
    return codes, basis.n_outcomes, basis.is_ordered, -1 if basis.missing is None else basis.missing


def _n_ends(model: Model) -> int:
    trees = model.totals.trees
    return 0 if trees is None else int((trees.test < 0).sum())


def _rounded(scores: NDArray[Any]) -> NDArray[np.int32]:
    return (np.rint(scores / SCORE_STEP) * SCORE_STEP).astype(np.int32)


def _scores(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Start scores, in whole units: log odds of two classes, else log probabilities around their mean."""
    logs = np.log(np.maximum(probabilities, np.exp(-MAX_START)))
    scores = logs[:, 1:] - logs[:, :1] if logs.shape[1] == 2 else logs - logs.mean(axis=1, keepdims=True)
    return np.ascontiguousarray(np.rint(np.clip(scores, -MAX_START, MAX_START) * START_UNIT) / START_UNIT)
